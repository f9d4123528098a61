// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.consumer.net.BrokerConnection;
import org.odradek.kafka.common.OffsetAndMetadata;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.OffsetCommitRequest;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.control.OffsetCommitRequestEncoder;
import org.odradek.protocol.control.OffsetCommitResponseFlyweight;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Please store offsets, with the texts that belong to them.
 */
final class CommitQuestion extends Question<Map<TopicAndPartition, Short>>
{
    private static final int MAX_PARTITION_LENGTH = 20;
    private static final int MAX_FIXED_LENGTH = 32;
    private static final byte[] EMPTY = {};

    private final byte[] groupId;
    private final Map<TopicAndPartition, OffsetAndMetadata> offsets;
    private final Map<String, List<TopicAndPartition>> topics;

    CommitQuestion(final OffsetCommitRequest request)
    {
        super(ApiKey.OFFSET_COMMIT, OffsetCommitRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID - 1, request.clientId());
        groupId = WireWriter.encode(request.groupId());
        offsets = request.requestInfo();
        topics = Partitions.byTopic(offsets.keySet());
    }

    @Override
    int maxBodyLength()
    {
        int length = MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId);
        for (final OffsetAndMetadata offset : offsets.values())
        {
            length = Math.addExact(length, WireWriter.maxStringLength(metadata(offset)));
        }
        return Math.addExact(length, Partitions.maxLength(topics, MAX_PARTITION_LENGTH));
    }

    private static byte[] metadata(final OffsetAndMetadata offset)
    {
        return offset.metadata() == null ? EMPTY : WireWriter.encode(offset.metadata());
    }

    @Override
    void write(final WireWriter writer, final int version)
    {
        writer.string(groupId).int32(-1).string(EMPTY);
        if (version >= 7)
        {
            writer.string(null);
        }
        if (version <= 4)
        {
            writer.int64(-1);
        }
        writer.arrayCount(topics.size());
        for (final Map.Entry<String, List<TopicAndPartition>> topic : topics.entrySet())
        {
            writer.string(WireWriter.encode(topic.getKey())).arrayCount(topic.getValue().size());
            for (final TopicAndPartition partition : topic.getValue())
            {
                final OffsetAndMetadata offset = offsets.get(partition);
                writer.int32(partition.partition()).int64(offset.offset());
                if (version >= 6)
                {
                    writer.int32(-1);
                }
                writer.string(metadata(offset)).noTags();
            }
            writer.noTags();
        }
        writer.noTags();
    }

    @Override
    Map<TopicAndPartition, Short> read(final BrokerConnection connection, final int version)
    {
        final OffsetCommitResponseFlyweight response = new OffsetCommitResponseFlyweight().wrap(
            connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(), version);
        final Map<TopicAndPartition, Short> found = new LinkedHashMap<>();
        while (response.nextPartition())
        {
            final String topic =
                string(response.topic().buffer(), response.topic().index(), response.topic().length());
            found.put(new TopicAndPartition(topic, response.partition()), response.partitionErrorCode());
        }
        return found;
    }
}
