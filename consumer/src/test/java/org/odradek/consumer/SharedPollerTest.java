// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.net.Pollers;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;
import org.odradek.testkit.Await;

import java.lang.management.ManagementFactory;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests two consumers of one thread on one poller, one of which waits while the other has something to read. */
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class SharedPollerTest
{
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long WAIT_NS = SECOND_NS;
    /** Longer than the test may take. */
    private static final long FAR_NS = 600 * SECOND_NS;
    private static final int FAR_MS = 600_000;

    private final Poller poller;
    private final OneTopicBroker broker = OneTopicBroker.start(1);
    private final OneTopicBroker otherBroker = OneTopicBroker.start(1);
    private TopicConsumer consumer;
    private TopicConsumer other;

    SharedPollerTest(final TransportType transport)
    {
        poller = Pollers.open(transport);
    }

    @AfterEach
    void close()
    {
        if (consumer != null)
        {
            consumer.close();
        }
        if (other != null)
        {
            other.close();
        }
        poller.close();
        broker.close();
        otherBroker.close();
    }

    private TopicConsumer connect(final OneTopicBroker to, final int fetchMaxWaitMs)
    {
        return TopicConsumer.connect(Reading.context(to).poller(poller)
            .fetchMaxWaitMs(fetchMaxWaitMs).requestTimeoutMs(2 * FAR_MS));
    }

    /** Connects both; the other one has a fetch in flight, which a record ends, or the time. */
    private void connectBoth(final int otherMaxWaitMs)
    {
        consumer = connect(broker, FAR_MS);
        awaitFetch(consumer, broker);
        other = connect(otherBroker, otherMaxWaitMs);
        awaitFetch(other, otherBroker);
    }

    private static void awaitFetch(final TopicConsumer consumer, final OneTopicBroker broker)
    {
        assertTrue(consumer.awaitReady(30 * SECOND_NS), consumer::describe);
        // Nothing tells the consumer when the broker has the request. The metadata is requested a second time.
        Await.until("a fetch and metadata", () -> consumer.await(() -> broker.fetchCount(0) > 0 &&
            consumer.counters().get(ConsumerCounters.METADATA_REFRESHES) > 1, SECOND_NS / 1_000));
    }

    /** A wait that spins uses all the CPU time that it can get; one that sleeps uses almost none. */
    private static void assertSleeps(final Runnable wait)
    {
        final long startNs = System.nanoTime();
        final long startCpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        wait.run();
        final long cpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - startCpuNs;
        assertTrue(System.nanoTime() - startNs >= WAIT_NS, "it waits to the end");
        assertTrue(cpuNs < WAIT_NS / 4, () -> "used " + cpuNs + " ns of CPU time");
    }

    /** The records must be there, although the wait has not reported them. */
    private void assertOtherReads()
    {
        assertEquals(1, other.poll((record) -> { }, 10, FAR_NS));
    }

    @Test
    void shouldWaitForAConditionWithoutCpuWhileAnotherHasRecordsToRead()
    {
        connectBoth(FAR_MS);
        otherBroker.append(0, "a");

        assertSleeps(() -> assertFalse(consumer.await(() -> false, WAIT_NS)));
        assertOtherReads();
    }

    @Test
    void shouldWaitForAConditionWithoutCpuWhileAnotherHasAnEmptyResponse()
    {
        connectBoth(20);

        assertSleeps(() -> assertFalse(consumer.await(() -> false, WAIT_NS)));
        otherBroker.append(0, "a");
        assertOtherReads();
    }

    @Test
    void shouldAwaitReadinessWithoutCpuWhileAnotherHasRecordsToRead()
    {
        broker.script(ApiMessageType.METADATA, (call) -> Answer.never());
        other = connect(otherBroker, FAR_MS);
        awaitFetch(other, otherBroker);
        consumer = connect(broker, FAR_MS);
        otherBroker.append(0, "a");

        assertSleeps(() -> assertFalse(consumer.awaitReady(WAIT_NS)));
        assertOtherReads();

        broker.script(ApiMessageType.METADATA, (call) -> null);
        otherBroker.append(0, "b");
        assertOtherReads();
    }

    @Test
    void shouldAwaitAndLeaveAGroupWithoutCpuWhileAnotherHasRecordsToRead()
    {
        try (ScriptedGroup group = new ScriptedGroup())
        {
            other = connect(otherBroker, FAR_MS);
            awaitFetch(other, otherBroker);
            final AtomicBoolean isAsked = new AtomicBoolean();
            group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) ->
            {
                isAsked.set(true);
                return Answer.never();
            });
            final TopicConsumer member = connect(group);
            Await.until("the request to join", () ->
            {
                assertFalse(member.group().awaitStable(SECOND_NS / 1_000));
                return isAsked.get();
            });
            otherBroker.append(0, "a");

            assertSleeps(() -> assertFalse(member.group().awaitStable(WAIT_NS)));
            assertSleeps(() -> assertTrue(member.close(WAIT_NS)));
            assertOtherReads();
        }
    }

    @Test
    void shouldWaitWithoutCpuWhileAnotherIsRefusedAConnection()
    {
        consumer = connect(broker, FAR_MS);
        awaitFetch(consumer, broker);
        other = connect(otherBroker, FAR_MS);
        otherBroker.close();
        // It begins to connect, and the outcome is known before or during the next wait.
        assertEquals(0, other.poll((record) -> { }, 10));

        assertSleeps(() -> assertFalse(consumer.await(() -> false, WAIT_NS)));
    }

    @Test
    void shouldRestoreWhatWasMaskedAfterAnExceptionOfTheCondition()
    {
        connectBoth(FAR_MS);
        otherBroker.append(0, "a");
        final int[] calls = {0};

        assertFalse(consumer.await(() -> false, SECOND_NS / 10));
        assertThrows(IllegalStateException.class, () -> consumer.await(
            () ->
            {
                if (calls[0]++ > 0)
                {
                    throw new IllegalStateException("thrown by the condition");
                }
                broker.append(0, "b");
                return false;
            },
            FAR_NS));

        // A poll also ends when the record of the other consumer arrives before its own.
        Await.until("the record of the other", () -> other.poll((record) -> { }, 10, FAR_NS) == 1);
        assertEquals(1, consumer.poll((record) -> { }, 10, FAR_NS));
    }

    @Test
    void shouldAllowAnotherToBeClosedWhileItsRecordsAreMasked()
    {
        connectBoth(FAR_MS);
        otherBroker.append(0, "a");
        assertFalse(consumer.await(() -> false, SECOND_NS / 10));
        final int[] calls = {0};

        assertFalse(consumer.await(
            () ->
            {
                if (calls[0]++ == 0)
                {
                    other.close();
                }
                return false;
            },
            SECOND_NS / 10));

        broker.append(0, "b");
        assertEquals(1, consumer.poll((record) -> { }, 10, FAR_NS));
    }

    @Test
    void shouldPollAnotherInsideACondition()
    {
        connectBoth(FAR_MS);
        otherBroker.append(0, "a");
        final int[] delivered = {0};

        // What arrives for the other one does not have the condition checked again.
        Await.until("the record", () -> consumer.await(
            () ->
            {
                delivered[0] += other.poll((record) -> { }, 10, SECOND_NS / 100);
                return delivered[0] > 0;
            },
            SECOND_NS / 100));
    }

    @Test
    void shouldEndAPollWhenRecordsOfAnotherArrive()
    {
        connectBoth(FAR_MS);
        // Both are quiet: their next poll begins with the wait.
        assertEquals(0, consumer.poll((record) -> { }, 10, SECOND_NS / 100));
        otherBroker.append(0, "a");

        assertEquals(0, consumer.poll((record) -> { }, 10, FAR_NS));
        assertOtherReads();
        broker.append(0, "b");
        Await.until("own records", () -> consumer.poll((record) -> { }, 10, FAR_NS) == 1);
    }

    /** The handler of one consumer keeps the thread from polling the other. */
    // Behaviour O184, tried 2026-11-29: With `keepAlive`, a handler that takes longer than the session keeps the
    // member, and the other members on its poller, in their groups.
    @Test
    void shouldKeepEachMemberOfThePollerAlive()
    {
        try (ScriptedGroup group = new ScriptedGroup(); ScriptedGroup otherGroup = new ScriptedGroup())
        {
            consumer = connect(group);
            other = connect(otherGroup);
            assertTrue(consumer.group().awaitStable(FAR_NS));
            assertTrue(other.group().awaitStable(FAR_NS));
            otherGroup.forgetRequests();

            consumer.poll((record) -> Await.until("heartbeats of the other", () ->
            {
                consumer.keepAlive();
                return otherGroup.count("keepalive") > 3;
            }), 1, FAR_NS);

            other.close();
            consumer.keepAlive();
        }
    }

    private TopicConsumer connect(final ScriptedGroup group)
    {
        return TopicConsumer.connect(
            Reading.context(group.broker()).poller(poller).group(ScriptedGroup.settings()));
    }

    @Test
    void shouldBePolledByAnotherThreadAfterTheEndOfTheFirst() throws Exception
    {
        inThread(() -> connectBoth(FAR_MS));
        broker.append(0, "a");
        otherBroker.append(0, "a");

        Await.until("a record", () -> consumer.poll((record) -> { }, 10, FAR_NS) == 1);
        Await.until("a record of the other", () -> other.poll((record) -> { }, 10, FAR_NS) == 1);

        assertEquals(Thread.currentThread(), consumer.owner());
        inThread(() ->
        {
            assertThrows(IllegalStateException.class, () -> consumer.seek(0, 0));
            assertThrows(IllegalStateException.class, () -> other.poll((record) -> { }, 10));
            assertThrows(IllegalStateException.class, () -> poller.await(1));
        });
    }

    /** Returns after the end of the thread. */
    private static void inThread(final Runnable runnable) throws Exception
    {
        final FutureTask<Void> task = new FutureTask<>(runnable, null);
        final Thread thread = new Thread(task);
        thread.start();
        thread.join();
        task.get();
    }

    /** Responses without records, and parts of responses, are not what a poll waits for. */
    @Test
    void shouldNotEndAPollForItsOwnResponses()
    {
        consumer = connect(broker, 5);
        awaitFetch(consumer, broker);
        other = connect(otherBroker, FAR_MS);
        awaitFetch(other, otherBroker);
        Await.until("nothing to do", () -> other.poll((record) -> { }, 10) == 0 &&
            other.nextDeadlineNs() - System.nanoTime() > WAIT_NS);

        Await.until("a poll with several responses", () ->
        {
            final int fetches = broker.fetchCount(0);
            final long startNs = System.nanoTime();
            assertEquals(0, consumer.poll((record) -> { }, 10, WAIT_NS));

            assertTrue(System.nanoTime() - startNs >= WAIT_NS, "it waits to the end");
            return broker.fetchCount(0) > fetches + 1;
        });
    }
}
