// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests when a poll ends because of its time, at exact times: between two batches, and inside one for a member of a
 * group. Everything is delivered once and in order by the polls together.
 */
class DeliveryTimeTest
{
    private static final int LIMIT = 100_000;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ReaderFixture fixture = new ReaderFixture(1, 1 << 16);
    private final PartitionTable table = fixture.table;
    private final List<Long> delivered = new ArrayList<>();
    private FetchReader reader;
    /** What the handler takes for a record, or batch. */
    private long handlerMs;

    @AfterEach
    void free()
    {
        fixture.free();
    }

    private static MemoryRecords batch(
        final Compression compression, final long baseOffset, final int count, final long lastOffset)
    {
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
            ByteBuffer.allocate(1 << 15), compression, TimestampType.CREATE_TIME, baseOffset))
        {
            for (int i = 0; i < count; i++)
            {
                builder.appendWithOffset(baseOffset + i, 1, null, new byte[1]);
            }
            builder.overrideLastOffset(lastOffset);
            return builder.build();
        }
    }

    /** Opens a response with batches of an equal number of records. */
    private void open(
        final long nextOffset, final Compression compression, final int batches, final int recordsPerBatch)
    {
        fixture.begin();
        for (int i = 0; i < batches; i++)
        {
            final long baseOffset = (long)i * recordsPerBatch;
            fixture.append(batch(compression, baseOffset, recordsPerBatch, baseOffset + recordsPerBatch - 1));
        }
        fixture.entry(0, nextOffset, 0, fixture.filled());
        begin();
    }

    private void begin()
    {
        reader = reader == null ? fixture.reader(false) : reader;
        reader.open(fixture.fetcher);
        reader.deliverRecordsTo((record) ->
        {
            delivered.add(record.offset());
            fixture.nowNs += handlerMs * MS;
            return Action.CONTINUE;
        });
        fixture.reads = 0;
    }

    private int poll()
    {
        reader.begin(fixture.nowNs);
        return reader.poll(LIMIT);
    }

    /** Polls to the end of the response, and returns how many records each poll has delivered. */
    private List<Integer> pollAll()
    {
        final List<Integer> polls = new ArrayList<>();
        while (reader.isOpen())
        {
            final int count = poll();
            // Perhaps it has only found that it was at the end.
            if (count > 0 || reader.isOpen())
            {
                polls.add(count);
            }
            assertTrue(polls.size() < LIMIT, polls::toString);
        }
        return polls;
    }

    private void assertDelivered(final long from, final long to)
    {
        assertEquals(LongStream.range(from, to).boxed().toList(), delivered);
        assertEquals(to, table.nextOffset(0));
        assertEquals(List.of(), fixture.errorMessages());
    }

    // Behaviour P232, tried 2026-11-29: When a poll has delivered for 100 ms, it ends between two batches, at most 16
    // batches later, also if batches are only skipped or decompressed. Each poll delivers or skips at least one batch,
    // and all polls together deliver each record once.
    @Test
    void shouldEndBetweenBatchesAndReadTheClockAfterEachSixteenth()
    {
        open(0, Compression.NONE, 60, 1);
        handlerMs = 10;
        assertEquals(List.of(16, 10, 10, 10, 10, 4), pollAll());
        assertDelivered(0, 60);
        handlerMs = 0;
        open(0, Compression.NONE, 320, 1);
        delivered.clear();
        assertEquals(List.of(320), pollAll());
        // It was read after each before, and is read less and less often.
        assertTrue(fixture.reads >= 20 && fixture.reads <= 26, () -> fixture.reads + " times");
    }

    @Test
    void shouldNotEndInsideABatchUnlessItIsAMember()
    {
        open(0, Compression.NONE, 2, 100);
        handlerMs = 10;
        assertEquals(List.of(200), pollAll());
        open(0, Compression.gzip().build(), 2, 100);
        assertEquals(List.of(100, 100), pollAll());
    }

    // Behaviour P232.
    @Test
    void shouldReadTheClockAfterEachCompressedBatch()
    {
        open(0, Compression.gzip().build(), 6, 1);
        handlerMs = 40;
        assertEquals(List.of(3, 3), pollAll());
        assertDelivered(0, 6);
    }

    /** A batch is decompressed and passed over as a whole whose records are all before the next offset. */
    // Behaviour P232.
    @Test
    void shouldEndAfterBatchesThatHoldNothingToDeliver()
    {
        fixture.begin();
        for (int i = 0; i < 10; i++)
        {
            fixture.append(batch(Compression.gzip().build(), 100, 5, 999));
        }
        fixture.append(batch(Compression.NONE, 500, 1, 500));
        fixture.entry(0, 500, 0, fixture.filled());
        begin();
        fixture.readNs = 60 * MS;
        // After the first such batch the next offset is the one after it, so the others are skipped by their headers.
        assertEquals(List.of(0, 0, 0, 0, 0), pollAll());
        assertEquals(1_000, table.nextOffset(0));
    }

    // Behaviour P232.
    @Test
    void shouldEndAfterBatchesThatAreSkippedAndSkipOneAtLeast()
    {
        open(19, Compression.NONE, 20, 1);
        fixture.readNs = 200 * MS;
        final List<Integer> polls = pollAll();
        assertEquals(1, polls.get(polls.size() - 1));
        assertEquals(20, polls.size(), polls::toString);
        assertDelivered(19, 20);
    }

    // Behaviour P233, tried 2026-11-29: A poll of a group's member ends inside a batch, too, and delivers at least one
    // record, so a batch that takes longer than the session does not end the membership.
    @Test
    void shouldEndInsideABatchOfAMember()
    {
        fixture.joinGroup();
        open(0, Compression.NONE, 1, 60);
        handlerMs = 10;
        assertEquals(List.of(16, 10, 10, 10, 10, 4), pollAll());
        assertDelivered(0, 60);
    }

    // Behaviour P233.
    @Test
    void shouldDeliverOneRecordAtLeastToAMemberAndNoMoreIfRecordsTakeLong()
    {
        fixture.joinGroup();
        open(0, Compression.gzip().build(), 2, 20);
        handlerMs = 60_000;
        final List<Integer> polls = pollAll();
        assertEquals(16, polls.get(0));
        assertTrue(polls.subList(1, polls.size()).stream().allMatch((count) -> count <= 1), polls::toString);
        assertDelivered(0, 40);
        delivered.clear();
        open(0, Compression.NONE, 20, 1);
        assertTrue(pollAll().stream().allMatch((count) -> count <= 1));
        assertDelivered(0, 20);
    }

    /** The thread was suspended after the time of the poll began. */
    @Test
    void shouldDeliverOneRecordAtLeastToAMemberThatIsSlowToBegin()
    {
        fixture.joinGroup();
        open(0, Compression.NONE, 1, 20);
        fixture.readNs = 200 * MS;
        assertEquals(1, pollAll().get(0));
        assertDelivered(0, 20);
    }

    @Test
    void shouldReadTheClockForAMemberAfterSixteenRecordsUnlessTheyAreSlow()
    {
        fixture.joinGroup();
        open(0, Compression.NONE, 1, 1_600);
        assertEquals(List.of(1_600), pollAll());
        assertTrue(fixture.reads >= 100 && fixture.reads <= 103, () -> fixture.reads + " times");
    }

    // Behaviour P233.
    @Test
    void shouldCountRecordsOfAMemberThatArePassedOver()
    {
        fixture.joinGroup();
        open(995, Compression.gzip().build(), 1, 1_000);
        fixture.readNs = 9 * MS;
        final List<Integer> polls = pollAll();
        // In each poll the clock is read about 11 times, after 16 records.
        assertTrue(polls.size() >= 4 && polls.size() <= 8, polls::toString);
        assertEquals(5, polls.stream().mapToInt(Integer::intValue).sum());
        assertDelivered(995, 1_000);
    }

    @Test
    void shouldObeyTheLimitOfThePollAlthoughRecordsArePassedOver()
    {
        open(95, Compression.NONE, 1, 100);
        reader.begin(0);
        assertEquals(2, reader.poll(2));
        fixture.joinGroup();
        assertEquals(3, reader.poll(10));
        assertDelivered(95, 100);
    }

    @Test
    void shouldDeliverBatchesOfAMemberAsAWhole()
    {
        fixture.joinGroup();
        open(0, Compression.NONE, 4, 30);
        reader.deliverBatchesTo((batch) ->
        {
            fixture.nowNs += 60 * MS;
            return Action.CONTINUE;
        });
        assertEquals(List.of(2, 2), pollAll());
        assertEquals(120, table.nextOffset(0));
    }

    /** Soon after the membership is not certain any more, nothing is delivered, inside a batch, too. */
    // Behaviour O183.
    @Test
    void shouldStopInsideABatchWhenDeliveryIsFenced()
    {
        fixture.joinGroup();
        open(0, Compression.NONE, 1, 100);
        table.deliverUntil(5 * MS);
        handlerMs = 1;
        assertEquals(16, poll());
        assertEquals(0, poll());
        assertTrue(reader.isOpen() && reader.isFenced());
        table.deliverUntil(1_000_000 * MS);
        assertFalse(reader.isFenced());
        pollAll();
        assertDelivered(0, 100);
    }

    // Behaviour O183.
    @Test
    void shouldStopAfterABatchWhenDeliveryIsFenced()
    {
        fixture.joinGroup();
        open(0, Compression.NONE, 4, 30);
        table.deliverUntil(50 * MS);
        reader.deliverBatchesTo((batch) ->
        {
            fixture.nowNs += 60 * MS;
            return Action.CONTINUE;
        });
        assertEquals(1, poll());
        assertEquals(0, poll());
        assertTrue(reader.isOpen() && reader.isFenced());

        table.deliverUntil(1_000_000 * MS);
        pollAll();
        assertEquals(120, table.nextOffset(0));
    }

    @Test
    void shouldEndWithinTheNextResponseToo()
    {
        fixture.joinGroup();
        open(0, Compression.NONE, 1, 1);
        handlerMs = 100;
        assertEquals(1, poll());
        fixture.begin();
        fixture.append(batch(Compression.NONE, 1, 1, 1));
        fixture.entry(0, 1, 0, fixture.filled());
        reader.open(fixture.fetcher);
        assertEquals(0, reader.poll(LIMIT));
        assertTrue(reader.isOpen());
        assertEquals(1, poll());
        assertDelivered(0, 2);
    }
}
