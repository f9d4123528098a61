// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.protocol.record.RecordMemory;

import java.util.Arrays;

/**
 * One fetch response that waits to be delivered: where in its memory the record sets lie, and for which partitions,
 * in arrays made when the partitions were assigned.
 */
final class FetchFrame
{
    private int count;
    private int readEntry;
    private int readIndex;
    private int id;
    private int[] partitions = {};
    private int[] generations = {};
    private int[] indexes = {};
    private int[] limits = {};
    private int[] abortedCounts = {};
    private int[] abortedIndexes = {};
    private int version;
    private RecordMemory memory;

    void ensureCapacity(final int capacity)
    {
        if (capacity > partitions.length)
        {
            partitions = Arrays.copyOf(partitions, capacity);
            generations = Arrays.copyOf(generations, capacity);
            indexes = Arrays.copyOf(indexes, capacity);
            limits = Arrays.copyOf(limits, capacity);
            abortedCounts = Arrays.copyOf(abortedCounts, capacity);
            abortedIndexes = Arrays.copyOf(abortedIndexes, capacity);
        }
    }

    void begin(final RecordMemory newMemory, final int newVersion)
    {
        memory = newMemory;
        version = newVersion;
        clear();
    }

    void add(final int partition, final int generation, final int index, final int length)
    {
        partitions[count] = partition;
        generations[count] = generation;
        indexes[count] = index;
        limits[count] = index + length;
        abortedCounts[count] = 0;
        count++;
    }

    /**
     * Where the list of aborted transactions stands, of the partition that was added last.
     */
    void aborted(final int index, final int listed)
    {
        abortedIndexes[count - 1] = index;
        abortedCounts[count - 1] = listed;
    }

    void clear()
    {
        count = 0;
        readEntry = -1;
        id++;
    }

    /**
     * Note how far it has been read.
     *
     * @param entry being read, or -1.
     * @param index of its first byte that is not.
     */
    void read(final int entry, final int index)
    {
        readEntry = entry;
        readIndex = index;
    }

    /**
     * Bytes of record sets that have not been read.
     */
    long undelivered()
    {
        long bytes = 0;
        for (int i = Math.max(0, readEntry); i < count; i++)
        {
            bytes += limits[i] - (i == readEntry ? readIndex : indexes[i]);
        }
        return bytes;
    }

    /**
     * Another number for each response, so that a reader that stood in one notices that it is gone.
     */
    int id()
    {
        return id;
    }

    int count()
    {
        return count;
    }

    int partition(final int entry)
    {
        return partitions[entry];
    }

    int generation(final int entry)
    {
        return generations[entry];
    }

    int index(final int entry)
    {
        return indexes[entry];
    }

    int limit(final int entry)
    {
        return limits[entry];
    }

    int abortedCount(final int entry)
    {
        return abortedCounts[entry];
    }

    /**
     * Where the list of a partition's aborted transactions begins.
     */
    int abortedIndex(final int entry)
    {
        return abortedIndexes[entry];
    }

    /**
     * Of Fetch, that the response has.
     */
    int version()
    {
        return version;
    }

    RecordMemory memory()
    {
        return memory;
    }
}
