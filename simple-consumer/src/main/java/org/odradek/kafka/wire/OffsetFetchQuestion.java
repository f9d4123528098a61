// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.consumer.net.BrokerConnection;
import org.odradek.kafka.common.OffsetMetadataAndError;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.OffsetFetchRequest;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireReader;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.control.OffsetFetchRequestEncoder;
import org.odradek.protocol.control.OffsetFetchResponseFlyweight;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which offsets has a group stored?
 */
final class OffsetFetchQuestion extends Question<Map<TopicAndPartition, OffsetMetadataAndError>>
{
    private static final int MAX_FIXED_LENGTH = 48;

    private final byte[] groupId;
    private final List<TopicAndPartition> partitions;
    private final Map<String, List<TopicAndPartition>> topics;

    OffsetFetchQuestion(final OffsetFetchRequest request)
    {
        super(ApiKey.OFFSET_FETCH, OffsetFetchRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID - 1, request.clientId());
        groupId = WireWriter.encode(request.groupId());
        partitions = request.requestInfo();
        topics = Partitions.byTopic(partitions);
    }

    @Override
    int maxBodyLength()
    {
        return Math.addExact(MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId),
            Partitions.maxLength(topics, Integer.BYTES));
    }

    @Override
    void write(final WireWriter writer, final int version)
    {
        if (version >= 8)
        {
            writer.arrayCount(1);
        }
        writer.string(groupId);
        if (version >= 9)
        {
            writer.string(null).int32(-1);
        }
        writer.arrayCount(topics.size());
        for (final Map.Entry<String, List<TopicAndPartition>> topic : topics.entrySet())
        {
            writer.string(WireWriter.encode(topic.getKey())).arrayCount(topic.getValue().size());
            for (final TopicAndPartition partition : topic.getValue())
            {
                writer.int32(partition.partition());
            }
            writer.noTags();
        }
        if (version >= 8)
        {
            writer.noTags();
        }
        if (version >= 7)
        {
            writer.bool(false);
        }
        writer.noTags();
    }

    @Override
    Map<TopicAndPartition, OffsetMetadataAndError> read(final BrokerConnection connection, final int version)
    {
        final OffsetFetchResponseFlyweight response = new OffsetFetchResponseFlyweight().wrap(
            connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(), version);
        final Map<TopicAndPartition, OffsetMetadataAndError> found = new LinkedHashMap<>();
        while (response.nextPartition())
        {
            final String topic =
                string(response.topic().buffer(), response.topic().index(), response.topic().length());
            final String metadata = response.metadataLength() == WireReader.NULL_LENGTH ? "" :
                string(response.topic().buffer(), response.metadataIndex(), response.metadataLength());
            found.put(new TopicAndPartition(topic, response.partition()),
                new OffsetMetadataAndError(response.committedOffset(), metadata, response.partitionErrorCode()));
        }
        if (response.groupErrorCode() != ErrorCode.NONE)
        {
            for (final TopicAndPartition partition : partitions)
            {
                found.put(partition, new OffsetMetadataAndError(
                    OffsetFetchResponseFlyweight.NULL_OFFSET, "", response.groupErrorCode()));
            }
        }
        return found;
    }
}
