// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.protocol.record.RecordMemory;

import java.util.Arrays;

/**
 * The index of one fetch response that waits to be delivered: which partitions have record sets, and where in the
 * receive buffer. The arrays grow when partitions are assigned.
 */
final class FetchFrame
{
    private final int nodeId;
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

    /** @param nodeId of the broker that sends the responses. */
    FetchFrame(final int nodeId)
    {
        this.nodeId = nodeId;
    }

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

    /** Adds the record set of a partition. */
    void add(final int partition, final int generation, final int index, final int length)
    {
        partitions[count] = partition;
        generations[count] = generation;
        indexes[count] = index;
        limits[count] = index + length;
        abortedCounts[count] = 0;
        count++;
    }

    /** Sets the list of aborted transactions of the partition that was added last. */
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

    /** Saves how far the response has been delivered: the current entry, or -1, and its first undelivered byte. */
    void position(final int entry, final int index)
    {
        readEntry = entry;
        readIndex = index;
    }

    /** Bytes of record sets that have not been delivered. */
    long undelivered()
    {
        long bytes = 0;
        for (int i = Math.max(0, readEntry); i < count; i++)
        {
            bytes += limits[i] - (i == readEntry ? readIndex : indexes[i]);
        }
        return bytes;
    }

    int nodeId()
    {
        return nodeId;
    }

    /** Changes with each response, so that a reader notices that its response is gone. */
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

    /** Index of the list of aborted transactions of a partition. */
    int abortedIndex(final int entry)
    {
        return abortedIndexes[entry];
    }

    /** Version of the Fetch API that the response has. */
    int version()
    {
        return version;
    }

    RecordMemory memory()
    {
        return memory;
    }
}
