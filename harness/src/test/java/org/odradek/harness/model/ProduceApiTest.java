// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** What {@link ProduceFidelityIT} cannot compare with one real broker: replicas, leaders and releases. */
class ProduceApiTest
{
    private static final short ACKS_ALL = -1;
    private static final short ACKS_LEADER = 1;
    private static final int TIMEOUT_MS = 100;

    private long nowNs;
    private final ModelCluster cluster = new ModelCluster(() -> nowNs).withProducers(2);
    private final ModelBroker broker = cluster.addBroker(1, "b1", 9092, BrokerRelease.NEWEST);
    private final ModelBroker other = cluster.addBroker(2, "b2", 9093, BrokerRelease.NEWEST);
    private final ModelPartition partition = cluster.createTopic("t", 1, 2).partition(0);
    private final ModelClient client = new ModelClient(broker);
    private final ModelClient ofOther = new ModelClient(other);

    private static ProduceRequestData request(final short acks, final int epoch, final int sequence)
    {
        final ProduceRequestData request = new ProduceRequestData().setAcks(acks).setTimeoutMs(TIMEOUT_MS);
        request.topicData().add(new TopicProduceData().setName("t").setPartitionData(List.of(
            new PartitionProduceData().setIndex(0).setRecords(MemoryRecords.withIdempotentRecords(
                Compression.NONE, 7, (short)epoch, sequence, new SimpleRecord(1, null, new byte[9]))))));
        return request;
    }

    private static PartitionProduceResponse answer(final ModelClient client)
    {
        final ProduceResponseData response = (ProduceResponseData)client.poll();
        return response == null ? null : response.responses().iterator().next().partitionResponses().get(0);
    }

    private static PartitionProduceResponse produce(
        final ModelClient client, final short acks, final int epoch, final int sequence)
    {
        return answer(client.send(ApiMessageType.PRODUCE, 12, request(acks, epoch, sequence)));
    }

    private static void assertError(final Errors expected, final PartitionProduceResponse answer)
    {
        assertEquals(expected, Errors.forCode(answer.errorCode()));
    }

    @Test
    void shouldNameTheLeader()
    {
        partition.elect(2);

        client.send(ApiMessageType.PRODUCE, 12, request(ACKS_ALL, 0, 0));
        final ProduceResponseData response = (ProduceResponseData)client.poll();

        final PartitionProduceResponse answer = response.responses().iterator().next().partitionResponses().get(0);
        assertError(Errors.NOT_LEADER_OR_FOLLOWER, answer);
        assertEquals(2, answer.currentLeader().leaderId());
        assertEquals(1, answer.currentLeader().leaderEpoch());
        assertEquals(9093, response.nodeEndpoints().find(2).port());
    }

    @Test
    void shouldWaitForTheReplicas()
    {
        partition.log().holdHighWatermark(true);
        assertNull(produce(client, ACKS_ALL, 0, 0));
        partition.log().holdHighWatermark(false);
        assertError(Errors.NONE, answer(client));

        partition.log().holdHighWatermark(true);
        assertNull(produce(client, ACKS_ALL, 0, 1));
        nowNs += TIMEOUT_MS * 1_000_000L;
        assertError(Errors.REQUEST_TIMED_OUT, answer(client));

        assertNull(produce(client, ACKS_ALL, 0, 1));
        other.stop();
        partition.log().holdHighWatermark(false);
        assertError(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, answer(client));
        assertError(Errors.NOT_ENOUGH_REPLICAS, produce(client, ACKS_ALL, 0, 1));
        other.start(BrokerRelease.NEWEST);
        assertEquals(1, produce(client, ACKS_ALL, 0, 1).baseOffset());
        assertEquals(2, partition.log().endOffset());
    }

    @Test
    void shouldMoveWhatIsKnownOfProducersWithTheLog()
    {
        produce(client, ACKS_LEADER, 0, 0);
        produce(client, ACKS_LEADER, 0, 1);
        produce(client, ACKS_LEADER, 0, 2);

        partition.electUncleanly(2, 1);

        assertError(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, produce(ofOther, ACKS_LEADER, 0, 2));
        assertEquals(0, produce(ofOther, ACKS_LEADER, 0, 0).baseOffset());
        assertEquals(1, produce(ofOther, ACKS_LEADER, 0, 1).baseOffset());
        assertEquals(2, partition.log().endOffset());
    }

    @Test
    void shouldLoseWhatAFormerLeaderAppends()
    {
        broker.stale(true);
        partition.elect(2);

        assertError(Errors.NONE, produce(client, ACKS_LEADER, 0, 0));
        assertEquals(0, partition.log().endOffset());
        assertNull(produce(client, ACKS_ALL, 0, 0));
        broker.stale(false);
        assertError(Errors.NOT_LEADER_OR_FOLLOWER, answer(client));
    }

    @Test
    void shouldKnowProducersAsTheReleaseDoes()
    {
        for (final BrokerRelease release : BrokerRelease.ALL)
        {
            broker.start(release);
            final ModelPartition fresh = cluster.createTopic("t", 1, 1).partition(0);
            final ModelClient ofRelease = new ModelClient(broker);
            final Errors unknown = release.isBefore(1, 0) ? Errors.OUT_OF_ORDER_SEQUENCE_NUMBER :
                release.isBefore(2, 5) ? Errors.UNKNOWN_PRODUCER_ID : Errors.NONE;
            final PartitionProduceResponse first = answer(
                ofRelease.send(ApiMessageType.PRODUCE, 3, request(ACKS_ALL, 0, 5)));
            assertNotNull(first);
            assertError(unknown, first);
            assertEquals(unknown == Errors.NONE ? 1 : 0, fresh.log().endOffset(), release::toString);
        }
    }
}
