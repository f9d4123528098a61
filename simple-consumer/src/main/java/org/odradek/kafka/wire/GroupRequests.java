// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.kafka.blocking.BlockingConnection;
import org.odradek.kafka.common.OffsetAndMetadata;
import org.odradek.kafka.common.OffsetMetadataAndError;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.OffsetCommitRequest;
import org.odradek.kafka.javaapi.OffsetFetchRequest;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.control.FindCoordinatorResponseFlyweight;
import org.odradek.protocol.control.OffsetCommitRequestEncoder;
import org.odradek.protocol.control.OffsetCommitResponseFlyweight;
import org.odradek.protocol.control.OffsetFetchRequestEncoder;
import org.odradek.protocol.control.OffsetFetchResponseFlyweight;
import org.odradek.protocol.record.RecordMemory;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The requests about groups and their offsets. */
final class GroupRequests
{
    private GroupRequests()
    {
    }

    record CoordinatorAddress(short errorCode, int nodeId, String host, int port)
    {
    }

    static final class FindCoordinator extends Request<CoordinatorAddress>
    {
        private static final byte GROUP_KEY_TYPE = 0;
        private static final int MAX_FIXED_LENGTH = 16;

        private final byte[] groupId;

        FindCoordinator(final String clientId, final String groupId)
        {
            super(ApiKey.FIND_COORDINATOR, ApiKey.FIND_COORDINATOR.maxVersion(), clientId);
            this.groupId = WireWriter.encode(groupId);
        }

        @Override
        public int maxBodyLength()
        {
            return MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId);
        }

        @Override
        public void write(final WireWriter writer, final int version)
        {
            if (version <= 3)
            {
                writer.string(groupId);
            }
            if (version >= 1)
            {
                writer.int8(GROUP_KEY_TYPE);
            }
            if (version >= 4)
            {
                writer.arrayCount(1).string(groupId);
            }
            writer.noTags();
        }

        @Override
        CoordinatorAddress decode(final RecordMemory memory, final int limit, final int version)
        {
            final FindCoordinatorResponseFlyweight response = new FindCoordinatorResponseFlyweight().wrap(
                memory.buffer(), ResponseHeader.LENGTH, limit, version);
            if (response.errorCode() == ErrorCode.NONE)
            {
                BlockingConnection.checkBroker(response.nodeId(), response.buffer(), response.hostIndex(),
                    response.hostLength(), response.port());
            }
            return new CoordinatorAddress(response.errorCode(), response.nodeId(),
                string(response.buffer(), response.hostIndex(), response.hostLength()), response.port());
        }
    }

    static final class CommitOffsets extends Request<Map<TopicAndPartition, Short>>
    {
        private static final int MAX_PARTITION_LENGTH = 20;
        private static final int MAX_FIXED_LENGTH = 32;
        private static final byte[] EMPTY = {};

        private final byte[] groupId;
        private final Map<TopicAndPartition, OffsetAndMetadata> offsets;
        private final Map<String, List<TopicAndPartition>> topics;

        CommitOffsets(final OffsetCommitRequest request)
        {
            super(ApiKey.OFFSET_COMMIT, OffsetCommitRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID - 1, request.clientId());
            groupId = WireWriter.encode(request.groupId());
            offsets = request.requestInfo();
            topics = byTopic(offsets.keySet());
        }

        @Override
        public int maxBodyLength()
        {
            int length = MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId);
            for (final OffsetAndMetadata offset : offsets.values())
            {
                length = Math.addExact(length, WireWriter.maxStringLength(metadata(offset)));
            }
            return Math.addExact(length, maxLength(topics, MAX_PARTITION_LENGTH));
        }

        private static byte[] metadata(final OffsetAndMetadata offset)
        {
            return offset.metadata() == null ? EMPTY : WireWriter.encode(offset.metadata());
        }

        @Override
        public void write(final WireWriter writer, final int version)
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
        Map<TopicAndPartition, Short> decode(final RecordMemory memory, final int limit, final int version)
        {
            final OffsetCommitResponseFlyweight response = new OffsetCommitResponseFlyweight().wrap(
                memory.buffer(), ResponseHeader.LENGTH, limit, version);
            final Map<TopicAndPartition, Short> found = new LinkedHashMap<>();
            while (response.nextPartition())
            {
                final TopicAndPartition partition =
                    new TopicAndPartition(topic(response.topic()), response.partition());
                if (offsets.containsKey(partition))
                {
                    found.put(partition, response.partitionErrorCode());
                }
            }
            // The broker does not say that it has stored the others.
            for (final TopicAndPartition partition : offsets.keySet())
            {
                found.putIfAbsent(partition, ErrorCode.UNKNOWN_SERVER_ERROR);
            }
            return found;
        }
    }

    static final class FetchOffsets extends Request<Map<TopicAndPartition, OffsetMetadataAndError>>
    {
        private static final int MAX_FIXED_LENGTH = 48;

        private final byte[] groupId;
        private final Set<TopicAndPartition> partitions;
        private final Map<String, List<TopicAndPartition>> topics;

        FetchOffsets(final OffsetFetchRequest request)
        {
            super(ApiKey.OFFSET_FETCH, OffsetFetchRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID - 1, request.clientId());
            groupId = WireWriter.encode(request.groupId());
            partitions = new LinkedHashSet<>(request.requestInfo());
            topics = byTopic(partitions);
        }

        @Override
        public int maxBodyLength()
        {
            return Math.addExact(MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId),
                maxLength(topics, Integer.BYTES));
        }

        @Override
        public void write(final WireWriter writer, final int version)
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
        Map<TopicAndPartition, OffsetMetadataAndError> decode(
            final RecordMemory memory, final int limit, final int version)
        {
            final OffsetFetchResponseFlyweight response = new OffsetFetchResponseFlyweight().wrap(
                memory.buffer(), ResponseHeader.LENGTH, limit, version);
            final Map<TopicAndPartition, OffsetMetadataAndError> found = new LinkedHashMap<>();
            while (response.nextPartition())
            {
                final TopicAndPartition partition =
                    new TopicAndPartition(topic(response.topic()), response.partition());
                if (partitions.contains(partition))
                {
                    found.put(partition, new OffsetMetadataAndError(response.committedOffset(),
                        string(response.buffer(), response.metadataIndex(), response.metadataLength()),
                        response.partitionErrorCode()));
                }
            }
            // The broker does not say that it has no offset of the others.
            for (final TopicAndPartition partition : partitions)
            {
                found.putIfAbsent(partition, new OffsetMetadataAndError(
                    OffsetFetchResponseFlyweight.NULL_OFFSET, "", ErrorCode.UNKNOWN_SERVER_ERROR));
            }
            if (response.errorCode() != ErrorCode.NONE)
            {
                for (final TopicAndPartition partition : partitions)
                {
                    found.put(partition, new OffsetMetadataAndError(
                        OffsetFetchResponseFlyweight.NULL_OFFSET, "", response.errorCode()));
                }
            }
            return found;
        }
    }
}
