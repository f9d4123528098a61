// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What is done about each error code that a broker can answer to InitProducerId, and about one without that API. */
class ProducerIdErrorsTest
{
    /** The first partition exists, but has nothing open. */
    private static Publishing connect(final ProducingBroker broker)
    {
        final Publishing client = new Publishing(Publishing.context(broker.address()));
        client.workUntil(() -> client.topic().partitionCount() == 1);
        return client;
    }

    private static String sentence(final Errors error, final String end)
    {
        return "InitProducerId was answered with " + error + end;
    }

    /** A broker that fetches ids from its controller loads, which is not worth a report. */
    // Behaviour Q218.
    @ParameterizedTest
    @EnumSource(value = Errors.class, names = {"COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE",
        "NOT_COORDINATOR", "CONCURRENT_TRANSACTIONS", "NOT_CONTROLLER", "REQUEST_TIMED_OUT", "NETWORK_EXCEPTION",
        "THROTTLING_QUOTA_EXCEEDED", "UNKNOWN_SERVER_ERROR"})
    void shouldAskAgainAfterAnErrorThatMayPass(final Errors error)
    {
        try (ProducingBroker broker = ProducingBroker.start(1).id(-1, -1, error.code()).id(-1, -1, error.code());
            Publishing client = connect(broker))
        {
            client.offer(0, "a");
            client.acknowledge();

            assertEquals(List.of("acknowledged 0: 1+1"), client.events);
            assertEquals(3, broker.requestCount(ApiMessageType.INIT_PRODUCER_ID));
            assertEquals(error == Errors.COORDINATOR_LOAD_IN_PROGRESS ? List.of() :
                List.of(sentence(error, "; the publisher requests an id again.")), client.errors);
        }
    }

    /** It serves metadata from its cache, but is cut off from the controllers, from which it gets ids. */
    @Test
    void shouldAskAnotherBrokerIfOneHasNoIds()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); ProducingBroker other = broker.another(2))
        {
            for (int i = 0; i < 1_000; i++)
            {
                broker.id(-1, -1, Errors.COORDINATOR_LOAD_IN_PROGRESS.code());
            }
            broker.lead(0, 2);
            try (Publishing client = new Publishing(Publishing.context(broker.address()).retryBackoffMs(10, 20)))
            {
                client.publisher.topic(ProducingBroker.TOPIC);
                assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);
                client.offer(0, "a");
                client.acknowledge();

                assertEquals(1, other.idCount());
                assertEquals(0, broker.idCount());
            }
        }
    }

    // Behaviour Q218.
    @ParameterizedTest
    @EnumSource(value = Errors.class, names = {"CLUSTER_AUTHORIZATION_FAILED", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        "INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED", "INVALID_PRODUCER_ID_MAPPING", "INVALID_TXN_STATE",
        "INVALID_TRANSACTION_TIMEOUT", "TRANSACTIONAL_ID_NOT_FOUND", "TRANSACTION_COORDINATOR_FENCED",
        "TRANSACTION_ABORTABLE", "INVALID_REQUEST", "UNSUPPORTED_VERSION", "UNSUPPORTED_FOR_MESSAGE_FORMAT"})
    void shouldPublishNothingAfterAnyOtherError(final Errors error)
    {
        try (ProducingBroker broker = ProducingBroker.start(1).id(-1, -1, error.code()).id(-1, -1, error.code());
            Publishing client = connect(broker))
        {
            client.workUntil(() -> client.errors.size() == 1);
            client.offer(0, "a");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            assertEquals(List.of("failed 0: 1+1 NO_PRODUCER_ID " + error.code()), client.events);
            assertEquals(List.of(), broker.sent);
            assertEquals(1, client.errors.size());
            assertTrue(client.errors.get(0).startsWith(sentence(error, "")), client.errors::toString);
            assertTrue(client.errors.get(0).endsWith("; nothing is published."), client.errors::toString);

            client.topic().skipFailed(0);
            client.offer(0, "b");
            client.acknowledge();
            assertEquals(3, broker.requestCount(ApiMessageType.INIT_PRODUCER_ID));
        }
    }

    /** The operator has granted the ACL meanwhile. */
    @Test
    void shouldAskAgainForAnIdThatWasRefusedWhileItWaitsToBeReady()
    {
        try (ProducingBroker broker = ProducingBroker.start(1)
            .id(-1, -1, Errors.CLUSTER_AUTHORIZATION_FAILED.code()); Publishing client = connect(broker))
        {
            client.workUntil(() -> client.errors.size() == 1);
            assertTrue(client.publisher.describe().contains(
                "no producer id, last answer CLUSTER_AUTHORIZATION_FAILED"), client.publisher::describe);

            assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);

            assertEquals(2, broker.requestCount(ApiMessageType.INIT_PRODUCER_ID));
            assertTrue(client.publisher.describe().contains("\nproducer id "), client.publisher::describe);
        }
    }

    /** Another producer has the id, or the cluster has lost what it knew of ids. The other partition keeps its id. */
    @Test
    void shouldGoOnWithAnotherIdAfterTheBrokerKnowsALaterEpoch()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = Publishing.start(broker))
        {
            client.offer(1, "a");
            client.acknowledge();
            broker.answer(0, Errors.INVALID_PRODUCER_EPOCH.code());
            client.offer(0, "b");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));
            client.topic().skipFailed(0);
            client.offer(0, "c");
            client.acknowledge();
            client.offer(1, "d");
            client.acknowledge();

            assertEquals("failed 0: 1+1 REFUSED 47", client.events.get(1));
            assertEquals(List.of("1: 4711, epoch 0, sequence 0, count 1", "0: 4711, epoch 0, sequence 0, count 1",
                "0: 4712, epoch 0, sequence 0, count 1", "1: 4711, epoch 0, sequence 1, count 1"),
                broker.sent.stream().map(ProducingBroker.Sent::numbers).toList());
        }
    }

    @Test
    void shouldNotBeReadyWhereTheBrokerGivesNoIds()
    {
        try (ProducingBroker broker = ProducingBroker.start(1).withoutIds(); Publishing client = connect(broker))
        {
            client.workUntil(() -> !client.errors.isEmpty());
            assertFalse(client.publisher.awaitReady(100_000_000));

            assertEquals(List.of(sentence(Errors.UNSUPPORTED_VERSION, "; nothing is published.")), client.errors);
            assertTrue(client.publisher.describe().contains("no producer id, last answer UNSUPPORTED_VERSION"),
                client.publisher::describe);
        }
    }

    // Behaviour Q218.
    @Test
    void shouldPublishNothingWhereTheBrokerGivesNoIds()
    {
        try (ProducingBroker broker = ProducingBroker.start(1).withoutIds(); Publishing client = connect(broker))
        {
            for (int i = 1; i <= 2; i++)
            {
                client.offer(0, "a");
                assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));
                assertEquals("failed 0: " + i + "+1 NO_PRODUCER_ID " + Errors.UNSUPPORTED_VERSION.code(),
                    client.events.get(i - 1));
                client.topic().skipFailed(0);
            }

            assertEquals(List.of(sentence(Errors.UNSUPPORTED_VERSION, "; nothing is published.")), client.errors);
            assertEquals(0, broker.requestCount(ApiMessageType.INIT_PRODUCER_ID));
            assertEquals(List.of(), broker.sent);
        }
    }

    @Test
    void shouldNeedNoIdForAcksOfTheLeader()
    {
        try (ProducingBroker broker = ProducingBroker.start(1).withoutIds(); Publishing client = Publishing.start(
            Publishing.context(broker.address()).acks(Acks.LEADER), ProducingBroker.TOPIC))
        {
            client.offer(0, "a");
            client.acknowledge();

            assertEquals(List.of(), client.errors);
        }
    }
}
