// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientException;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.StopReason;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.testkit.Await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.Deliveries.pollUntil;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;

/**
 * Tests how a poll ends (at its limit, by an action of the handler, by its failure) and what a handler may call.
 */
@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class RecordHandlerIT
{
    private static final int RECORDS = 120;
    private static final int MANY_WAITS = 3;

    private final TransportType transport;
    private final Deliveries deliveries = new Deliveries();
    private final List<Throwable> errors = new ArrayList<>();
    private TopicConsumer connected;

    RecordHandlerIT(final TransportType transport)
    {
        this.transport = transport;
    }

    private TopicConsumer connect(final int partitions)
    {
        final String topic = SharedBroker.topic(partitions, RECORDS);
        connected = TopicConsumer.connect(SharedBroker.context(transport, topic).errorHandler(errors::add));
        assertTrue(connected.awaitReady(60 * SECOND_NS), connected::describe);
        return connected;
    }

    /** Polls until the handler has been called at least once. */
    private int pollOnce(final ControlledRecordHandler handler)
    {
        final int[] calls = new int[1];
        int records = 0;
        for (int i = 0; i < 1_000 && calls[0] == 0; i++)
        {
            records = connected.controlledPoll(
                (record) ->
                {
                    calls[0]++;
                    return handler.onRecord(record);
                }, 1_000, SECOND_NS / 20);
        }
        assertTrue(calls[0] > 0, connected::describe);
        return records;
    }

    // Behaviour J119, tried 2026-11-29: The offset advances when records are delivered, not when they are received.
    // Behaviour J125, tried 2026-11-29: A record limit splits a fetch without loss; a limit below 1 is refused.
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7})
    void shouldDeliverNoMoreThanTheLimit(final int recordLimit)
    {
        try (TopicConsumer consumer = connect(3))
        {
            for (int i = 0; i < 10_000 && deliveries.count() < 3 * RECORDS; i++)
            {
                final int before = deliveries.count();
                final int records = consumer.poll(deliveries, recordLimit, SECOND_NS / 20);
                assertEquals(records, deliveries.count() - before);
                assertTrue(records <= recordLimit);
                assertEquals(deliveries.count(), consumer.counters().records());
                for (int p = 0; p < 3; p++)
                {
                    assertEquals(deliveries.expected(p), consumer.nextOffset(p));
                }
            }
            assertEquals(3 * RECORDS, deliveries.count());
            assertEquals(0, consumer.counters().get(ConsumerCounters.BYTES_DISCARDED));
        }
    }

    // Behaviour P208, tried 2026-11-30: The end of a poll adds the delivered records to the counter of records, which
    // other threads see.
    @Test
    void shouldCountTheRecordsAtTheEndOfThePoll()
    {
        try (TopicConsumer consumer = connect(1))
        {
            final List<Long> counted = new ArrayList<>();
            final List<Long> nextOffsets = new ArrayList<>();
            final int records = pollOnce((record) ->
            {
                counted.add(consumer.counters().records());
                nextOffsets.add(consumer.nextOffset(0));
                return record.offset() == 4 ? Action.BREAK : record.offset() == 2 ? null : Action.CONTINUE;
            });

            assertEquals(5, records);
            assertEquals(List.of(0L, 0L, 0L, 0L, 0L), counted);
            assertEquals(List.of(1L, 2L, 3L, 4L, 5L), nextOffsets);
            assertEquals(5, consumer.counters().records());
            deliveries.expect(0, 5).pollUntilCount(consumer, RECORDS - 5);
        }
    }

    @Test
    void shouldContinueAfterARecordWhoseHandlerFailed()
    {
        try (TopicConsumer consumer = connect(2))
        {
            while (deliveries.count() < 2 * RECORDS)
            {
                assertEquals(1, pollOnce((record) ->
                {
                    deliveries.onRecord(record);
                    return Action.BREAK;
                }));
            }
            assertEquals(2 * RECORDS, consumer.counters().records());
        }
    }

    @Test
    void shouldDeliverNothingElseUntilARefusedRecordIsAccepted()
    {
        try (TopicConsumer consumer = connect(2))
        {
            final int[] refused = {-1, 0};
            assertEquals(0, pollOnce((record) ->
            {
                refused[0] = record.partition();
                deliveries.check(record);
                return Action.ABORT;
            }));
            assertEquals(0, consumer.nextOffset(refused[0]));
            for (int i = 0; i < 5; i++)
            {
                assertEquals(0, pollOnce((record) ->
                {
                    assertEquals(refused[0], record.partition());
                    deliveries.check(record);
                    refused[1]++;
                    return Action.ABORT;
                }));
            }
            assertEquals(5, refused[1]);
            assertEquals(0, consumer.counters().records());
            deliveries.pollUntilCount(consumer, 2 * RECORDS);
            assertEquals(0, consumer.counters().get(ConsumerCounters.BYTES_DISCARDED));
        }
    }

    @Test
    void shouldDeliverOthersWhenARefusedPartitionIsPaused()
    {
        try (TopicConsumer consumer = connect(2))
        {
            pollOnce((record) ->
            {
                if (record.offset() == 2)
                {
                    deliveries.check(record);
                    return Action.ABORT;
                }
                deliveries.onRecord(record);
                return Action.CONTINUE;
            });
            final int held = deliveries.lastPartition();
            consumer.pause(held);
            deliveries.pollUntilCount(consumer, RECORDS + 2);
            assertEquals(2, consumer.nextOffset(held));

            consumer.resume(held);
            deliveries.pollUntilCount(consumer, 2 * RECORDS);
        }
    }

    @Test
    void shouldContinueAtTheOffsetSoughtAfterARefusal()
    {
        try (TopicConsumer consumer = connect(1))
        {
            pollOnce((record) -> Action.ABORT);
            consumer.seek(0, 70);
            deliveries.expect(0, 70).pollUntilCount(consumer, RECORDS - 70);
        }
    }

    @Test
    void shouldContinueAtTheOffsetSoughtDuringARefusal()
    {
        try (TopicConsumer consumer = connect(1))
        {
            assertEquals(0, pollOnce((record) ->
            {
                consumer.seek(0, 70);
                return Action.ABORT;
            }));
            deliveries.expect(0, 70).pollUntilCount(consumer, RECORDS - 70);
        }
    }

    @Test
    void shouldNotLoseARefusedRecordWhenItsBatchIsDiscarded()
    {
        try (TopicConsumer consumer = connect(1))
        {
            // The record is the last of its batch: for any other, the broker would send the whole batch again anyway.
            final long last = RECORDS / 3 - 1;
            pollUntil(consumer, deliveries, 1, () -> deliveries.expected(0) == last);
            assertEquals(0, pollOnce((record) ->
            {
                deliveries.check(record);
                consumer.pause(0);
                consumer.resume(0);
                return Action.ABORT;
            }));
            assertEquals(last, consumer.nextOffset(0));
            deliveries.pollUntilCount(consumer, RECORDS);
        }
    }

    // Behaviour J129, tried 2026-11-30: With the policies STOP and THROW, the partition stops at the record after an
    // exception of the handler other than AgentTerminationException, and the other partitions continue, also in a
    // group. `resume` delivers the same record again, after a backoff. With the policy THROW, the poll also throws an
    // exception with this cause; with SKIP, the record counts as delivered. Exceptions of listeners and error handlers
    // stop no partition.
    @Test
    void shouldStopThePartitionOfAHandlerThatThrowsAndDeliverTheRecordAgain()
    {
        try (TopicConsumer consumer = connect(2))
        {
            final RuntimeException planted = new IllegalArgumentException("planted");
            final boolean[] isFailing = {true};
            final RecordHandler handler = (record) ->
            {
                if (isFailing[0] && record.partition() == 0 && record.offset() == 5)
                {
                    throw planted;
                }
                deliveries.onRecord(record);
            };
            pollUntil(consumer, handler, 1_000, () -> deliveries.count() == RECORDS + 5 && !errors.isEmpty());

            assertTrue(consumer.isStopped(0));
            assertEquals(5, consumer.nextOffset(0));
            assertEquals(RECORDS + 5, consumer.counters().records());
            assertEquals(1, consumer.counters().get(ConsumerCounters.HANDLER_ERRORS));
            assertEquals(ClientException.class, errors.get(0).getClass());
            assertSame(planted, errors.get(0).getCause());
            assertTrue(errors.get(0).getMessage().contains("offset 5 of partition 0"), errors.get(0).getMessage());

            isFailing[0] = false;
            consumer.resume(0);
            pollUntil(consumer, handler, 1_000, () -> deliveries.count() == 2 * RECORDS);
            assertEquals(1, errors.size());
            assertEquals(2 * RECORDS, consumer.counters().records());
        }
    }

    @Test
    void shouldThrowAnErrorOfTheHandlerFromThePoll()
    {
        try (TopicConsumer consumer = connect(1))
        {
            final RecordHandler handler = (record) ->
            {
                if (record.offset() == 5)
                {
                    throw new StackOverflowError("planted");
                }
                deliveries.onRecord(record);
            };
            assertThrows(StackOverflowError.class, () -> pollUntil(consumer, handler, 1_000, () -> false));
            assertEquals(5, consumer.counters().records());
            consumer.resume(0);
            pollUntil(consumer, deliveries, 1_000, () -> deliveries.count() == RECORDS);
        }
    }

    @Test
    void shouldRefuseToBePolledAssignedAndClosedByAHandler()
    {
        try (TopicConsumer consumer = connect(1))
        {
            final RecordHandler other = (record) ->
            {
                throw new AssertionError("another handler was given offset " + record.offset());
            };
            final RecordHandler handler = (record) ->
            {
                deliveries.onRecord(record);
                assertThrows(IllegalStateException.class, () -> consumer.poll(other, 1));
                assertThrows(IllegalStateException.class, () -> consumer.poll(other, 1, 1));
                assertThrows(IllegalStateException.class, () -> consumer.controlledPoll((r) -> null, 1));
                assertThrows(IllegalStateException.class, () -> consumer.pollBatches((b) -> null, 1));
                assertThrows(IllegalStateException.class, () -> consumer.awaitReady(1));
                assertThrows(IllegalStateException.class, () -> consumer.assign(0, StartPosition.latest()));
                assertThrows(IllegalStateException.class, () -> connected.close());
            };
            pollUntil(consumer, handler, 1_000, () -> deliveries.count() == RECORDS);
            assertEquals(List.of(), errors);
        }
    }

    @Test
    void shouldLetAHandlerWakeItsConsumer()
    {
        try (TopicConsumer consumer = connect(1))
        {
            pollOnce((record) ->
            {
                consumer.wakeup();
                deliveries.onRecord(record);
                return Action.BREAK;
            });
            deliveries.pollUntilCount(consumer, RECORDS);
            assertEquals(List.of(), errors);
        }
    }

    /** Also if the poll has waited before it called the handler. */
    @Test
    void shouldEndTheNextWaitIfAHandlerWakesItsConsumer() throws Exception
    {
        final String topic = SharedBroker.topic(1, 0);
        final AtomicInteger waits = new AtomicInteger(MANY_WAITS);
        try (Poller poller = new ForwardingPoller(ConsumerContext.openPoller(transport))
            {
                @Override
                public int await(final long timeoutNs)
                {
                    if (timeoutNs > 0 && waits.incrementAndGet() == MANY_WAITS)
                    {
                        wakeup();
                        connected.wakeup();
                    }
                    return super.await(timeoutNs);
                }
            };
            TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
                .bootstrapServers(SharedBroker.bootstrapServers()).topic(topic).poller(poller)
                .startPosition(StartPosition.earliest())))
        {
            connected = consumer;
            assertTrue(consumer.awaitReady(60 * SECOND_NS), consumer::describe);
            waits.set(MANY_WAITS);
            final Thread writer = new Thread(() ->
            {
                Await.until("a wait", 60_000, () -> waits.get() > MANY_WAITS);
                SharedBroker.append(topic, 0, 0, 1);
            });
            writer.start();
            assertEquals(1, consumer.poll((record) -> consumer.wakeup(), 10, 60 * SECOND_NS));
            writer.join();

            waits.set(0);
            assertEquals(0, consumer.poll(deliveries, 10, 60 * SECOND_NS));
            assertTrue(waits.get() < MANY_WAITS, () -> waits + " waits");
        }
    }

    /** It may have continued the partition. */
    @Test
    void shouldReportNoStopThatTheErrorHandlerHasEnded()
    {
        final List<Integer> stops = new ArrayList<>();
        final List<Long> offsets = new ArrayList<>();
        connected = TopicConsumer.connect(SharedBroker.context(transport, SharedBroker.topic(1, RECORDS))
            .errorHandler((error) -> connected.seek(0, RECORDS - 2)).listener(new ConsumerListener()
            {
                @Override
                public void onPartitionStopped(
                    final int partition, final long nextOffset, final StopReason reason, final short errorCode)
                {
                    stops.add(partition);
                }
            }));
        try (TopicConsumer consumer = connected)
        {
            for (int i = 0; i < 1_000 && offsets.size() < 2; i++)
            {
                consumer.poll((record) ->
                {
                    if (record.offset() == 0)
                    {
                        throw new IllegalStateException("planted");
                    }
                    offsets.add(record.offset());
                }, 10, SECOND_NS / 20);
            }
            assertEquals(List.of(RECORDS - 2L, RECORDS - 1L), offsets);
            assertEquals(List.of(), stops);
            assertEquals(1, consumer.counters().get(ConsumerCounters.PARTITIONS_STOPPED));
        }
    }

    @Test
    void shouldRefuseNoHandler()
    {
        try (TopicConsumer consumer = connect(1))
        {
            assertThrows(NullPointerException.class, () -> consumer.poll(null, 1));
            assertThrows(NullPointerException.class, () -> consumer.controlledPoll(null, 1));
            assertThrows(NullPointerException.class, () -> consumer.pollBatches(null, 1));
            deliveries.pollUntilCount(consumer, RECORDS);
        }
    }
}
