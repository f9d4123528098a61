// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/** The partitions of one connection that the next incremental request must check. */
final class DirtyPartitions
{
    int count;
    int changes;
    int[] partitions = {};
    private boolean[] isDirty = {};

    void grow(final int capacity)
    {
        partitions = Arrays.copyOf(partitions, capacity);
        isDirty = Arrays.copyOf(isDirty, capacity);
    }

    void add(final int partition)
    {
        changes++;
        if (!isDirty[partition])
        {
            isDirty[partition] = true;
            partitions[count++] = partition;
        }
        assert count <= partitions.length;
    }

    /**
     * Removes all partitions, whose ids stay in {@link #partitions} until {@link #add} overwrites them.
     *
     * @return the number of partitions before the call.
     */
    int clear()
    {
        assert areFlagged();
        final int before = count;
        for (int i = 0; i < before; i++)
        {
            isDirty[partitions[i]] = false;
        }
        count = 0;
        return before;
    }

    private boolean areFlagged()
    {
        boolean areFlagged = true;
        for (int i = 0; i < count && areFlagged; i++)
        {
            areFlagged = isDirty[partitions[i]];
        }
        return areFlagged;
    }
}
