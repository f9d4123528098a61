// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ProduceResponseData;
import org.junit.jupiter.api.Test;
import org.odradek.client.ClientCounters;
import org.odradek.harness.Answer;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;
import org.odradek.protocol.ErrorCode;
import org.odradek.testkit.TcpProxy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Connections to leaders that fail, move or are more than expected. */
class ConnectionsTest
{
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Nothing was offered, so that no batch asks for a leader. */
    @Test
    void shouldAskWhoLeadsWhileALeaderCannotBeReached()
    {
        try (ProducingBroker broker = ProducingBroker.start(1))
        {
            final ProducingBroker dead = broker.another(2);
            dead.close();
            broker.lead(0, 2);
            try (Publishing client = new Publishing(Publishing.context(broker.address())))
            {
                client.publisher.topic(ProducingBroker.TOPIC);
                client.workUntil(() -> client.publisher.describe().contains(" failures, last: "));
                broker.lead(0, ProducingBroker.NODE_ID);

                assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);
            }
        }
    }

    /** What is offered to its partition waits for it. */
    // Behaviour Q225.
    @Test
    void shouldBeReadyAlthoughALeaderCannotBeReached()
    {
        try (ProducingBroker broker = ProducingBroker.start(2))
        {
            final ProducingBroker dead = broker.another(2);
            dead.close();
            broker.lead(1, 2);
            try (Publishing client = new Publishing(Publishing.context(broker.address())))
            {
                client.publisher.topic(ProducingBroker.TOPIC);
                assertTrue(client.publisher.awaitReady(Long.MAX_VALUE / 2), client.publisher::describe);
                client.offer(0, "a");
                client.offer(1, "b");
                client.workUntil(() -> client.topic().acknowledgedPosition(0) == 1);
                broker.lead(1, ProducingBroker.NODE_ID);
                client.acknowledge();
            }
            broker.lead(0, 2);
            broker.lead(1, 2);
            try (Publishing client = new Publishing(Publishing.context(broker.address())))
            {
                client.publisher.topic(ProducingBroker.TOPIC);
                client.workUntil(() -> client.publisher.describe().contains(" failures, last: "));
                assertFalse(client.publisher.awaitReady(SHORT_NS), client.publisher::describe);
            }
        }
    }

    /** It accepts connections and answers nothing, as one that hangs, so that no attempt has failed yet. */
    // Behaviour Q225.
    @Test
    void shouldBeReadyAfterItsTimeAlthoughALeaderDoesNotAnswer()
    {
        try (ProducingBroker broker = ProducingBroker.start(2);
            ModelPeer silent = ModelPeer.start(broker.cluster(), 2, BrokerRelease.NEWEST))
        {
            silent.script(ApiMessageType.API_VERSIONS, (call) -> Answer.never());
            broker.lead(1, 2);
            try (Publishing client = new Publishing(Publishing.context(broker.address())))
            {
                client.publisher.topic(ProducingBroker.TOPIC);
                client.workUntil(() -> client.publisher.awaitReady(SHORT_NS));
                client.offer(0, "a");
                client.workUntil(() -> client.topic().acknowledgedPosition(0) == 1);
            }
        }
    }

    /** Each answers with a newer epoch, so that neither seems to lag. The clock stands still: no backoff ends. */
    // Behaviour Q218, tried 2026-11-29: Each error code of Produce and of InitProducerId has an action. With acks all,
    // nothing is published if a broker does not support InitProducerId. If two brokers name each other as the leader, a
    // batch is sent to each of them once, and again only after a backoff.
    @Test
    void shouldFollowOnlyOneOfTwoBrokersThatNameEachOther()
    {
        final long[] offsetNs = {0};
        final boolean[] isStill = {false};
        try (ProducingBroker broker = ProducingBroker.start(1); ProducingBroker other = broker.another(2);
            Publishing client = Publishing.start(Publishing.context(broker.address())
                .nanoClock(() -> isStill[0] ? offsetNs[0] : System.nanoTime()), ProducingBroker.TOPIC))
        {
            final AtomicInteger epoch = new AtomicInteger(1_000);
            broker.always(naming(other.port(), 2, epoch));
            other.always(naming(broker.port(), ProducingBroker.NODE_ID, epoch));
            client.offer(0, "a");
            client.workUntil(() -> !other.sent.isEmpty() && broker.sent.size() > 1);
            broker.always(null);
            other.always(null);
            client.acknowledge();
            offsetNs[0] = System.nanoTime();
            isStill[0] = true;
            final int before = broker.sent.size() + other.sent.size();
            broker.always(naming(other.port(), 2, epoch));
            other.always(naming(broker.port(), ProducingBroker.NODE_ID, epoch));
            client.offer(0, "b");
            client.workUntil(() -> broker.sent.size() + other.sent.size() == before + 2);
            for (int i = 0; i < 2_000; i++)
            {
                client.publisher.doWork();
                LockSupport.parkNanos(100_000);
            }

            assertEquals(before + 2, broker.sent.size() + other.sent.size());
        }
    }

    @Test
    void shouldConnectToTheNewAddressOfTheSameLeader()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            TcpProxy moved = TcpProxy.to(TcpProxy.HOST, broker.port());
            Publishing client = Publishing.start(broker))
        {
            // Metadata would name the address before.
            broker.isSilent = true;
            broker.script(naming(moved.port(), ProducingBroker.NODE_ID, new AtomicInteger(1_000)));
            client.offer(0, "a");
            client.acknowledge();

            assertEquals(2, broker.sent.size());
            assertEquals(1, moved.acceptedCount());
        }
    }

    @Test
    void shouldSendAtOnceToALeaderThatMetadataNamesBeforeTheAnswerIsLost()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); ProducingBroker other = broker.another(2);
            Publishing client = Publishing.start(Publishing.context(broker.address())
                .retryBackoffMs(600_000, 600_000).metadataMaxAgeMs(200), ProducingBroker.TOPIC))
        {
            broker.script((call, response) -> Answer.never());
            client.offer(0, "a");
            client.workUntil(() -> broker.sent.size() == 1);
            broker.lead(0, 2);
            client.workUntil(() -> client.publisher.describe().contains("leader 2"));
            assertEquals(List.of(), other.sent);

            broker.closeConnections();
            client.acknowledge();

            assertEquals(1, other.sent.size());
        }
    }

    private static BiFunction<ModelPeer.Call, ProduceResponseData, Answer> naming(
        final int port, final int nodeId, final AtomicInteger epoch)
    {
        return (call, response) ->
        {
            response.responses().forEach((topic) -> topic.partitionResponses().get(0)
                .setErrorCode(ErrorCode.NOT_LEADER_OR_FOLLOWER).setBaseOffset(-1)
                .setCurrentLeader(new ProduceResponseData.LeaderIdAndEpoch().setLeaderId(nodeId)
                .setLeaderEpoch(epoch.incrementAndGet())));
            response.nodeEndpoints().add(new ProduceResponseData.NodeEndpoint().setNodeId(nodeId).setHost("127.0.0.1")
                .setPort(port));
            return call.answer(response);
        };
    }

    @Test
    void shouldCountTheMemoryOfMoreLeadersThanExpected()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); ProducingBroker other = broker.another(2))
        {
            broker.lead(1, 2);
            try (Publishing client = Publishing.start(
                Publishing.context(broker.address()).expectedLeaders(1), ProducingBroker.TOPIC))
            {
                assertTrue(other.acceptedCount() > 0);
                assertTrue(client.counter(ClientCounters.BUDGET_EXCEEDED_BYTES) > 0, client.publisher::describe);
            }
            try (Publishing client = Publishing.start(
                Publishing.context(broker.address()).expectedLeaders(2), ProducingBroker.TOPIC))
            {
                assertEquals(0, client.counter(ClientCounters.BUDGET_EXCEEDED_BYTES), client.publisher::describe);
            }
        }
    }

    /** The broker closes each connection at its first request. The user of a publisher has no consumer's settings. */
    @Test
    void shouldNameNoSettingOfAConsumerWhereABrokerExpectsSasl()
    {
        final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
        try (ModelPeer peer = ModelPeer.start(cluster, ProducingBroker.NODE_ID, BrokerRelease.NEWEST);
            Publishing client = new Publishing(Publishing.context(peer.address())))
        {
            peer.script(ApiMessageType.METADATA, (call) -> Answer.close());
            client.publisher.topic(ProducingBroker.TOPIC);
            client.workUntil(() -> !client.errors.isEmpty());

            assertTrue(client.errors.get(0).contains("expects SASL does (the setting security)"),
                client.errors::toString);
            assertFalse(client.errors.get(0).contains("Consumer"), client.errors::toString);
        }
    }
}
