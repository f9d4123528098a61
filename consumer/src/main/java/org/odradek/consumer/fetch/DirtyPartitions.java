// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/**
 * The set of partitions of one broker that changed since they were last listed in a request. With it, the cost of an
 * incremental request depends on the number of changes, not on the number of partitions.
 */
final class DirtyPartitions
{
    int count;
    /** Counts every call of {@link #add}, so two equal values mean that nothing changed in between. */
    int changes;
    int[] partitions = {};
    private boolean[] isDirty = {};

    /** Makes room for partitions 0 to capacity - 1, which are more than before. */
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
     * Removes all partitions. The removed ones can still be read in {@link #partitions} until {@link #add} overwrites
     * them: adding partition {@code i} or an earlier one again while iterating upwards is safe.
     *
     * @return how many there were.
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

    /** Whether each partition of the list has its flag, without which it could be in the list twice. */
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
