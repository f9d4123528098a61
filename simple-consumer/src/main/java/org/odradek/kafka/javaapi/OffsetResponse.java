// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.ErrorMapping;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * The offsets of times.
 */
public final class OffsetResponse
{
    private final Map<TopicAndPartition, PartitionOffsets> offsets;

    /**
     * Creates a response.
     *
     * @param offsets by partition.
     */
    public OffsetResponse(final Map<TopicAndPartition, PartitionOffsets> offsets)
    {
        this.offsets = offsets;
    }

    public boolean hasError()
    {
        for (final PartitionOffsets partition : offsets.values())
        {
            if (partition.error() != ErrorMapping.NoError())
            {
                return true;
            }
        }
        return false;
    }

    public short errorCode(final String topic, final int partition)
    {
        return partition(topic, partition).error();
    }

    /**
     * Returns the offset of the requested time, in an array of length 1. The array is empty after an error, or if there
     * is no such offset.
     */
    public long[] offsets(final String topic, final int partition)
    {
        return partition(topic, partition).offsets().clone();
    }

    private PartitionOffsets partition(final String topic, final int partition)
    {
        final PartitionOffsets found = offsets.get(new TopicAndPartition(topic, partition));
        if (found == null)
        {
            throw new IllegalArgumentException(
                "No offset of partition " + partition + " of topic " + topic + " was requested.");
        }
        return found;
    }

    /**
     * The result for one partition.
     *
     * @param error   see {@link ErrorMapping}.
     * @param offsets one offset or none.
     */
    public record PartitionOffsets(short error, long... offsets)
    {
    }
}
