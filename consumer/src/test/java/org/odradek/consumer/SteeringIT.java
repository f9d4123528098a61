// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.Deliveries.pollSomeMore;
import static org.odradek.consumer.support.Deliveries.pollUntil;
import static org.odradek.consumer.support.Deliveries.pollWithoutFetches;

/**
 * Tests assign, unassign, seek, pause and resume, between polls and in handlers, with a response delivered in part.
 */
@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class SteeringIT
{
    private static final int RECORDS = 300;

    private final TransportType transport;
    private final Deliveries deliveries = new Deliveries();

    SteeringIT(final TransportType transport)
    {
        this.transport = transport;
    }

    private TopicConsumer connect(final int partitions)
    {
        return TopicConsumer.connect(SharedBroker.context(transport, SharedBroker.topic(partitions, RECORDS)));
    }

    private static long discarded(final TopicConsumer consumer)
    {
        return consumer.counters().get(ConsumerCounters.BYTES_DISCARDED);
    }

    // Behaviour J120, tried 2026-11-29: Data fetched before a seek is dropped, whether or not the partition is paused
    // and resumed.
    @Test
    void shouldContinueAtTheOffsetSoughtBetweenPolls()
    {
        try (TopicConsumer consumer = connect(1))
        {
            pollUntil(consumer, deliveries, 10, () -> deliveries.count() == 10);
            assertEquals(0, discarded(consumer));

            consumer.seek(0, 250);
            assertEquals(250, consumer.nextOffset(0));
            deliveries.expect(0, 250).pollUntilCount(consumer, 60);
            final long discardedBytes = discarded(consumer);
            assertTrue(discardedBytes > 290L * SharedBroker.VALUE_LENGTH, "discarded " + discardedBytes);

            consumer.seek(0, 5);
            deliveries.expect(0, 5).pollUntilCount(consumer, 60 + RECORDS - 5);
            assertEquals(RECORDS, consumer.nextOffset(0));
            pollSomeMore(consumer, deliveries);
            assertEquals(60 + RECORDS - 5, deliveries.count());
        }
    }

    @Test
    void shouldCountEveryByteAsDeliveredOrDiscarded()
    {
        try (TopicConsumer consumer = connect(1))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            final long all = consumer.counters().get(ConsumerCounters.RECORD_BYTES);
            assertEquals(0, discarded(consumer));

            consumer.seek(0, 0);
            pollUntil(consumer, deliveries.expect(0, 0), 1, () -> deliveries.count() == RECORDS + 1);
            consumer.seek(0, RECORDS);
            deliveries.expect(0, RECORDS);
            pollSomeMore(consumer, deliveries);

            assertEquals(RECORDS + 1, deliveries.count());
            assertEquals(all, consumer.counters().get(ConsumerCounters.RECORD_BYTES));
            assertEquals(all, discarded(consumer));
        }
    }

    @Test
    void shouldContinueAtTheOffsetSoughtInAHandler()
    {
        try (TopicConsumer consumer = connect(2))
        {
            final RecordHandler handler = (record) ->
            {
                deliveries.onRecord(record);
                if (record.partition() == 0 && deliveries.count(0) == 20)
                {
                    consumer.seek(0, 7);
                    deliveries.expect(0, 7);
                }
            };

            pollUntil(consumer, handler, Integer.MAX_VALUE, () -> deliveries.count() == 2 * RECORDS + 13);

            assertEquals(RECORDS, deliveries.expected(0));
            assertEquals(RECORDS, deliveries.expected(1));
            assertTrue(discarded(consumer) > 0);
        }
    }

    // Behaviour E51, J122.
    @Test
    void shouldDeliverNothingOfAPausedPartition()
    {
        try (TopicConsumer consumer = connect(3))
        {
            pollUntil(consumer, deliveries, 7, () -> deliveries.count() >= 7);
            final int paused = deliveries.lastPartition();
            final int before = deliveries.count(paused);
            assertFalse(consumer.isPaused(paused));
            consumer.pause(paused);
            assertTrue(consumer.isPaused(paused));

            deliveries.pollUntilCount(consumer, 2 * RECORDS + before);
            pollSomeMore(consumer, deliveries);
            assertEquals(before, deliveries.count(paused));
            assertEquals(before, consumer.nextOffset(paused));
            assertTrue(discarded(consumer) > 0);

            consumer.resume(paused);
            assertFalse(consumer.isPaused(paused));
            deliveries.pollUntilCount(consumer, 3 * RECORDS);
        }
    }

    @Test
    void shouldDeliverNothingAfterAPauseInAHandler()
    {
        try (TopicConsumer consumer = connect(2))
        {
            final RecordHandler handler = (record) ->
            {
                deliveries.onRecord(record);
                if (record.partition() == 1 && record.offset() == 41)
                {
                    consumer.pause(1);
                }
            };
            pollUntil(consumer, handler, Integer.MAX_VALUE, () -> deliveries.count() == RECORDS + 42);
            pollSomeMore(consumer, handler);
            assertEquals(42, deliveries.count(1));

            consumer.resume(1);
            pollUntil(consumer, handler, Integer.MAX_VALUE, () -> deliveries.count() == 2 * RECORDS);
        }
    }

    // Behaviour J122, tried 2026-11-29: Data that has arrived for a paused partition is dropped, counted, and fetched
    // again after the resume.
    @Test
    void shouldLoseNothingWhenPausedAndResumedAtOnce()
    {
        try (TopicConsumer consumer = connect(2))
        {
            final RecordHandler handler = (record) ->
            {
                deliveries.onRecord(record);
                consumer.pause(record.partition());
                consumer.resume(record.partition());
            };
            // Each record is fetched again, so a few are enough.
            pollUntil(consumer, handler, 3, () -> deliveries.count() >= 12);
            assertTrue(discarded(consumer) > 0);
            deliveries.pollUntilCount(consumer, 2 * RECORDS);
        }
    }

    // Behaviour J123, tried 2026-11-29: Unassigning a partition drops its buffered data and its pause.
    @Test
    void shouldDropReceivedRecordsOfAnUnassignedPartition()
    {
        try (TopicConsumer consumer = connect(2))
        {
            pollUntil(consumer, deliveries, 5, () -> deliveries.count() >= 5);
            final int gone = deliveries.lastPartition();
            final int before = deliveries.count(gone);
            consumer.unassign(gone);
            assertFalse(consumer.isAssigned(gone));

            deliveries.pollUntilCount(consumer, RECORDS + before);
            pollSomeMore(consumer, deliveries);
            assertEquals(before, deliveries.count(gone));
            assertThrows(IllegalStateException.class, () -> consumer.nextOffset(gone));

            consumer.assign(gone, StartPosition.offset(200));
            deliveries.expect(gone, 200).pollUntilCount(consumer, RECORDS + before + 100);
        }
    }

    @Test
    void shouldDeliverNothingAfterAnUnassignInAHandler()
    {
        try (TopicConsumer consumer = connect(1))
        {
            final RecordHandler handler = (record) ->
            {
                deliveries.onRecord(record);
                if (record.offset() == 10)
                {
                    consumer.unassign(0);
                }
            };
            pollUntil(consumer, handler, Integer.MAX_VALUE, () -> deliveries.count() == 11);
            pollWithoutFetches(consumer, handler);
            assertEquals(11, deliveries.count());
            assertTrue(discarded(consumer) > 0);

            consumer.assign(0, StartPosition.earliest());
            deliveries.expect(0, 0);
            pollUntil(consumer, deliveries, Integer.MAX_VALUE, () -> deliveries.count() == 11 + RECORDS);
        }
    }

    // Behaviour K132.
    @Test
    void shouldBeginAtTheStartPositionWhenAssignedAgain()
    {
        try (TopicConsumer consumer = connect(1))
        {
            pollUntil(consumer, deliveries, 9, () -> deliveries.count() == 9);
            consumer.assign(0, StartPosition.earliest());
            assertEquals(-1, consumer.nextOffset(0));
            deliveries.expect(0, 0).pollUntilCount(consumer, 9 + RECORDS);
        }
    }

    // Behaviour J124, tried 2026-11-29: Negative offsets are refused. Each method that changes or describes an assigned
    // partition refuses a partition that is not assigned.
    @Test
    void shouldRefuseToSteerAnUnassignedPartition()
    {
        try (TopicConsumer consumer = connect(1))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            assertThrows(IllegalStateException.class, () -> consumer.seek(1, 0));
            assertThrows(IllegalStateException.class, () -> consumer.pause(1));
            assertThrows(IllegalStateException.class, () -> consumer.resume(1));
            assertThrows(IllegalStateException.class, () -> consumer.unassign(1));
            assertThrows(IllegalStateException.class, () -> consumer.isPaused(1));
            assertThrows(IllegalStateException.class, () -> consumer.isStopped(1));
            assertThrows(IllegalStateException.class, () -> consumer.nextOffset(1));
            assertThrows(IllegalStateException.class, () -> consumer.highWatermark(1));
            assertThrows(IllegalStateException.class, () -> consumer.lastStableOffset(1));
            assertThrows(IllegalStateException.class, () -> consumer.lag(1));
            assertThrows(IllegalArgumentException.class, () -> consumer.seek(0, -1));
            assertThrows(IllegalArgumentException.class, () -> consumer.assign(-1, StartPosition.earliest()));
            assertEquals(RECORDS, consumer.nextOffset(0));
        }
    }
}
