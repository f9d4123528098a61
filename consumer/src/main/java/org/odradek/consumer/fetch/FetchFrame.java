// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.DirectBuffer;
import org.odradek.client.core.TopicIdentity;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.protocol.record.RecordMemory;

import java.util.Arrays;

/** The record sets of one fetch response in the order of delivery. Element i of each array describes record set i. */
final class FetchFrame implements FetchFrameHandler.Frame
{
    int count;
    /** A number that changes when the frame is cleared, so that a reader notices that its response was dropped. */
    int id;
    int version;
    /**
     * The number of the record set that is being delivered: -1 before the first one, {@link #count} after the last one.
     */
    int entry = -1;
    int batchIndex;
    RecordMemory memory;
    int[] partitions = {};
    int[] generations = {};
    int[] indexes = {};
    int[] limits = {};
    int[] abortedCounts = {};
    int[] abortedIndexes = {};
    private long[] requestedOffsets = {};
    private int length;
    private final int nodeId;
    private final TopicIdentity topic;

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

    boolean isConsistent()
    {
        // The position is before the first record set, in a record set, or after the last one.
        return count <= partitions.length && entry >= -1 && entry <= count &&
            // The position within a record set is between its first index and its limit.
            (entry < 0 || entry == count || batchIndex >= indexes[entry] && batchIndex <= limits[entry]);
    }

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
