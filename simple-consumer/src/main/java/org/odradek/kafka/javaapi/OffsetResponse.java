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
     * @return one offset, that of the first message at or after the time (old brokers returned the beginning of a log
     *         file); none in case of an error or if there is no such message.
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
     * @param offsets one or none.
     */
    public record PartitionOffsets(short error, long... offsets)
    {
    }
}
