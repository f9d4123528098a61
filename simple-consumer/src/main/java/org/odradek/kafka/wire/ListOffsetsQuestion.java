// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.consumer.net.BrokerConnection;
import org.odradek.kafka.api.PartitionOffsetRequestInfo;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.OffsetResponse;
import org.odradek.kafka.javaapi.OffsetResponse.PartitionOffsets;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.control.ListOffsetsResponseFlyweight;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which offset has what was written at a time?
 */
final class ListOffsetsQuestion extends Question<OffsetResponse>
{
    private static final int MAX_PARTITION_LENGTH = 17;
    private static final int TIMEOUT_MS = 30_000;

    private final Map<TopicAndPartition, PartitionOffsetRequestInfo> wanted;
    private final Map<String, List<TopicAndPartition>> topics;

    ListOffsetsQuestion(final String clientId, final Map<TopicAndPartition, PartitionOffsetRequestInfo> wanted)
    {
        super(ApiKey.LIST_OFFSETS, ApiKey.LIST_OFFSETS.maxVersion(), clientId);
        this.wanted = wanted;
        topics = Partitions.byTopic(wanted.keySet());
    }

    @Override
    int maxBodyLength()
    {
        return 4 * Integer.BYTES + Partitions.maxLength(topics, MAX_PARTITION_LENGTH);
    }

    @Override
    void write(final WireWriter writer, final int version)
    {
        writer.int32(-1);
        if (version >= 2)
        {
            writer.int8(0);
        }
        writer.arrayCount(topics.size());
        for (final Map.Entry<String, List<TopicAndPartition>> topic : topics.entrySet())
        {
            writer.string(WireWriter.encode(topic.getKey())).arrayCount(topic.getValue().size());
            for (final TopicAndPartition partition : topic.getValue())
            {
                writer.int32(partition.partition());
                if (version >= 4)
                {
                    writer.int32(-1);
                }
                writer.int64(wanted.get(partition).time()).noTags();
            }
            writer.noTags();
        }
        if (version >= 10)
        {
            writer.int32(TIMEOUT_MS);
        }
        writer.noTags();
    }

    @Override
    OffsetResponse read(final BrokerConnection connection, final int version)
    {
        final ListOffsetsResponseFlyweight response = new ListOffsetsResponseFlyweight().wrap(
            connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(), version);
        final Map<TopicAndPartition, PartitionOffsets> found = new LinkedHashMap<>();
        while (response.nextPartition())
        {
            final TopicAndPartition partition = new TopicAndPartition(
                string(response.buffer(), response.topicIndex(), response.topicLength()), response.partition());
            final PartitionOffsetRequestInfo info = wanted.get(partition);
            final boolean isFound = response.partitionErrorCode() == ErrorCode.NONE && response.offset() >= 0 &&
                info != null && info.maxNumOffsets() > 0;
            found.put(partition, isFound ? new PartitionOffsets(ErrorCode.NONE, response.offset()) :
                new PartitionOffsets(response.partitionErrorCode()));
        }
        return new OffsetResponse(found);
    }
}
