// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.testkit.Await;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;

/**
 * Tests how long a poll waits, what ends the wait, and what each thread may do. A wait of an hour that ends was ended
 * by the test.
 */
@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class WaitingIT
{
    private static final int RECORDS = 30;
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    private final TransportType transport;
    private final Deliveries deliveries = new Deliveries();

    WaitingIT(final TransportType transport)
    {
        this.transport = transport;
    }

    private TopicConsumer connect()
    {
        return TopicConsumer.connect(SharedBroker.context(transport, SharedBroker.topic(1, RECORDS)));
    }

    private int pollLong(final TopicConsumer consumer)
    {
        return consumer.poll(deliveries, 1_000, HOUR_NS);
    }

    private static <T> FutureTask<T> start(final Callable<T> task)
    {
        final FutureTask<T> future = new FutureTask<>(task);
        new Thread(future, "owner").start();
        return future;
    }

    /** Returns once the thread is inside the poller's wait, or about to enter it. */
    private static void awaitWaiting(final Thread thread)
    {
        Await.until("a wait", () -> Arrays.stream(thread.getStackTrace()).anyMatch(
            (frame) -> frame.getClassName().endsWith("Poller") && "selectFor".equals(frame.getMethodName())));
    }

    @Test
    void shouldWaitForTheTimeoutAndReturnZero()
    {
        final AtomicLong lastNs = new AtomicLong();
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(
            transport, SharedBroker.topic(1, RECORDS)).nanoClock(() -> lastNs.updateAndGet((n) -> System.nanoTime()))))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            for (final long timeoutNs : new long[] {1, 125_000, 3_300_000, 90_000_000})
            {
                final long startNs = System.nanoTime();
                assertEquals(0, consumer.poll(deliveries, 10, timeoutNs));
                assertTrue(lastNs.get() - startNs >= timeoutNs, "a wait of " + timeoutNs + " ended by its own clock");
            }
        }
    }

    /** Whoever ends his loop when a poll delivers nothing must have received what has arrived. */
    @Test
    void shouldDeliverWhatArrivesWhileTheThreadIsInterrupted()
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(transport, topic)))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            for (int i = 0; i < 10; i++)
            {
                consumer.poll(deliveries, 10, 5_000_000);
            }
            SharedBroker.append(topic, 0, RECORDS, RECORDS + 1);
            Thread.currentThread().interrupt();
            final long startNs = System.nanoTime();
            while (deliveries.count() == RECORDS && System.nanoTime() - startNs < 40 * SECOND_NS)
            {
                consumer.poll(deliveries, 10, SECOND_NS);
            }
            assertTrue(Thread.interrupted());
            assertTrue(deliveries.count() > RECORDS, () -> "timed out: " + consumer.describe());
            assertEquals(RECORDS + 1, deliveries.count());
        }
    }

    /** Such as a loop that another thread wakes for each task that it passes to this thread. */
    @Test
    void shouldDeliverWhatArrivesWhileEachPollIsWoken()
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        final long[] slowSinceNs = {Long.MAX_VALUE};
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(transport, topic).nanoClock(() ->
            Math.min(System.nanoTime(), slowSinceNs[0]) + Math.max(0, System.nanoTime() - slowSinceNs[0]) / 100)))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            for (int i = 0; i < 10; i++)
            {
                consumer.poll(deliveries, 10, 5_000_000);
            }
            // From now on the clock is slow, so that no deadline of the consumer passes.
            slowSinceNs[0] = System.nanoTime();
            SharedBroker.append(topic, 0, RECORDS, RECORDS + 1);
            Await.until("the record", () ->
            {
                consumer.wakeup();
                consumer.poll(deliveries, 10, SECOND_NS);
                return deliveries.count() > RECORDS;
            });
        }
    }

    @Test
    void shouldKeepAWakeUpThatEndedNoWait()
    {
        try (TopicConsumer consumer = connect())
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            consumer.wakeup();
            assertTrue(consumer.awaitReady(HOUR_NS));

            assertEquals(0, pollLong(consumer));
        }
    }

    /** The broker holds a fetch for ten minutes, so only the query itself can cause a response. */
    // Behaviour B32, tried 2026-11-29: Long polls of fetches do not delay requests for metadata and offsets.
    @Test
    void shouldSendRequestsMadeBetweenIdlePolls()
    {
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(
            transport, SharedBroker.topic(1, RECORDS)).fetchMaxWaitMs(600_000).requestTimeoutMs(Integer.MAX_VALUE)))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            for (int i = 0; i < 30; i++)
            {
                assertEquals(0, consumer.poll(deliveries, 10, 1_000_000));
            }

            final OffsetQuery query = consumer.queryEndOffset(0);
            Await.until("an answer", () ->
            {
                consumer.poll(deliveries, 10, 1_000_000);
                return query.isDone();
            });
            assertEquals(RECORDS, query.offset());
        }
    }

    @Test
    void shouldNotWaitWhenRecordsHaveArrived()
    {
        try (TopicConsumer consumer = connect())
        {
            int records = 0;
            while (records < RECORDS)
            {
                records += pollLong(consumer);
            }
            assertEquals(RECORDS, deliveries.count());
        }
    }

    // Behaviour J126, tried 2026-11-29: A poll without a timeout does not wait, and delivers received records.
    @Test
    void shouldNeverBlockInAPollWithoutTimeout() throws Exception
    {
        final long[] longestNs = new long[1];
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            Poller poller = new ForwardingPoller(ConsumerContext.openPoller(transport))
            {
                @Override
                public int await(final long timeoutNs)
                {
                    longestNs[0] = Math.max(longestNs[0], timeoutNs);
                    return super.await(timeoutNs);
                }
            };
            TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(null, "topic").poller(poller)
                .bootstrapServers("127.0.0.1:" + deaf.getLocalPort())
                .connectTimeoutMs(Integer.MAX_VALUE)
                .requestTimeoutMs(Integer.MAX_VALUE)))
        {
            for (int i = 0; i < 10_000; i++)
            {
                assertEquals(0, consumer.poll(deliveries, 10));
                assertEquals(0, consumer.controlledPoll((record) -> null, 10));
                assertEquals(0, consumer.pollBatches((batch) -> null, 10));
            }
            assertEquals(0, longestNs[0]);
            assertFalse(consumer.awaitReady(2_000_000));
            assertEquals(0, consumer.partitionCount());
        }
    }

    // Behaviour J126.
    @Test
    void shouldDeliverInPollsWithoutTimeout()
    {
        try (TopicConsumer consumer = connect())
        {
            Await.until("half of the records", () ->
                deliveries.count() + consumer.poll(deliveries, RECORDS / 2 - deliveries.count()) == RECORDS / 2);
            Await.until("the other half", () ->
            {
                consumer.controlledPoll((record) ->
                {
                    deliveries.onRecord(record);
                    return Action.CONTINUE;
                }, RECORDS);
                return deliveries.count() == RECORDS;
            });
        }
    }

    @Test
    void shouldNotBeReadyForATopicThatDoesNotExist()
    {
        try (TopicConsumer consumer = TopicConsumer.connect(
            SharedBroker.context(transport, "not-there").errorHandler((error) -> { })))
        {
            Await.until("metadata", () -> !consumer.awaitReady(SECOND_NS / 50) &&
                consumer.counters().get(ConsumerCounters.METADATA_REFRESHES) > 0);
            assertFalse(consumer.awaitReady(SECOND_NS / 5));
        }
    }

    @Test
    void shouldBeReadyOnceEveryPartitionCanBeFetched()
    {
        try (TopicConsumer consumer = connect())
        {
            assertTrue(consumer.awaitReady(HOUR_NS));
            assertTrue(consumer.awaitReady(0));
            assertEquals(0, consumer.nextOffset(0));
            assertEquals(0, consumer.counters().records());
        }
    }

    @Test
    void shouldReturnAtOnceWhenWokenBefore()
    {
        try (TopicConsumer consumer = connect())
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            consumer.wakeup();
            assertEquals(0, pollLong(consumer));
            consumer.wakeup();
            consumer.poll(deliveries, 10);
            assertEquals(0, pollLong(consumer));
        }
    }

    @Test
    void shouldForgetAWakeUpThatHasEndedAWait()
    {
        final AtomicLong lastNs = new AtomicLong();
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(
            transport, SharedBroker.topic(1, RECORDS)).nanoClock(() -> lastNs.updateAndGet((n) -> System.nanoTime()))))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            consumer.wakeup();
            consumer.wakeup();
            assertEquals(0, pollLong(consumer));
            final long startNs = System.nanoTime();
            consumer.poll(deliveries, 10, 20_000_000);
            assertTrue(lastNs.get() - startNs >= 20_000_000);
        }
    }

    @Test
    void shouldBeWokenFromAnotherThread() throws Exception
    {
        try (TopicConsumer consumer = connect())
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            final Thread owner = Thread.currentThread();
            for (int i = 0; i < 5; i++)
            {
                final FutureTask<Void> waker = start(() ->
                {
                    awaitWaiting(owner);
                    consumer.wakeup();
                    return null;
                });
                assertEquals(0, pollLong(consumer));
                waker.get();
            }
        }
    }

    @Test
    void shouldBeWokenWhileItAwaitsReadiness() throws Exception
    {
        try (TopicConsumer consumer = TopicConsumer.connect(
            SharedBroker.context(transport, "not-there").errorHandler((error) -> { })))
        {
            final Thread owner = Thread.currentThread();
            final FutureTask<Void> waker = start(() ->
            {
                awaitWaiting(owner);
                consumer.wakeup();
                return null;
            });
            assertFalse(consumer.awaitReady(HOUR_NS));
            waker.get();
        }
    }

    @Test
    void shouldReturnWithTheFlagWhenInterrupted() throws Exception
    {
        try (TopicConsumer consumer = connect())
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            final Thread owner = Thread.currentThread();
            final FutureTask<Void> interrupter = start(() ->
            {
                awaitWaiting(owner);
                owner.interrupt();
                return null;
            });
            assertEquals(0, pollLong(consumer));
            assertTrue(Thread.currentThread().isInterrupted());

            assertEquals(0, pollLong(consumer));
            assertFalse(consumer.await(consumer.queryEndOffset(99)::isDone, HOUR_NS));
            assertTrue(Thread.interrupted());
            interrupter.get();

            // The consumer still works.
            consumer.seek(0, 0);
            deliveries.expect(0, 0).pollUntilCount(consumer, 2 * RECORDS);
            assertEquals(0, consumer.counters().get(ConsumerCounters.CONNECTIONS_LOST));
        }
    }

    // Behaviour J128, tried 2026-11-29: Use by two threads is detected.
    @Test
    void shouldRefuseASecondThread() throws Exception
    {
        try (TopicConsumer consumer = connect())
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            final IllegalStateException refusal = start(() ->
            {
                assertThrows(IllegalStateException.class, () -> consumer.seek(0, 0));
                assertThrows(IllegalStateException.class, () -> consumer.nextOffset(0));
                assertThrows(IllegalStateException.class, () -> consumer.assign(0, StartPosition.earliest()));
                assertThrows(IllegalStateException.class, () -> consumer.queryEndOffset(0));
                assertThrows(IllegalStateException.class, () -> consumer.pause(0));
                assertThrows(IllegalStateException.class, () -> consumer.resume(0));
                assertThrows(IllegalStateException.class, () -> consumer.unassign(0));
                assertThrows(IllegalStateException.class, () -> consumer.isStopped(0));
                assertThrows(IllegalStateException.class, () -> consumer.assignment(new int[1]));
                assertThrows(IllegalStateException.class, () -> consumer.groupOffsets("group"));
                assertThrows(IllegalStateException.class, () -> consumer.awaitReady(0));
                assertThrows(IllegalStateException.class, consumer::nextDeadlineNs);
                assertThrows(IllegalStateException.class, consumer::keepAlive);
                assertThrows(IllegalStateException.class, () -> consumer.poll(deliveries, 1));
                assertThrows(IllegalStateException.class, () -> consumer.controlledPoll((record) -> null, 1));
                assertThrows(IllegalStateException.class, () -> consumer.pollBatches((batch) -> null, 1));
                return assertThrows(IllegalStateException.class, () -> pollLong(consumer));
            }).get();
            assertTrue(refusal.getMessage().contains("'" + Thread.currentThread().getName() + "'") &&
                refusal.getMessage().contains("'owner'"), refusal.getMessage());

            consumer.seek(0, 3);
            deliveries.expect(0, 3).pollUntilCount(consumer, RECORDS + RECORDS - 3);
        }
    }

    @Test
    void shouldBelongToTheThreadThatPollsFirst() throws Exception
    {
        final TopicConsumer consumer = TopicConsumer.connect(
            SharedBroker.context(transport, SharedBroker.topic(1, RECORDS)).noPartitions());
        consumer.assign(0, StartPosition.earliest());

        assertEquals(RECORDS, start(() ->
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            consumer.close();
            return deliveries.count();
        }).get());
    }

    @Test
    void shouldEndTheWaitAndCloseWhenClosedFromAnotherThread() throws Exception
    {
        final TopicConsumer consumer = connect();
        final CountDownLatch isRead = new CountDownLatch(1);
        final Thread[] owner = new Thread[1];
        final FutureTask<Integer> task = start(() ->
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            owner[0] = Thread.currentThread();
            isRead.countDown();
            return pollLong(consumer);
        });
        isRead.await();
        awaitWaiting(owner[0]);
        consumer.close();
        assertEquals(0, task.get());
        owner[0].join();

        assertTrue(consumer.describe().contains(", closed"), consumer::describe);
        consumer.close();
        consumer.wakeup();
    }

    // Behaviour B30.
    @Test
    void shouldRefuseEverythingOnceClosed()
    {
        final TopicConsumer consumer = connect();
        deliveries.pollUntilCount(consumer, RECORDS);
        consumer.close();
        consumer.close();
        consumer.wakeup();

        assertThrows(IllegalStateException.class, () -> consumer.poll(deliveries, 1));
        assertThrows(IllegalStateException.class, () -> consumer.poll(deliveries, 1, 1));
        assertThrows(IllegalStateException.class, () -> consumer.controlledPoll((record) -> null, 1));
        assertThrows(IllegalStateException.class, () -> consumer.awaitReady(1));
        assertThrows(IllegalStateException.class, () -> consumer.assign(0, StartPosition.earliest()));
        assertThrows(IllegalStateException.class, () -> consumer.unassign(0));
        assertThrows(IllegalStateException.class, () -> consumer.seek(0, 0));
        assertThrows(IllegalStateException.class, () -> consumer.pause(0));
        assertThrows(IllegalStateException.class, () -> consumer.resume(0));
        assertThrows(IllegalStateException.class, () -> consumer.nextOffset(0));
        assertThrows(IllegalStateException.class, () -> consumer.queryBeginningOffset(0));
        assertEquals(RECORDS, consumer.counters().records());
    }

    @Test
    void shouldShareAPollerAmongConsumersOfOneThread()
    {
        final Deliveries others = new Deliveries();
        try (Poller poller = ConsumerContext.openPoller(transport))
        {
            final String topic = SharedBroker.topic(2, RECORDS);
            final TopicConsumer first = TopicConsumer.connect(SharedBroker.context(null, topic).poller(poller));
            try (TopicConsumer second = TopicConsumer.connect(
                SharedBroker.context(null, SharedBroker.topic(1, RECORDS)).poller(poller)))
            {
                Await.until("all records", () ->
                {
                    poller.await(1_000_000);
                    first.poll(deliveries, 7);
                    second.poll(others, 7);
                    return deliveries.count() + others.count() >= 3 * RECORDS;
                });
                assertEquals(2 * RECORDS, deliveries.count());
                assertEquals(RECORDS, others.count());

                first.wakeup();
                assertEquals(0, second.poll(others, 10, SECOND_NS / 20));
                assertEquals(0, pollLong(first));

                first.close();
                second.seek(0, 0);
                others.expect(0, 0).pollUntilCount(second, 2 * RECORDS);
            }
            assertEquals(0, poller.await(0));
        }
    }
}
