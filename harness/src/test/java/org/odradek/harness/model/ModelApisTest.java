// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.odradek.harness.Answer;
import org.odradek.testkit.Await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ModelApisTest
{
    private static final String TOPIC = "t";
    private static final List<ApiMessageType> TYPES = List.of(ApiMessageType.FETCH, ApiMessageType.LIST_OFFSETS,
        ApiMessageType.METADATA, ApiMessageType.OFFSET_COMMIT, ApiMessageType.OFFSET_FETCH,
        ApiMessageType.FIND_COORDINATOR, ApiMessageType.API_VERSIONS, ApiMessageType.OFFSET_FOR_LEADER_EPOCH,
        ApiMessageType.JOIN_GROUP, ApiMessageType.SYNC_GROUP, ApiMessageType.HEARTBEAT, ApiMessageType.LEAVE_GROUP);

    private final ModelCluster cluster = new ModelCluster(() -> 0).withGroups(Map.of());
    private final ModelBroker broker = cluster.addBroker(1, "b1", 9092, BrokerRelease.NEWEST);
    private final ModelBroker other = cluster.addBroker(2, "b2", 9093, BrokerRelease.NEWEST);
    private final ModelTopic topic = cluster.createTopic(TOPIC, 1, 2);
    private final ModelLog log = topic.partition(0).log();
    private final ModelClient client = new ModelClient(broker);

    @Test
    void shouldDescribeBrokersAndTopics()
    {
        other.registered(false);

        final MetadataResponseData response = metadata("t", "unknown", "not/valid");

        assertEquals(1, response.brokers().size());
        final MetadataResponsePartition partition = response.topics().find(TOPIC).partitions().get(0);
        assertEquals(List.of(1, 2), partition.replicaNodes());
        assertEquals(List.of(2), partition.offlineReplicas());
        assertEquals(topic.id(), response.topics().find(TOPIC).topicId());
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), response.topics().find("unknown").errorCode());
        assertEquals(Errors.INVALID_TOPIC_EXCEPTION.code(), response.topics().find("not/valid").errorCode());

        topic.partition(0).elect(ModelPartition.NO_LEADER);
        final MetadataResponseTopic leaderless = metadata("t").topics().find(TOPIC);
        assertEquals(Errors.LEADER_NOT_AVAILABLE.code(), leaderless.partitions().get(0).errorCode());
        assertEquals(1, leaderless.partitions().get(0).leaderEpoch());
    }

    @Test
    void shouldListOffsets()
    {
        log.append(BatchTemplate.ofValues("a", "b"), 1_000);
        log.deleteBefore(1);
        log.appendTransactional(BatchTemplate.ofValues("c"), 5_000, 7, (short)0);

        assertEquals(1, listed(-2, 0).offset());
        assertEquals(3, listed(-1, 0).offset());
        assertEquals(2, listed(-1, 1).offset());
        assertEquals(1, listed(0, 0).offset());
        assertEquals(2_001, listed(0, 0).timestamp());
        assertEquals(2, listed(-3, 0).offset());
        assertEquals(-1, listed(9_000, 0).offset());
        assertEquals(Errors.UNSUPPORTED_VERSION.code(), listed(-9, 0).errorCode());

        log.holdHighWatermark(true);
        log.append(BatchTemplate.ofValues("d"));
        topic.partition(0).elect(1);
        assertEquals(Errors.OFFSET_NOT_AVAILABLE.code(), listed(-1, 0).errorCode());
        topic.partition(0).elect(2);
        assertEquals(Errors.NOT_LEADER_OR_FOLLOWER.code(), listed(-1, 0).errorCode());
    }

    @Test
    void shouldReturnEndsOfEpochs()
    {
        log.append(BatchTemplate.ofValues("a", "b"));
        topic.partition(0).elect(1, 4);
        log.append(BatchTemplate.ofValues("c"));

        assertEquals(new EpochEndOffset().setLeaderEpoch(0).setEndOffset(2), end(2, 4));
        assertEquals(new EpochEndOffset().setLeaderEpoch(4).setEndOffset(3), end(4, -1));
        assertEquals(new EpochEndOffset().setLeaderEpoch(-1).setEndOffset(-1), end(5, 4));
        assertEquals(Errors.FENCED_LEADER_EPOCH.code(), end(2, 3).errorCode());
        assertEquals(Errors.UNKNOWN_LEADER_EPOCH.code(), end(2, 5).errorCode());
    }

    @Test
    void shouldKeepOffsetsAtTheCoordinatorOnly()
    {
        for (int version = 2; version <= 10; version++)
        {
            assertEquals(0, commit(version, version));
            assertEquals(version, cluster.groupOffsets().committed("g").get(new TopicPartition(TOPIC, 0)).offset());
        }
        final OffsetFetchResponseData all = (OffsetFetchResponseData)client.send(ApiMessageType.OFFSET_FETCH,
            new OffsetFetchRequestData().setGroups(List.of(
                new OffsetFetchRequestGroup().setGroupId("g").setTopics(null)))).poll();
        assertEquals(10, all.groups().get(0).topics().get(0).partitions().get(0).committedOffset());

        cluster.coordinator(2);
        assertEquals(Errors.NOT_COORDINATOR.code(), commit(9, 99));
        final OffsetFetchResponseData moved = (OffsetFetchResponseData)client.send(ApiMessageType.OFFSET_FETCH, 7,
            new OffsetFetchRequestData().setGroupId("g").setTopics(null)).poll();
        assertEquals(Errors.NOT_COORDINATOR.code(), moved.errorCode());
        final FindCoordinatorResponseData found = (FindCoordinatorResponseData)client.send(
            ApiMessageType.FIND_COORDINATOR, new FindCoordinatorRequestData().setCoordinatorKeys(List.of("g"))).poll();
        assertEquals(9093, found.coordinators().get(0).port());
    }

    @Test
    void shouldSupportTheVersionsOfEachRelease()
    {
        assertEquals(27, BrokerRelease.ALL.size());
        // ApiKeys.latestVersion() of kafka-clients 0.11.0.3, 1.0.2, ..., in the order of TYPES
        assertEquals(List.of(5, 2, 4, 3, 3, 1, 1, 0, 2, 1, 1, 1), versions(0, 11));
        assertEquals(List.of(6, 2, 5, 3, 3, 1, 1, 0, 2, 1, 1, 1), versions(1, 0));
        assertEquals(List.of(7, 2, 5, 3, 3, 1, 1, 0, 2, 1, 1, 1), versions(1, 1));
        assertEquals(List.of(8, 3, 6, 4, 4, 2, 2, 1, 3, 2, 2, 2), versions(2, 0));
        assertEquals(List.of(10, 4, 7, 6, 5, 2, 2, 2, 3, 2, 2, 2), versions(2, 1));
        assertEquals(List.of(11, 5, 9, 8, 6, 3, 3, 3, 6, 4, 4, 4), versions(2, 4));
        assertEquals(List.of(12, 6, 11, 8, 7, 3, 3, 4, 7, 5, 4, 4), versions(2, 8));
        assertEquals(List.of(13, 7, 12, 8, 8, 4, 3, 4, 9, 5, 4, 5), versions(3, 3));
        assertEquals(List.of(17, 9, 12, 9, 9, 6, 4, 4, 9, 5, 4, 5), versions(3, 9));
        assertEquals(List.of(17, 10, 13, 9, 9, 6, 4, 4, 9, 5, 4, 5), versions(4, 0));
        assertEquals(List.of(18, 11, 13, 10, 10, 6, 4, 4, 9, 5, 4, 5), versions(4, 2));
        broker.start(BrokerRelease.NEWEST);
        for (final ApiMessageType type : TYPES)
        {
            assertEquals(type.highestSupportedVersion(false), broker.versions().max(type), type.toString());
            assertEquals(type.lowestSupportedVersion(), broker.versions().min(type), type.toString());
        }
    }

    @Test
    void shouldServeRealConsumersOverSocket()
    {
        final ModelCluster served = new ModelCluster(ModelPeer.clock());
        try (ModelPeer peer = ModelPeer.start(served, 1, BrokerRelease.NEWEST))
        {
            served.createTopic(TOPIC, 1, 1);
            peer.script(ApiMessageType.LIST_OFFSETS, (call) ->
                peer.requestCount(ApiMessageType.LIST_OFFSETS) == 1 ? Answer.reset() : null);
            try (Consumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", peer.address(), "fetch.max.wait.ms", 50, "retry.backoff.ms", 20),
                new StringDeserializer(), new StringDeserializer()))
            {
                final List<TopicPartition> partitions = List.of(new TopicPartition(TOPIC, 0));
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
                Await.until("a fetch", () -> consumer.poll(Duration.ZERO).isEmpty() && peer.fetchCount(0) > 0);
                peer.change(() -> served.topic(TOPIC).partition(0).log().append(BatchTemplate.ofValues("a", "b")));
                final List<String> values = new ArrayList<>();
                Await.until("two records", () ->
                {
                    consumer.poll(Duration.ofMillis(100)).forEach((record) -> values.add(record.value()));
                    return values.size() >= 2;
                });
                assertEquals(List.of("a", "b"), values);
            }
            assertTrue(peer.requestCount(ApiMessageType.LIST_OFFSETS) >= 2);
        }
    }

    private List<Integer> versions(final int major, final int minor)
    {
        broker.start(new BrokerRelease(major, minor));
        return TYPES.stream().map(broker.versions()::max).toList();
    }

    private MetadataResponseData metadata(final String... names)
    {
        final MetadataRequestData request = new MetadataRequestData();
        for (final String name : names)
        {
            request.topics().add(new MetadataRequestTopic().setName(name));
        }
        return (MetadataResponseData)client.send(ApiMessageType.METADATA, request).poll();
    }

    private ListOffsetsPartitionResponse listed(final long timestamp, final int isolation)
    {
        final ListOffsetsTopic listed = new ListOffsetsTopic().setName(TOPIC);
        listed.partitions().add(new ListOffsetsPartition().setTimestamp(timestamp).setCurrentLeaderEpoch(-1));
        return ((ListOffsetsResponseData)client.send(ApiMessageType.LIST_OFFSETS, new ListOffsetsRequestData()
            .setIsolationLevel((byte)isolation).setTopics(List.of(listed))).poll()).topics().get(0).partitions().get(0);
    }

    private EpochEndOffset end(final int epoch, final int currentLeaderEpoch)
    {
        final OffsetForLeaderTopic asked = new OffsetForLeaderTopic().setTopic(TOPIC);
        asked.partitions().add(
            new OffsetForLeaderPartition().setLeaderEpoch(epoch).setCurrentLeaderEpoch(currentLeaderEpoch));
        final OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData().setReplicaId(-1);
        request.topics().add(asked);
        return ((OffsetForLeaderEpochResponseData)client.send(ApiMessageType.OFFSET_FOR_LEADER_EPOCH, request).poll())
            .topics().find(TOPIC).partitions().get(0);
    }

    private int commit(final int version, final long offset)
    {
        final OffsetCommitRequestTopic committed = new OffsetCommitRequestTopic().setName(TOPIC).setTopicId(topic.id());
        committed.partitions().add(new OffsetCommitRequestPartition().setCommittedOffset(offset));
        return ((OffsetCommitResponseData)client.send(ApiMessageType.OFFSET_COMMIT, version,
            new OffsetCommitRequestData().setGroupId("g").setTopics(List.of(committed))).poll())
            .topics().get(0).partitions().get(0).errorCode();
    }
}
