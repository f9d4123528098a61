// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.harness.Answer;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Connections to leaders that fail, move or are more than expected. */
@Timeout(60)
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
                assertFalse(client.publisher.awaitReady(SHORT_NS), client.publisher::describe);
            }
        }
    }

    /** It accepts connections and answers nothing, as one that hangs, so that no attempt has failed yet. */
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
                assertTrue(client.counter(PublisherCounters.BUDGET_EXCEEDED_BYTES) > 0, client.publisher::describe);
            }
            try (Publishing client = Publishing.start(
                Publishing.context(broker.address()).expectedLeaders(2), ProducingBroker.TOPIC))
            {
                assertEquals(0, client.counter(PublisherCounters.BUDGET_EXCEEDED_BYTES), client.publisher::describe);
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
