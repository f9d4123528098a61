// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.consumer.net.BrokerConnection;
import org.odradek.kafka.api.FetchRequest;
import org.odradek.kafka.api.PartitionFetchInfo;
import org.odradek.kafka.common.KafkaException;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.fetch.FetchRequestEncoder;
import org.odradek.protocol.fetch.FetchResponseFlyweight;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is in the log of partitions, from offsets on? Asked by name, without a fetch session.
 */
final class FetchQuestion extends Question<Map<TopicAndPartition, FetchedPartition>>
{
    private static final int LAST_VERSION_BY_NAME = 12;
    private static final int MAX_PARTITION_LENGTH = 33;
    private static final int MAX_FIXED_LENGTH = 64;

    private final FetchRequest request;
    private final Map<TopicAndPartition, PartitionFetchInfo> wanted;
    private final Map<String, List<TopicAndPartition>> topics;
    private final MessageSets sets;

    FetchQuestion(final FetchRequest request, final MessageSets sets)
    {
        super(ApiKey.FETCH, LAST_VERSION_BY_NAME, request.clientId());
        this.request = request;
        this.sets = sets;
        wanted = request.requestInfo();
        topics = Partitions.byTopic(wanted.keySet());
    }

    @Override
    int maxBodyLength()
    {
        return MAX_FIXED_LENGTH + Partitions.maxLength(topics, MAX_PARTITION_LENGTH);
    }

    @Override
    void write(final WireWriter writer, final int version)
    {
        writer.int32(-1).int32(request.maxWait()).int32(request.minBytes()).int32(request.maxBytes())
            .int8(FetchRequestEncoder.READ_UNCOMMITTED);
        if (version >= 7)
        {
            writer.int32(FetchRequestEncoder.NULL_SESSION_ID).int32(FetchRequestEncoder.FINAL_SESSION_EPOCH);
        }
        writer.arrayCount(topics.size());
        for (final Map.Entry<String, List<TopicAndPartition>> topic : topics.entrySet())
        {
            writer.string(WireWriter.encode(topic.getKey())).arrayCount(topic.getValue().size());
            for (final TopicAndPartition partition : topic.getValue())
            {
                write(writer, version, partition.partition(), wanted.get(partition));
            }
            writer.noTags();
        }
        if (version >= 7)
        {
            writer.arrayCount(0);
        }
        if (version >= 11)
        {
            writer.string(new byte[0]);
        }
        writer.noTags();
    }

    private static void write(
        final WireWriter writer, final int version, final int partition, final PartitionFetchInfo info)
    {
        writer.int32(partition);
        if (version >= 9)
        {
            writer.int32(-1);
        }
        writer.int64(info.offset());
        if (version >= 12)
        {
            writer.int32(-1);
        }
        if (version >= 5)
        {
            writer.int64(-1);
        }
        writer.int32(info.fetchSize()).noTags();
    }

    @Override
    Map<TopicAndPartition, FetchedPartition> read(final BrokerConnection connection, final int version)
    {
        final FetchResponseFlyweight response = new FetchResponseFlyweight().wrap(
            connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(), version);
        if (response.errorCode() != ErrorCode.NONE)
        {
            throw new KafkaException("The broker answered the fetch with " + ErrorCode.name(response.errorCode()));
        }
        final Map<TopicAndPartition, FetchedPartition> found = new LinkedHashMap<>();
        while (response.nextPartition())
        {
            final TopicAndPartition partition = new TopicAndPartition(
                string(response.buffer(), response.topicIndex(), response.topicLength()), response.partition());
            final PartitionFetchInfo info = wanted.get(partition);
            if (info != null)
            {
                found.put(partition, sets.read(connection.responseMemory(), response, info.offset()));
            }
        }
        return found;
    }
}
