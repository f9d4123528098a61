// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/**
 * The partitions of which one broker may have to be asked otherwise than before, each once. So a request costs what has
 * changed, however many partitions there are.
 */
final class ChangedPartitions
{
    private int count;
    private int additions;
    private int[] partitions = {};
    private boolean[] isListed = {};

    void ensureCapacity(final int capacity)
    {
        if (capacity > partitions.length)
        {
            partitions = Arrays.copyOf(partitions, capacity);
            isListed = Arrays.copyOf(isListed, capacity);
        }
    }

    void add(final int partition)
    {
        additions++;
        if (!isListed[partition])
        {
            isListed[partition] = true;
            partitions[count++] = partition;
        }
    }

    /**
     * Begin anew with none; what is to stay is put back with {@link #add}.
     *
     * @return how many there were, still to be had from {@link #partition} up to where they are overwritten.
     */
    int clear()
    {
        final int before = count;
        for (int i = 0; i < before; i++)
        {
            isListed[partitions[i]] = false;
        }
        count = 0;
        return before;
    }

    int count()
    {
        return count;
    }

    int partition(final int at)
    {
        return partitions[at];
    }

    /**
     * Another number whenever a partition has changed.
     */
    int additions()
    {
        return additions;
    }
}
