// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.api.FetchResponsePartitionData;
import org.odradek.kafka.common.ErrorMapping;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.message.ByteBufferMessageSet;

import java.util.Map;

/**
 * The fetched messages. The methods with a partition throw IllegalArgumentException if the partition was not requested.
 */
public final class FetchResponse
{
    private final Map<TopicAndPartition, FetchResponsePartitionData> data;

    /**
     * Creates a response.
     *
     * @param data the requested partitions.
     */
    public FetchResponse(final Map<TopicAndPartition, FetchResponsePartitionData> data)
    {
        this.data = data;
    }

    public boolean hasError()
    {
        for (final FetchResponsePartitionData partition : data.values())
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

    public ByteBufferMessageSet messageSet(final String topic, final int partition)
    {
        return partition(topic, partition).messages();
    }

    public long highWatermark(final String topic, final int partition)
    {
        return partition(topic, partition).hw();
    }

    private FetchResponsePartitionData partition(final String topic, final int partition)
    {
        final FetchResponsePartitionData found = data.get(new TopicAndPartition(topic, partition));
        if (found == null)
        {
            throw new IllegalArgumentException("No partition " + partition + " of topic " + topic + " was fetched.");
        }
        return found;
    }
}
