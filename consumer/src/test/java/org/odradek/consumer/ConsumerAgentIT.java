// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.CompositeAgent;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.Await;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests consumers as Agrona's agents. Where something must end an idle wait of an hour, the end of the wait is the
 * proof.
 */
@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class ConsumerAgentIT
{
    private static final int RECORDS = 30;
    private static final int LIMIT = 7;
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    private final Poller poller;
    private final Deliveries deliveries = new Deliveries();

    ConsumerAgentIT(final TransportType transport)
    {
        poller = ConsumerContext.openPoller(transport);
    }

    @AfterEach
    void close()
    {
        poller.close();
    }

    private ConsumerContext context(final String topic)
    {
        return SharedBroker.context(null, topic).poller(poller);
    }

    @Test
    void shouldRunOnAThreadOfItsOwnAndCloseItsConsumer() throws Exception
    {
        final TopicConsumer consumer = TopicConsumer.connect(context(SharedBroker.topic(1, RECORDS)));
        final AtomicInteger count = new AtomicInteger();
        final AtomicReference<String> threadName = new AtomicReference<>();
        final AtomicReference<Throwable> error = new AtomicReference<>();
        final AgentRunner runner = new AgentRunner(
            ConsumerAgent.idleStrategy(poller), error::set, null, ConsumerAgent.polling("ingest", consumer, (record) ->
            {
                deliveries.onRecord(record);
                threadName.set(Thread.currentThread().getName());
                count.incrementAndGet();
            }, LIMIT));
        try (runner)
        {
            AgentRunner.startOnThread(runner);
            Await.until("all records", () -> count.get() >= RECORDS || error.get() != null);
        }

        assertNull(error.get());
        assertEquals(RECORDS, count.get());
        assertEquals("ingest", threadName.get());
        assertTrue(consumer.describe().contains(", closed"), consumer::describe);
    }

    @Test
    void shouldWakeAtOnceWhenDataArrives() throws Exception
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        final TopicConsumer consumer = TopicConsumer.connect(
            context(topic).fetchMaxWaitMs((int) TimeUnit.HOURS.toMillis(1)).requestTimeoutMs(Integer.MAX_VALUE));
        final ConsumerAgent agent = ConsumerAgent.polling("agent", consumer, deliveries, LIMIT);
        final IdleStrategy idleStrategy = ConsumerAgent.idleStrategy(poller, HOUR_NS);
        deliveries.pollUntilCount(consumer, RECORDS);

        final Thread owner = Thread.currentThread();
        final FutureTask<Void> producer = new FutureTask<>(() ->
        {
            awaitIdling(owner);
            SharedBroker.append(topic, 0, RECORDS, RECORDS + 1);
            return null;
        });
        new Thread(producer, "producer").start();
        while (deliveries.count() == RECORDS)
        {
            idleStrategy.idle(agent.doWork());
        }

        producer.get();
        assertEquals(RECORDS + 1, deliveries.count());
        agent.onClose();
    }

    /** Returns once the thread is inside the poller's wait, or about to enter it. */
    private static void awaitIdling(final Thread thread)
    {
        Await.until("an idle thread", () -> Arrays.stream(thread.getStackTrace()).anyMatch(
            (frame) -> frame.getClassName().equals(PollerIdleStrategy.class.getName())));
    }

    @Test
    void shouldEndItsIdlingWhenAConsumerIsWoken() throws Exception
    {
        final IdleStrategy idleStrategy = ConsumerAgent.idleStrategy(poller, HOUR_NS);
        try (TopicConsumer consumer = TopicConsumer.connect(context("never-polled")))
        {
            final Thread owner = Thread.currentThread();
            final FutureTask<Void> waker = new FutureTask<>(() ->
            {
                awaitIdling(owner);
                consumer.wakeup();
                return null;
            });
            new Thread(waker, "waker").start();
            idleStrategy.idle();
            waker.get();

            owner.interrupt();
            idleStrategy.idle(0);
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void shouldNotIdleAfterWork()
    {
        final IdleStrategy idleStrategy = ConsumerAgent.idleStrategy(poller, HOUR_NS);

        idleStrategy.idle(1);
        idleStrategy.reset();

        assertEquals("poller", idleStrategy.alias());
        assertEquals("PollerIdleStrategy{alias=poller, maxIdleNs=3600000000000}", idleStrategy.toString());
        assertThrows(IllegalArgumentException.class, () -> ConsumerAgent.idleStrategy(poller, 0));
    }

    @Test
    void shouldIdleWithoutGarbage()
    {
        final IdleStrategy idleStrategy = ConsumerAgent.idleStrategy(poller, 1_000);
        assertEquals(0, new AllocationMeter().leastBytes(8, () ->
        {
            for (int i = 0; i < 5_000; i++)
            {
                idleStrategy.idle(0);
                idleStrategy.idle();
            }
        }));
    }

    /** One consumer's broker never responds and another's handler never accepts: the others must not be affected. */
    @Test
    void shouldShareAThreadWithoutBlockingEachOther() throws Exception
    {
        final Deliveries[] all = new Deliveries[12];
        final ConsumerAgent[] agents = new ConsumerAgent[all.length + 2];
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            for (int i = 0; i < all.length; i++)
            {
                all[i] = new Deliveries();
                agents[i + 1] = ConsumerAgent.polling("light-" + i,
                    TopicConsumer.connect(context(SharedBroker.topic(1, RECORDS))), all[i], LIMIT);
            }
            agents[0] = ConsumerAgent.polling("deaf", TopicConsumer.connect(context("deaf")
                .bootstrapServers("127.0.0.1:" + deaf.getLocalPort())
                .connectTimeoutMs(Integer.MAX_VALUE).requestTimeoutMs(Integer.MAX_VALUE)), deliveries, LIMIT);
            final AtomicInteger refusals = new AtomicInteger();
            agents[agents.length - 1] = ConsumerAgent.controlled("refusing",
                TopicConsumer.connect(context(SharedBroker.topic(1, RECORDS))), (record) ->
                {
                    refusals.incrementAndGet();
                    return Action.ABORT;
                }, LIMIT);
            final AtomicReference<Throwable> error = new AtomicReference<>();
            final AgentInvoker invoker = new AgentInvoker(error::set, null, new CompositeAgent(agents));
            final IdleStrategy idleStrategy = ConsumerAgent.idleStrategy(poller);

            invoker.start();
            while ((Arrays.stream(all).mapToInt(Deliveries::count).sum() < all.length * RECORDS ||
                refusals.get() < 3) && error.get() == null)
            {
                final int work = invoker.invoke();
                assertTrue(work <= all.length * LIMIT, "work " + work);
                idleStrategy.idle(work);
            }
            invoker.close();

            assertNull(error.get());
            assertEquals(0, deliveries.count());
            assertEquals("light-0", agents[1].roleName());
        }
    }

    @Test
    void shouldPollBatchesAndSpinIfConfigured()
    {
        final AtomicInteger batches = new AtomicInteger();
        final TopicConsumer consumer = TopicConsumer.connect(context(SharedBroker.topic(1, RECORDS)));
        final ConsumerAgent agent = ConsumerAgent.batches("batches", consumer, (batch) ->
        {
            batches.incrementAndGet();
            return Action.CONTINUE;
        }, 1);
        while (batches.get() < 3)
        {
            final int work = agent.doWork();
            assertTrue(work <= 1);
            BusySpinIdleStrategy.INSTANCE.idle(work);
        }
        agent.onClose();

        assertThrows(IllegalStateException.class, agent::doWork);
        assertThrows(IllegalArgumentException.class, () -> ConsumerAgent.polling("none", consumer, deliveries, 0));
    }
}
