// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.agrona.DirectBuffer;
import org.odradek.kafka.blocking.BlockingRequest;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.control.ResponseTopic;
import org.odradek.protocol.record.RecordMemory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A request to a broker.
 *
 * @param <T> the response.
 */
abstract class Request<T> implements BlockingRequest<T>
{
    private final ApiKey apiKey;
    private final int maxVersion;
    private final byte[] clientId;
    private int topicIndex;
    private String topic;

    Request(final ApiKey apiKey, final int maxVersion, final String clientId)
    {
        this.apiKey = apiKey;
        this.maxVersion = maxVersion;
        this.clientId = WireWriter.encode(clientId);
    }

    @Override
    public final ApiKey apiKey()
    {
        return apiKey;
    }

    @Override
    public final int maxVersion()
    {
        return maxVersion;
    }

    @Override
    public final byte[] clientId()
    {
        return clientId;
    }

    @Override
    public final T read(final RecordMemory response, final int limit, final int version)
    {
        topic = null;
        return decode(response, limit, version);
    }

    abstract T decode(RecordMemory response, int limit, int version);

    /** Returns the topic of the current partition, as one string for all partitions of the topic. */
    final String topic(final DirectBuffer buffer, final int index, final int length)
    {
        if (topic == null || topicIndex != index)
        {
            topicIndex = index;
            topic = string(buffer, index, length);
        }
        return topic;
    }

    final String topic(final ResponseTopic current)
    {
        return topic(current.buffer(), current.index(), current.length());
    }

    static String string(final DirectBuffer buffer, final int index, final int length)
    {
        return length <= 0 ? "" : buffer.getStringWithoutLengthUtf8(index, length);
    }

    @Override
    public String toString()
    {
        return apiKey.toString();
    }

    static Map<String, List<TopicAndPartition>> byTopic(final Iterable<TopicAndPartition> partitions)
    {
        final Map<String, List<TopicAndPartition>> topics = new LinkedHashMap<>();
        for (final TopicAndPartition partition : partitions)
        {
            topics.computeIfAbsent(partition.topic(), (topic) -> new ArrayList<>()).add(partition);
        }
        return topics;
    }

    static int maxLength(final Map<String, List<TopicAndPartition>> topics, final int partitionLength)
    {
        int length = 0;
        for (final Map.Entry<String, List<TopicAndPartition>> topic : topics.entrySet())
        {
            length = Math.addExact(
                length, maxTopicLength(topic.getKey(), topic.getValue().size(), partitionLength));
        }
        return length;
    }

    static int maxTopicLength(final String topic, final int partitions, final int partitionLength)
    {
        final int fixed = 2 * Integer.BYTES + Long.BYTES * 2;
        return Math.addExact(fixed + WireWriter.maxStringLength(WireWriter.encode(topic)),
            Math.multiplyExact(partitions, partitionLength));
    }
}
