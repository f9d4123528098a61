// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.security;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.security.FaultyMechanism;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;
import org.odradek.harness.model.ModelSasl;
import org.odradek.harness.model.ModelTopic;
import org.odradek.harness.tls.Fault;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Authenticates a consumer and renews its sessions. Each time another step of the mechanism throws. Whatever is thrown,
 * no poll throws it, nothing more of the exchange is called or sent, and the consumer reads on later.
 */
class MechanismFaultsTest
{
    private static final String TOPIC = "secured";
    private static final String USER = "alice";
    private static final String PASSWORD = "canary-password";
    private static final Set<String> STEPS = Set.of("before begin", "after begin", "before respond", "after respond",
        "before isComplete", "after isComplete", "close");
    private static final int FURTHER_POLLS = 50;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long SESSION_NS = TimeUnit.MINUTES.toNanos(1);
    /** Sessions are renewed after 95 % of their time at most. */
    private static final long RENEWAL_NS = SESSION_NS / 100 * 96;
    /** Longer than a broker is left alone that has refused to authenticate. */
    private static final long REFUSED_NS = TimeUnit.SECONDS.toNanos(20);

    private final Fault fault = new Fault();
    private final FaultyMechanism mechanism =
        new FaultyMechanism(PlainMechanism.plain(USER, PASSWORD.toCharArray()), fault);
    private final AtomicLong skippedNs = new AtomicLong();
    private final ModelSasl sasl = new ModelSasl(USER, PASSWORD, TimeUnit.NANOSECONDS.toMillis(SESSION_NS));
    private final List<Throwable> thrown = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private ModelPeer peer;
    private ModelTopic topic;
    private TopicConsumer consumer;
    private int produced;
    private int delivered;

    @BeforeEach
    void start()
    {
        final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
        cluster.sasl(sasl);
        peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST);
        peer.change(() -> topic = cluster.createTopic(TOPIC, 1, 1));
        produce();
    }

    @AfterEach
    void close()
    {
        peer.close();
    }

    private static Stream<Throwable> throwables()
    {
        return Stream.of(new IOException("canary"), new IllegalStateException("canary"), new StackOverflowError(),
            new AssertionError("canary"), new NoClassDefFoundError("canary"), new OutOfMemoryError("canary"));
    }

    private void produce()
    {
        peer.change(() -> topic.partition(0).log().append(BatchTemplate.ofValues("a")));
        produced++;
    }

    private void connect()
    {
        thrown.clear();
        mechanism.forbidden().clear();
        errors.clear();
        delivered = 0;
        consumer = TopicConsumer.connect(Reading.context(peer.address(), TOPIC)
            .errorHandler((error) -> errors.add(error.getMessage()))
            .nanoClock(() -> System.nanoTime() + skippedNs.get())
            .security(SecuritySettings.sasl(mechanism).withoutTls()));
    }

    private void poll()
    {
        try
        {
            consumer.poll((record) -> delivered++, 10);
        }
        catch (final Throwable ex)
        {
            thrown.add(ex);
        }
    }

    private void pollUntil(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(deadlineNs - System.nanoTime() > 0, () -> fault.steps() + " " + thrown + consumer.describe());
            poll();
        }
    }

    private void expireSessions()
    {
        skippedNs.addAndGet(RENEWAL_NS);
        produce();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void shouldFailTheExchangeWhateverIsThrownAtWhicheverStep(final Throwable toThrow)
    {
        for (final String step : STEPS)
        {
            fault.arm(step, 1, toThrow);
            connect();
            goOn(toThrow, step);
        }
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void shouldFailARenewalWhateverIsThrownAtWhicheverStep(final Throwable toThrow)
    {
        for (final String step : STEPS)
        {
            fault.reset();
            connect();
            pollUntil(() -> delivered == produced);
            assertEquals(STEPS, Set.copyOf(fault.steps()));
            fault.arm(step, 1, toThrow);
            expireSessions();
            goOn(toThrow, step);
        }
    }

    /** The broker refuses the password, and the mechanism throws when it is asked for a reason. */
    @ParameterizedTest
    @MethodSource("throwables")
    void shouldFailTheExchangeWhateverIsThrownForTheReasonOfARefusal(final Throwable toThrow)
    {
        fault.arm("hint", 1, toThrow);
        sasl.password("other");
        connect();
        goOn(toThrow, "hint");
    }

    /** Polls until the step throws, and further; then the consumer has to read on. */
    private void goOn(final Throwable toThrow, final String step)
    {
        pollUntil(() -> fault.thrown() > 0);
        for (int i = 0; i < FURTHER_POLLS; i++)
        {
            poll();
        }
        final String what = step + " throws " + toThrow;
        assertEquals(toThrow instanceof OutOfMemoryError ? List.of(toThrow) : List.of(), thrown, what);
        assertEquals(List.of(), mechanism.forbidden(), what);
        // An IOException during a renewal is the loss of a connection.
        assertTrue(toThrow instanceof OutOfMemoryError || !errors.isEmpty() || consumer.counters().get(
            toThrow instanceof IOException ?
                ConsumerCounters.CONNECTIONS_LOST : ConsumerCounters.AUTHENTICATION_FAILURES) > 0, what);
        assertTrue(peer.requestCount(ApiMessageType.SASL_AUTHENTICATE) <= mechanism.responses(), what);

        sasl.password(PASSWORD);
        thrown.clear();
        skippedNs.addAndGet(REFUSED_NS);
        produce();
        pollUntil(() -> delivered == produced);
        assertEquals(List.of(), thrown, what);
        consumer.close();
    }
}
