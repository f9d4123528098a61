// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.kafka.api.FetchRequest;
import org.odradek.kafka.api.PartitionFetchInfo;
import org.odradek.kafka.api.PartitionOffsetRequestInfo;
import org.odradek.kafka.blocking.BlockingConnection;
import org.odradek.kafka.cluster.BrokerEndPoint;
import org.odradek.kafka.common.KafkaException;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.OffsetResponse;
import org.odradek.kafka.javaapi.OffsetResponse.PartitionOffsets;
import org.odradek.kafka.javaapi.PartitionMetadata;
import org.odradek.kafka.javaapi.TopicMetadata;
import org.odradek.kafka.javaapi.TopicMetadataResponse;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireReader;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.control.ListOffsetsResponseFlyweight;
import org.odradek.protocol.control.MetadataResponseFlyweight;
import org.odradek.protocol.fetch.FetchRequestEncoder;
import org.odradek.protocol.fetch.FetchResponseFlyweight;
import org.odradek.protocol.record.RecordMemory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The requests about topics and their records.
 */
final class TopicRequests
{
    private TopicRequests()
    {
    }

    static final class Metadata extends Request<TopicMetadataResponse>
    {
        private final List<String> topics;

        Metadata(final String clientId, final List<String> topics)
        {
            super(ApiKey.METADATA, ApiKey.METADATA.maxVersion(), clientId);
            this.topics = topics;
        }

        @Override
        public int maxBodyLength()
        {
            int length = 2 * Integer.BYTES;
            for (final String topic : topics)
            {
                length = Math.addExact(length, maxTopicLength(topic, 0, 0));
            }
            return length;
        }

        @Override
        public void write(final WireWriter writer, final int version)
        {
            writer.arrayCount(topics.isEmpty() ? WireReader.NULL_LENGTH : topics.size());
            for (final String topic : topics)
            {
                if (version >= 10)
                {
                    writer.uuid(0, 0);
                }
                writer.string(WireWriter.encode(topic)).noTags();
            }
            writer.bool(false);
            if (version >= 8 && version <= 10)
            {
                writer.bool(false);
            }
            if (version >= 8)
            {
                writer.bool(false);
            }
            writer.noTags();
        }

        @Override
        TopicMetadataResponse decode(final RecordMemory memory, final int limit, final int version)
        {
            final MetadataResponseFlyweight response = new MetadataResponseFlyweight().wrap(
                memory.buffer(), ResponseHeader.LENGTH, limit, version);
            final Map<Integer, BrokerEndPoint> brokers = new HashMap<>();
            while (response.nextBroker())
            {
                BlockingConnection.checkBroker(response.nodeId(), response.buffer(), response.hostIndex(),
                    response.hostLength(), response.port());
                final String host = string(response.buffer(), response.hostIndex(), response.hostLength());
                brokers.put(response.nodeId(), new BrokerEndPoint(response.nodeId(), host, response.port()));
            }
            final List<TopicMetadata> found = new ArrayList<>();
            while (response.nextTopic())
            {
                final String topic = string(response.buffer(), response.topicIndex(), response.topicLength());
                final short errorCode = response.topicErrorCode();
                found.add(new TopicMetadata(topic, partitions(response, brokers), errorCode));
            }
            return new TopicMetadataResponse(found);
        }

        private static List<PartitionMetadata> partitions(
            final MetadataResponseFlyweight response, final Map<Integer, BrokerEndPoint> brokers)
        {
            final List<PartitionMetadata> partitions = new ArrayList<>();
            while (response.nextPartition())
            {
                final List<BrokerEndPoint> replicas = new ArrayList<>();
                for (int i = 0; i < response.replicaCount(); i++)
                {
                    addKnown(replicas, brokers.get(response.replica(i)));
                }
                final List<BrokerEndPoint> isr = new ArrayList<>();
                for (int i = 0; i < response.isrCount(); i++)
                {
                    addKnown(isr, brokers.get(response.isr(i)));
                }
                partitions.add(new PartitionMetadata(
                    response.partition(), brokers.get(response.leaderId()), replicas, isr,
                    response.partitionErrorCode()));
            }
            return partitions;
        }

        private static void addKnown(final List<BrokerEndPoint> list, final BrokerEndPoint broker)
        {
            if (broker != null)
            {
                list.add(broker);
            }
        }
    }

    static final class ListOffsets extends Request<OffsetResponse>
    {
        private static final int MAX_PARTITION_LENGTH = 17;
        private static final int TIMEOUT_MS = 30_000;

        private final Map<TopicAndPartition, PartitionOffsetRequestInfo> requested;
        private final Map<String, List<TopicAndPartition>> topics;

        ListOffsets(final String clientId, final Map<TopicAndPartition, PartitionOffsetRequestInfo> requested)
        {
            super(ApiKey.LIST_OFFSETS, ApiKey.LIST_OFFSETS.maxVersion(), clientId);
            this.requested = requested;
            topics = byTopic(requested.keySet());
        }

        @Override
        public int maxBodyLength()
        {
            return 4 * Integer.BYTES + maxLength(topics, MAX_PARTITION_LENGTH);
        }

        @Override
        public void write(final WireWriter writer, final int version)
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
                    writer.int64(requested.get(partition).time()).noTags();
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
        OffsetResponse decode(final RecordMemory memory, final int limit, final int version)
        {
            final ListOffsetsResponseFlyweight response = new ListOffsetsResponseFlyweight().wrap(
                memory.buffer(), ResponseHeader.LENGTH, limit, version);
            final Map<TopicAndPartition, PartitionOffsets> found = new LinkedHashMap<>();
            while (response.nextPartition())
            {
                final TopicAndPartition partition =
                    new TopicAndPartition(topic(response.topic()), response.partition());
                final PartitionOffsetRequestInfo info = requested.get(partition);
                if (info != null)
                {
                    final boolean isFound = response.partitionErrorCode() == ErrorCode.NONE &&
                        response.offset() >= 0 && info.maxNumOffsets() > 0;
                    found.put(partition, isFound ? new PartitionOffsets(ErrorCode.NONE, response.offset()) :
                        new PartitionOffsets(response.partitionErrorCode()));
                }
            }
            for (final TopicAndPartition partition : requested.keySet())
            {
                found.putIfAbsent(partition, new PartitionOffsets(ErrorCode.UNKNOWN_SERVER_ERROR));
            }
            return new OffsetResponse(found);
        }
    }

    static final class Fetch extends Request<Map<TopicAndPartition, MessageSets.Fetched>>
    {
        private static final int LAST_VERSION_BY_NAME = 12;
        /** The first batch may exceed this length, and the connection accepts twice as much. */
        private static final int MAX_BYTES = 1 << 27;
        private static final int MAX_PARTITION_LENGTH = 33;
        private static final int MAX_FIXED_LENGTH = 64;
        private static final int MAX_NAMED = 3;

        private final FetchRequest request;
        private final Map<TopicAndPartition, PartitionFetchInfo> requested;
        private final Map<String, List<TopicAndPartition>> topics;
        private final MessageSets sets;

        Fetch(final FetchRequest request, final MessageSets sets)
        {
            super(ApiKey.FETCH, LAST_VERSION_BY_NAME, request.clientId());
            this.request = request;
            this.sets = sets;
            requested = request.requestInfo();
            topics = byTopic(requested.keySet());
        }

        @Override
        public int maxBodyLength()
        {
            return MAX_FIXED_LENGTH + maxLength(topics, MAX_PARTITION_LENGTH);
        }

        @Override
        public void write(final WireWriter writer, final int version)
        {
            writer.int32(-1).int32(request.maxWait()).int32(request.minBytes())
                .int32(Math.min(request.maxBytes(), MAX_BYTES)).int8(FetchRequestEncoder.READ_UNCOMMITTED);
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
                    write(writer, version, partition.partition(), requested.get(partition));
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
        Map<TopicAndPartition, MessageSets.Fetched> decode(
            final RecordMemory memory, final int limit, final int version)
        {
            final FetchResponseFlyweight response = new FetchResponseFlyweight().wrap(
                memory.buffer(), ResponseHeader.LENGTH, limit, version);
            if (response.errorCode() != ErrorCode.NONE)
            {
                throw new KafkaException("The broker answered the fetch with " + ErrorCode.name(response.errorCode()));
            }
            final Map<TopicAndPartition, MessageSets.Fetched> found = new LinkedHashMap<>();
            while (response.nextPartition())
            {
                final TopicAndPartition partition = new TopicAndPartition(
                    topic(response.buffer(), response.topicIndex(), response.topicLength()), response.partition());
                final PartitionFetchInfo info = requested.get(partition);
                if (info != null)
                {
                    found.put(partition, sets.read(memory, response, info.offset()));
                }
            }
            final boolean isThrottled = response.throttleTimeMs() > 0 && found.isEmpty();
            requested.forEach((partition, info) ->
                found.putIfAbsent(partition, MessageSets.leftOut(info.offset(), isThrottled)));
            return found;
        }

        @Override
        public String toString()
        {
            final StringBuilder text = new StringBuilder(super.toString()).append(" of");
            int named = 0;
            for (final Map.Entry<TopicAndPartition, PartitionFetchInfo> entry : requested.entrySet())
            {
                if (named == MAX_NAMED)
                {
                    return text.append(" and ").append(requested.size() - named).append(" more").toString();
                }
                text.append(named == 0 ? " partition " : ", partition ").append(entry.getKey().partition())
                    .append(" of topic ").append(entry.getKey().topic())
                    .append(" at offset ").append(entry.getValue().offset());
                named++;
            }
            return text.toString();
        }
    }
}
