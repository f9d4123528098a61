// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.protocol.record.Record;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Closes consumers at random moments from random threads while their owner polls them. Everything must be freed once,
 * and no freed memory may be read: the build runs this test with freed memory overwritten, and never repeats it after a
 * failure.
 */
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class CloseStressTest
{
    private static final int ROUNDS = Integer.getInteger("odradek.close.rounds", 200);
    private static final int RECORDS = 64;
    private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long MAX_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private final TransportType transport;
    private final Random random = new Random(0x0DDBA11);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final AtomicInteger records = new AtomicInteger();
    private final OneTopicBroker broker = OneTopicBroker.start(1);

    CloseStressTest(final TransportType transport)
    {
        this.transport = transport;
        final String[] values = new String[RECORDS];
        for (int i = 0; i < RECORDS; i++)
        {
            values[i] = "value " + i;
        }
        broker.append(0, values);
    }

    @AfterEach
    void stop()
    {
        threads.shutdownNow();
        broker.close();
    }

    // Behaviour B30.
    @Test
    void shouldFreeOnceWhenClosedAtAnyMomentByAnyThread() throws Exception
    {
        runRounds(null, threads);
    }

    @Test
    void shouldFreeOnceWhenClosedAtAnyMomentOnASharedPoller() throws Exception
    {
        final ExecutorService owner = Executors.newSingleThreadExecutor();
        final Poller poller = ConsumerContext.openPoller(transport);
        try
        {
            runRounds(poller, owner);
            owner.submit(() -> poller.await(0)).get();
        }
        finally
        {
            owner.shutdown();
            assertTrue(owner.awaitTermination(10, TimeUnit.SECONDS));
            poller.close();
        }
    }

    private void runRounds(final Poller poller, final ExecutorService owners) throws Exception
    {
        round(poller, owners);
        final OpenResources before = new OpenResources();
        for (int i = 0; i < ROUNDS; i++)
        {
            round(poller, owners);
        }
        assertEquals(List.of(), errors);
        assertTrue(records.get() > ROUNDS / 10, records + " records");
        if (poller != null)
        {
            owners.submit(() -> poller.await(0)).get();
        }
        before.assertReleased();
    }

    private void round(final Poller poller, final ExecutorService owners) throws Exception
    {
        final CountingHandler frames = new CountingHandler();
        final ConsumerContext context = Reading.context(broker)
            .frameHandler(frames)
            .errorHandler((error) -> errors.add(String.valueOf(error)));
        final TopicConsumer consumer =
            TopicConsumer.connect(poller == null ? context.transport(transport) : context.poller(poller));
        final int recordsBefore = records.get();
        final int polls = random.nextInt(4) == 0 ? random.nextInt(20) : Integer.MAX_VALUE;
        final Future<?> owner = owners.submit(() -> pollUntilClosed(consumer, poller, polls));
        final boolean isReading = polls == Integer.MAX_VALUE && random.nextInt(3) == 0;
        final int closerCount = 1 + random.nextInt(3);
        final Future<?>[] closers = new Future<?>[closerCount];
        for (int i = 0; i < closerCount; i++)
        {
            // Most of these moments are while the consumer connects; a third wait for a record first.
            final double fraction = random.nextDouble();
            final long delayNs = (long)(fraction * fraction * MAX_DELAY_NS);
            final long timeoutNs = random.nextBoolean() ? 0 : TopicConsumer.CLOSE_TIMEOUT_NS;
            closers[i] = threads.submit(() ->
            {
                awaitRecords(isReading, recordsBefore);
                LockSupport.parkNanos(delayNs);
                assertTrue(consumer.close(timeoutNs) || timeoutNs == 0, consumer::describe);
            });
        }
        for (final Future<?> closer : closers)
        {
            closer.get();
        }
        owner.get();
        assertTrue(consumer.close(TopicConsumer.CLOSE_TIMEOUT_NS));
        assertEquals(0, consumer.resources.budget.heldBytes(), consumer::describe);
        assertEquals(1, frames.closes.get());
    }

    /** Waits for a record, however slow the machine is; not for ever, because the first closer ends the reading. */
    private void awaitRecords(final boolean isReading, final int recordsBefore)
    {
        final long deadlineNs = System.nanoTime() + MAX_WAIT_NS;
        while (isReading && records.get() == recordsBefore && deadlineNs - System.nanoTime() > 0)
        {
            LockSupport.parkNanos(POLL_NS);
        }
    }

    private void pollUntilClosed(final TopicConsumer consumer, final Poller poller, final int polls)
    {
        try
        {
            for (int i = 0; i < polls; i++)
            {
                poll(consumer, i);
                if (poller != null && i % 4 == 3)
                {
                    poller.await(POLL_NS);
                }
            }
        }
        catch (final IllegalStateException ex)
        {
            if (!"the consumer is closed".equals(ex.getMessage()))
            {
                errors.add(ex.toString());
            }
        }
        catch (final RuntimeException ex)
        {
            errors.add(ex.toString());
        }
    }

    private void poll(final TopicConsumer consumer, final int i)
    {
        switch (i % 5)
        {
            case 0:
                consumer.poll((record) -> onRecord(consumer, record), 7, POLL_NS);
                break;

            case 1:
                consumer.controlledPoll((record) ->
                {
                    onRecord(consumer, record);
                    return Action.BREAK;
                }, 7, POLL_NS);
                break;

            case 2:
                consumer.pollBatches((batch) -> Action.ABORT, 1);
                break;

            case 3:
                consumer.awaitReady(POLL_NS);
                break;

            default:
                if (consumer.isAssigned(0))
                {
                    consumer.seek(0, i % RECORDS);
                }
        }
    }

    private void onRecord(final TopicConsumer consumer, final Record record)
    {
        final String value =
            record.buffer().getStringWithoutLengthAscii(record.valueIndex(), record.valueLength());
        if (!("value " + record.offset()).equals(value))
        {
            errors.add("offset " + record.offset() + " has " + value);
        }
        records.incrementAndGet();
        if (record.offset() == RECORDS - 1)
        {
            consumer.seek(0, 0);
        }
    }

    private static final class CountingHandler implements FetchFrameHandler
    {
        private final AtomicInteger closes = new AtomicInteger();

        @Override
        public void onConnect(final String topic, final EpochClock clock, final ConsumerListener listener)
        {
        }

        @Override
        public boolean onFrame(final Frame frame)
        {
            return true;
        }

        @Override
        public void close()
        {
            closes.incrementAndGet();
        }
    }
}
