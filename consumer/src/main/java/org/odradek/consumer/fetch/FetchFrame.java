// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.DirectBuffer;
import org.odradek.client.core.TopicIdentity;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.protocol.record.RecordMemory;

import java.util.Arrays;

/**
 * The index of one fetch response that waits to be delivered: which partitions have record sets, and where in the
 * receive buffer. The arrays hold one entry per record set and grow when partitions are assigned.
 */
final class FetchFrame implements FetchFrameHandler.Frame
{
    int count;
    /** Changes with each response, so that a reader notices that its response is gone. */
    int id;
    int version;
    /** The record set that is being delivered, or -1 before the first one. */
    int entry = -1;
    /** The first byte of it that has not been delivered. */
    int batchIndex;
    RecordMemory memory;
    int[] partitions = {};
    int[] generations = {};
    /** First index of each record set. */
    int[] indexes = {};
    /** First index after each record set. */
    int[] limits = {};
    int[] abortedCounts = {};
    /** Index of the list of aborted transactions of each partition. */
    int[] abortedIndexes = {};
    private long[] requestedOffsets = {};
    private int length;
    private final int nodeId;
    private final TopicIdentity topic;

    /**
     * @param nodeId of the broker that sends the responses.
     * @param topic  of the responses.
     */
    FetchFrame(final int nodeId, final TopicIdentity topic)
    {
        this.nodeId = nodeId;
        this.topic = topic;
    }

    void ensureCapacity(final int capacity)
    {
        if (capacity > partitions.length)
        {
            partitions = Arrays.copyOf(partitions, capacity);
            generations = Arrays.copyOf(generations, capacity);
            requestedOffsets = Arrays.copyOf(requestedOffsets, capacity);
            indexes = Arrays.copyOf(indexes, capacity);
            limits = Arrays.copyOf(limits, capacity);
            abortedCounts = Arrays.copyOf(abortedCounts, capacity);
            abortedIndexes = Arrays.copyOf(abortedIndexes, capacity);
        }
    }

    void begin(final RecordMemory newMemory, final int newVersion, final int newLength)
    {
        memory = newMemory;
        version = newVersion;
        length = newLength;
        clear();
    }

    /** Adds the record set of a partition. */
    void add(
        final int partition, final int generation, final long requestedOffset, final int index, final int recordsLength)
    {
        partitions[count] = partition;
        generations[count] = generation;
        requestedOffsets[count] = requestedOffset;
        indexes[count] = index;
        limits[count] = index + recordsLength;
        abortedCounts[count] = 0;
        count++;
        assert isConsistent();
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
        entry = -1;
        id++;
    }

    /** Whether what is delivered next is in the response. */
    boolean isConsistent()
    {
        // Before the first record set, in one, or after the last.
        return count <= partitions.length && entry >= -1 && entry <= count &&
            // Delivery goes on where it has stopped, and ends with the record set.
            (entry < 0 || entry == count || batchIndex >= indexes[entry] && batchIndex <= limits[entry]);
    }

    /** Bytes of record sets that have not been delivered. */
    long undelivered()
    {
        long bytes = 0;
        for (int i = Math.max(0, entry); i < count; i++)
        {
            bytes += limits[i] - (i == entry ? batchIndex : indexes[i]);
        }
        return bytes;
    }

    @Override
    public int nodeId()
    {
        return nodeId;
    }

    @Override
    public int fetchVersion()
    {
        return version;
    }

    @Override
    public long topicIdMostSignificantBits()
    {
        return topic.idMostSignificantBits();
    }

    @Override
    public long topicIdLeastSignificantBits()
    {
        return topic.idLeastSignificantBits();
    }

    @Override
    public int partitionCount()
    {
        return count;
    }

    @Override
    public int partition(final int i)
    {
        return partitions[i];
    }

    @Override
    public long requestedOffset(final int i)
    {
        return requestedOffsets[i];
    }

    @Override
    public DirectBuffer buffer()
    {
        return memory.buffer();
    }

    @Override
    public int index()
    {
        return 0;
    }

    @Override
    public int length()
    {
        return length;
    }
}
