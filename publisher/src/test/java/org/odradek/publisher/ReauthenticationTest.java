// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.Test;
import org.odradek.client.AuthenticationException;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.harness.model.BrokerHooks;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelBroker;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelRequest;
import org.odradek.harness.model.ModelSasl;
import org.odradek.publisher.ManualPoller.Passed;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A broker refuses a password, and a session of SASL ends while a request is in flight. The time is that of {@link
 * ManualPoller}.
 */
class ReauthenticationTest
{
    private static final String PRODUCE = ApiMessageType.PRODUCE.name();
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int SESSION_SECONDS = 60;
    /** Before the earliest renewal, which is after 0.85 of a session. */
    private static final int OFFER_SECONDS = 50;
    /** Until after the latest renewal, which is after 0.95 of a session, and before its end. */
    private static final int HELD_SECONDS = 9;
    private static final long LATEST_RENEWAL_NS = 57 * SECOND;

    private final ModelCluster cluster = new ModelCluster(this::nowNs).withProducers(1);
    private final ModelBroker broker = cluster.addBroker(1, "127.0.0.1", 9092, BrokerRelease.NEWEST);
    private final ModelSasl sasl = new ModelSasl("alice", "secret", TimeUnit.SECONDS.toMillis(SESSION_SECONDS));
    private final ManualPoller poller = new ManualPoller(broker, null, SECOND);
    private final List<String> problems = new ArrayList<>();
    private long heldNs;

    private long nowNs()
    {
        return poller == null ? 0 : poller.nanoTime();
    }

    private Publisher connect()
    {
        cluster.sasl(sasl);
        cluster.createTopic("t", 1, 1);
        cluster.hooks(new BrokerHooks()
        {
            @Override
            public void onRequest(final ModelRequest request)
            {
                if (request.type() == ApiMessageType.PRODUCE)
                {
                    request.delayResponse(heldNs);
                }
            }
        });
        return Publisher.connect(new PublisherContext().bootstrapServers("127.0.0.1:9092")
            .security(SecuritySettings.sasl(PlainMechanism.plain("alice", "secret".toCharArray())).withoutTls())
            .poller(poller).nanoClock(poller).sendIntervalUs(0)
            .errorHandler((error) -> problems.add(error.getMessage()))
            .listener(new PublisherListener()
            {
                @Override
                public void onConnectionLost(final int nodeId, final String address, final String reason)
                {
                    problems.add(reason);
                }
            }));
    }

    private static void offer(final TopicPublisher topic)
    {
        assertTrue(topic.offer(
            0, null, 0, TopicPublisher.NULL_LENGTH, new UnsafeBuffer(new byte[5]), 0, 5) > 0);
    }

    private void workUntil(final Publisher publisher, final long endNs)
    {
        while (nowNs() < endNs)
        {
            publisher.doWork();
            poller.await(Math.max(1, Math.min(publisher.nextDeadlineNs(), endNs) - nowNs()));
        }
    }

    // Behaviour B29.
    @Test
    void shouldThrowFromAwaitReadyWhenABrokerRefusesThePassword()
    {
        try (Publisher publisher = connect())
        {
            publisher.topic("t");
            sasl.password("another");
            final long startNs = nowNs();
            for (int i = 0; i < 2; i++)
            {
                final AuthenticationException refusal =
                    assertThrows(AuthenticationException.class, () -> publisher.awaitReady(SESSION_SECONDS * SECOND));
                assertTrue(problems.contains(refusal.getMessage()), () -> refusal + " is not in " + problems);
            }
            assertTrue(nowNs() - startNs < SESSION_SECONDS * SECOND, "the waits lasted until their ends");

            sasl.password("secret");
            assertTrue(publisher.awaitReady(SESSION_SECONDS * SECOND), publisher::describe);
        }
    }

    // Behaviour Q230, tried 2026-11-29: Shortly before a SASL session ends, the connection sends no further request.
    // After the response to the request in flight, the connection authenticates again and continues.
    @Test
    void shouldAuthenticateAgainBetweenAnAnswerAndTheNextRequest()
    {
        try (Publisher publisher = connect())
        {
            final TopicPublisher topic = publisher.topic("t");
            assertTrue(publisher.awaitReady(SECOND), publisher::describe);
            final long readyNs = nowNs();
            workUntil(publisher, readyNs + OFFER_SECONDS * SECOND);
            poller.passed.clear();
            heldNs = HELD_SECONDS * SECOND;
            offer(topic);
            publisher.doWork();
            heldNs = 0;
            // It is ready when the first one is answered.
            offer(topic);
            assertTrue(publisher.awaitAcknowledged(SESSION_SECONDS * SECOND), publisher::describe);

            final int socket =
                poller.passed.stream().filter((one) -> one.what().equals(PRODUCE)).findFirst().orElseThrow().socket();
            final List<Passed> passed = poller.passed.stream().filter((one) -> one.socket() == socket).toList();
            assertEquals(List.of(PRODUCE, ManualPoller.ANSWER, "SASL_HANDSHAKE", ManualPoller.ANSWER,
                "SASL_AUTHENTICATE", ManualPoller.ANSWER, PRODUCE, ManualPoller.ANSWER),
                passed.stream().map(Passed::what).toList());
            assertTrue(passed.get(1).atNs() > readyNs + LATEST_RENEWAL_NS, "the renewal was due during the request");
            assertEquals(2, topic.acknowledgedPosition(0));
            assertEquals(List.of(), problems);
        }
    }
}
