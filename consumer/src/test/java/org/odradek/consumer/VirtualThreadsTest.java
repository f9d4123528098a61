// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Tests consumers and pollers on virtual threads, which share the few threads of the JVM that carry them. */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "There are no virtual threads before Java 21.")
@EnabledOnOs(OS.LINUX)
@Tag("smoke")
class VirtualThreadsTest
{
    private static final long FAR_NS = TimeUnit.HOURS.toNanos(1);
    private static final String NIO = "nio: epoll would hold the carrier of a virtual thread";
    private static final String REFUSAL = "The transport EPOLL would hold the carrier of a virtual thread in each " +
        "wait, so that other virtual threads do not run: set the transport AUTO or NIO, or use a platform thread.";

    private static <T> FutureTask<T> start(final Callable<T> callable) throws ReflectiveOperationException
    {
        final FutureTask<T> task = new FutureTask<>(callable);
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        return task;
    }

    @Test
    void shouldNotHoldTheCarrierInAWait() throws Exception
    {
        final int count = 2 * Runtime.getRuntime().availableProcessors() + 2;
        final CountDownLatch waiting = new CountDownLatch(count);
        final List<Poller> pollers = new ArrayList<>();
        final List<FutureTask<Integer>> waits = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final Poller poller = ConsumerContext.openPoller(TransportType.AUTO);
            pollers.add(poller);
            waits.add(start(() ->
            {
                waiting.countDown();
                return poller.await(FAR_NS);
            }));
        }

        // Each needs a carrier to begin.
        waiting.await(60, TimeUnit.SECONDS);
        final long heldCount = waiting.getCount();
        pollers.forEach(Poller::wakeup);

        assertEquals(0, heldCount, () -> "of " + count + " threads that did not run");
        for (int i = 0; i < count; i++)
        {
            assertEquals(0, waits.get(i).get());
            assertEquals(NIO, pollers.get(i).description());
            pollers.get(i).close();
        }
    }

    @Test
    void shouldReadOnAVirtualThread() throws Exception
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1);
            TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker)))
        {
            broker.append(0, "a");
            assertEquals("epoll", consumer.transportDescription());

            assertEquals(1, start(() -> consumer.poll((record) -> { }, 1, FAR_NS)).get());

            assertEquals(NIO, consumer.transportDescription());
        }
    }

    @Test
    void shouldReadWithEpollOnAPlatformThread()
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1);
            TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker)))
        {
            broker.append(0, "a");

            assertEquals(1, consumer.poll((record) -> { }, 1, FAR_NS));

            assertEquals("epoll", consumer.transportDescription());
        }
    }

    @Test
    void shouldRefuseEpollThatIsRequested() throws Exception
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1);
            TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker).transport(TransportType.EPOLL)))
        {
            final List<Callable<?>> calls = List.of(
                () -> consumer.poll((record) -> { }, 1, FAR_NS), () -> consumer.awaitReady(FAR_NS),
                () -> consumer.poll((record) -> { }, 1));

            final FutureTask<Void> task = start(() ->
            {
                for (final Callable<?> call : calls)
                {
                    assertEquals(REFUSAL, assertThrows(IllegalStateException.class, call::call).getMessage());
                }
                return null;
            });

            task.get();
        }
    }

    @Test
    void shouldNotLoseAWakeUpBeforeTheFirstWait() throws Exception
    {
        try (Poller poller = ConsumerContext.openPoller(TransportType.AUTO))
        {
            poller.wakeup();

            assertEquals(0, start(() -> poller.await(FAR_NS)).get());
        }
    }

    @Test
    void shouldBeClosedBeforeTheFirstWait() throws Exception
    {
        final Poller poller = ConsumerContext.openPoller(TransportType.AUTO);
        poller.close();

        final FutureTask<?> task = start(() -> assertThrows(IllegalStateException.class, () -> poller.await(1)));

        task.get();
        poller.close();
    }
}
