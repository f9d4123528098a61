// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.ClientException;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.testkit.Await;

import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A consumer is freed completely and once, whichever thread closes it, and a consumer that fails to connect leaves
 * nothing open.
 */
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class CloseTest
{
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(1);

    private final TransportType transport;
    private OneTopicBroker broker;

    @TempDir
    private Path folder;

    CloseTest(final TransportType transport)
    {
        this.transport = transport;
    }

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(1).append(0, "a", "b");
    }

    @AfterEach
    void stop()
    {
        broker.close();
    }

    private ConsumerContext context()
    {
        return Reading.context(broker).transport(transport);
    }

    private static <T> FutureTask<T> inThread(final Callable<T> call)
    {
        final FutureTask<T> task = new FutureTask<>(call);
        new Thread(task, "other").start();
        return task;
    }

    private static void assertFreed(final TopicConsumer consumer)
    {
        assertTrue(consumer.close(0));
        assertEquals(0, consumer.resources.budget.heldBytes(), consumer::describe);
        assertTrue(consumer.describe().contains(", closed"), consumer::describe);
        assertThrows(IllegalStateException.class, () -> consumer.poll((record) -> { }, 1));
        assertThrows(IllegalStateException.class, () -> consumer.groupOffsets("group"));
    }

    private static void readOne(final TopicConsumer consumer)
    {
        while (consumer.poll((record) -> { }, 1, LONG_NS) == 0)
        {
            assertFalse(Thread.currentThread().isInterrupted(), consumer::describe);
        }
    }

    /** Only the polling thread, which owns the sockets, can send them. */
    @Test
    void shouldReportOffsetsThatAreNotCommittedBecauseAnotherThreadCloses() throws Exception
    {
        final List<String> errors = new ArrayList<>();
        final TopicConsumer consumer =
            TopicConsumer.connect(context().errorHandler((error) -> errors.add(error.getMessage())));
        inThread(() ->
        {
            readOne(consumer);
            consumer.groupOffsets("group").commitAsync(0, 1);
            return null;
        }).get();

        assertTrue(consumer.close(0));

        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).startsWith("The last offsets of group group are not committed"), errors::toString);
        assertFreed(consumer);
    }

    /** Without the fix, 423 open files and 469 MB of direct memory remained. */
    @Test
    void shouldFreeConsumersWhoseOwnerHasEnded() throws Exception
    {
        final OpenResources before = new OpenResources();
        final List<TopicConsumer> consumers = new ArrayList<>();
        for (int i = 0; i < 100; i++)
        {
            consumers.add(TopicConsumer.connect(context()));
        }
        inThread(() ->
        {
            consumers.forEach(CloseTest::readOne);
            return null;
        }).get();
        consumers.forEach(TopicConsumer::close);
        consumers.forEach(CloseTest::assertFreed);
        before.assertReleased();
    }

    @Test
    void shouldFreeBeforeTheFirstPollFromAnyThread() throws Exception
    {
        final OpenResources before = new OpenResources();
        final TopicConsumer consumer = TopicConsumer.connect(context());
        assertTrue(inThread(() -> consumer.close(0)).get());
        assertFreed(consumer);
        before.assertReleased();
    }

    @Test
    void shouldWakeAWaitingPollAndWaitForItsEnd() throws Exception
    {
        final TopicConsumer consumer = TopicConsumer.connect(context());
        final CountDownLatch isRead = new CountDownLatch(1);
        final FutureTask<Integer> owner = inThread(() ->
        {
            readOne(consumer);
            readOne(consumer);
            isRead.countDown();
            return consumer.poll((record) -> { }, 1, LONG_NS);
        });
        isRead.await();
        assertTrue(consumer.close(LONG_NS));
        assertFreed(consumer);
        try
        {
            assertEquals(0, owner.get());
        }
        catch (final ExecutionException ex)
        {
            // The close happened between two polls, so the second was refused.
            assertTrue(ex.getCause() instanceof IllegalStateException, ex::toString);
        }
    }

    // Behaviour B30, tried 2026-11-29: Closing takes a bounded time; a second close has no effect; closing while
    // connecting works.
    @Test
    void shouldLetAPollFreeTheConsumerThatDoesNotEndInTime() throws Exception
    {
        final OpenResources before = new OpenResources();
        final TopicConsumer consumer = TopicConsumer.connect(context());
        final CountDownLatch isInHandler = new CountDownLatch(1);
        final CountDownLatch isClosing = new CountDownLatch(1);
        final FutureTask<String> owner = inThread(() ->
        {
            final String[] value = new String[1];
            while (value[0] == null)
            {
                consumer.poll((record) ->
                {
                    isInHandler.countDown();
                    await(isClosing);
                    // The record and its consumer can be used to the end of the poll.
                    consumer.seek(0, 0);
                    value[0] = record.buffer().getStringWithoutLengthAscii(record.valueIndex(), record.valueLength());
                }, 1, LONG_NS);
            }
            return value[0];
        });
        isInHandler.await();
        assertFalse(consumer.close(20 * MS));
        assertFalse(consumer.describe().contains(", closed"));
        assertTrue(consumer.resources.budget.heldBytes() > 0);

        Thread.currentThread().interrupt();
        assertFalse(consumer.close(LONG_NS));
        assertTrue(Thread.interrupted());
        final FutureTask<?> interrupter = interruptInItsWait(Thread.currentThread());
        assertFalse(consumer.close(LONG_NS));
        assertTrue(Thread.interrupted());
        interrupter.get();

        isClosing.countDown();
        assertEquals("a", owner.get());
        assertFreed(consumer);
        before.assertReleased();
    }

    /** Interrupts a thread once it waits for a time. */
    private static FutureTask<?> interruptInItsWait(final Thread thread)
    {
        return inThread(() ->
        {
            Await.until("the wait", () -> thread.getState() == Thread.State.TIMED_WAITING);
            thread.interrupt();
            return null;
        });
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void shouldReleaseTheSocketsOnASharedPollerInTheNextWaitOfItsOwner() throws Exception
    {
        final OpenResources before = new OpenResources();
        try (Poller poller = ConsumerContext.openPoller(transport))
        {
            final List<TopicConsumer> consumers = new ArrayList<>();
            for (int i = 0; i < 20; i++)
            {
                consumers.add(TopicConsumer.connect(Reading.context(broker).poller(poller)));
                readOne(consumers.get(i));
            }
            inThread(() ->
            {
                consumers.forEach((consumer) -> assertTrue(consumer.close(0)));
                return null;
            }).get();
            consumers.forEach(CloseTest::assertFreed);
            poller.await(0);
            before.assertReleased();
        }
    }

    @Test
    void shouldRefuseToCloseWithinAPoll()
    {
        try (TopicConsumer consumer = TopicConsumer.connect(context()))
        {
            assertThrows(IllegalStateException.class, () -> consumer.await(() -> consumer.close(0), LONG_NS));
            readOne(consumer);
        }
    }

    private void assertConnectLeavesNothingOpen(
        final Class<? extends Exception> expected, final Consumer<ConsumerContext> fault) throws Exception
    {
        assertThrows(expected, () -> connectWith(fault));
        final OpenResources before = new OpenResources();
        for (int i = 0; i < 20; i++)
        {
            assertThrows(expected, () -> connectWith(fault));
        }
        before.assertReleased();
    }

    private void connectWith(final Consumer<ConsumerContext> fault)
    {
        final ConsumerContext context = context();
        fault.accept(context);
        TopicConsumer.connect(context).close();
    }

    @Test
    void shouldLeaveNothingOpenIfTheCountersFileCannotBeCreated() throws Exception
    {
        assertConnectLeavesNothingOpen(UncheckedIOException.class, (context) ->
            context.countersFile(folder.resolve("missing").resolve("counters")));
    }

    @Test
    void shouldLeaveNothingOpenIfNoNameHasAnAddress() throws Exception
    {
        assertConnectLeavesNothingOpen(ClientException.class, (context) ->
            context.bootstrapServers("nowhere:9092")
                .countersFile(folder.resolve("counters"))
                .nameResolver((host) ->
                {
                    throw new UnknownHostException(host);
                }));
    }

    @Test
    void shouldLeaveNothingOpenIfTheFrameHandlerFails() throws Exception
    {
        final int[] closes = new int[1];
        assertConnectLeavesNothingOpen(IllegalArgumentException.class, (context) ->
            context.frameHandler(new FetchFrameHandler()
            {
                @Override
                public void onConnect(final String topic, final EpochClock clock, final ConsumerListener listener)
                {
                    throw new IllegalArgumentException("no file");
                }

                @Override
                public boolean onFrame(final Frame frame)
                {
                    return false;
                }

                @Override
                public void close()
                {
                    closes[0]++;
                }
            }));
        assertEquals(21, closes[0]);
    }

    @Test
    void shouldLeaveNothingOpenIfAStartPositionIsWrong() throws Exception
    {
        try (OffsetFile file = OffsetFile.map(folder.resolve("offsets"), "another-topic", 1))
        {
            assertConnectLeavesNothingOpen(IllegalArgumentException.class, (context) ->
                context.partitions(0).startPosition(StartPosition.stored(file, StartPosition.earliest())));
        }
    }

    @Test
    void shouldLeaveNothingOpenIfTheBudgetIsTooLarge() throws Exception
    {
        assertConnectLeavesNothingOpen(IllegalStateException.class, (context) -> context.expectedLeaders(100_000));
    }
}
