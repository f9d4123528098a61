// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.ErrorMapping;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * Offsets by time.
 */
public final class OffsetResponse
{
    private final Map<TopicAndPartition, PartitionOffsets> offsets;

    /**
     * @param offsets of each partition.
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
     * @return one offset: for a time that of the first message at or after it, where the old brokers gave the beginning
     * of a file; none with an error, or where there is no such message.
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
                "No offset of partition " + partition + " of topic " + topic + " was asked for.");
        }
        return found;
    }

    /**
     * The answer for one partition.
     *
     * @param error   see {@link ErrorMapping}.
     * @param offsets one or none.
     */
    public record PartitionOffsets(short error, long... offsets)
    {
    }
}
