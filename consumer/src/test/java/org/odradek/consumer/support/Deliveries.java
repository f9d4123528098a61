// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.Await;

import java.util.Arrays;
import java.util.function.BooleanSupplier;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;
import static org.odradek.consumer.support.SharedBroker.VALUE_LENGTH;

/**
 * Compares the offset of every record with the next expected one of its partition, and its value with the expected one:
 * a record that is lost, repeated, out of order or holds other bytes fails the poll.
 */
public final class Deliveries implements RecordHandler
{
    private static final int MAX_PARTITIONS = 64;
    private static final int WAITS = 600;

    private final long[] expected = new long[MAX_PARTITIONS];
    private final int[] counts = new int[MAX_PARTITIONS];
    private int lastPartition = -1;

    @Override
    public void onRecord(final Record record)
    {
        final int partition = record.partition();
        check(record);
        expected[partition]++;
        counts[partition]++;
        lastPartition = partition;
    }

    /** Checks that the record is the next one, without counting it. */
    public void check(final Record record)
    {
        final int partition = record.partition();
        assertEquals(expected[partition], record.offset(), () -> "offset in partition " + partition);
        assertEquals(VALUE_LENGTH, record.valueLength());
        assertEquals(partition, record.buffer().getInt(record.valueIndex(), BIG_ENDIAN));
        assertEquals(record.offset(), record.buffer().getLong(record.valueIndex() + Integer.BYTES, BIG_ENDIAN));
    }

    /** Sets the next expected offset. */
    public Deliveries expect(final int partition, final long offset)
    {
        expected[partition] = offset;
        return this;
    }

    public long expected(final int partition)
    {
        return expected[partition];
    }

    public int count(final int partition)
    {
        return counts[partition];
    }

    public int count()
    {
        return Arrays.stream(counts).sum();
    }

    public int lastPartition()
    {
        return lastPartition;
    }

    public void pollUntilCount(final TopicConsumer consumer, final int count)
    {
        pollUntil(consumer, this, Integer.MAX_VALUE, () -> count() >= count);
        assertEquals(count, count(), consumer::describe);
    }

    public static void pollUntil(
        final TopicConsumer consumer,
        final RecordHandler handler,
        final int recordLimit,
        final BooleanSupplier condition)
    {
        for (int i = 0; !condition.getAsBoolean(); )
        {
            final int records = consumer.poll(handler, recordLimit, SECOND_NS / 20);
            if (records == 0 && ++i == WAITS)
            {
                throw new AssertionError("timed out: " + consumer.describe());
            }
        }
    }

    /**
     * Polls until so many fetches were answered that a record which must not be delivered would have been delivered.
     */
    public static void pollSomeMore(final TopicConsumer consumer, final RecordHandler handler)
    {
        final long fetches = consumer.counters().fetches();
        Await.until("four fetches", () ->
        {
            consumer.poll(handler, Integer.MAX_VALUE, SECOND_NS / 50);
            return consumer.counters().fetches() >= fetches + 4;
        });
    }

    /** Polls a consumer that reads no partition. */
    public static void pollWithoutFetches(final TopicConsumer consumer, final RecordHandler handler)
    {
        for (int i = 0; i < 20; i++)
        {
            consumer.poll(handler, Integer.MAX_VALUE, SECOND_NS / 50);
        }
    }
}
