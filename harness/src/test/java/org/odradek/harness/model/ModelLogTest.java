// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ModelLogTest
{
    private static final long SEED = 0x0D0ADE5L;
    private static final long NOW_MS = 1_700_000_000_000L;
    private static final long PRODUCER = 42;

    private final ModelLog log = new ModelLog(1, () -> { });
    private final ModelRecord expected = new ModelRecord();

    @Test
    void shouldServeAllKindsOfBatchesAndKnowTheirRecords()
    {
        final BatchPool pool = BatchPool.mixed(SEED, 200, 0, 12, 100);
        final SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 500; i++)
        {
            log.leaderEpoch(i / 100);
            log.append(pool.draw(random), NOW_MS);
            log.skipOffsets(random.nextInt(8) == 0 ? 3 : 0);
        }

        long checked = 0;
        long offset = 0;
        final Set<Byte> magics = new HashSet<>();
        while (offset < log.endOffset())
        {
            final int length = log.readableLength(offset, log.endOffset(), Integer.MAX_VALUE, true);
            for (final RecordBatch batch : MemoryRecords.readableRecords(log.read(offset, length)).batches())
            {
                batch.ensureValid();
                magics.add(batch.magic());
                long hole = offset;
                for (final Record record : batch)
                {
                    while (hole < record.offset())
                    {
                        assertFalse(log.record(hole++, -1, expected), "hole at " + hole);
                    }
                    hole++;
                    assertTrue(log.record(record.offset(), batch.partitionLeaderEpoch(), expected));
                    assertSame(batch, record);
                    checked++;
                }
                offset = batch.lastOffset() + 1;
                while (hole < offset)
                {
                    assertFalse(log.record(hole++, -1, expected), "hole at the end of " + batch);
                }
            }
        }
        assertTrue(checked > 1_000);
        assertEquals(3, magics.size());
    }

    private void assertSame(final RecordBatch batch, final Record record)
    {
        assertEquals(record.offset(), expected.offset());
        assertEquals(record.timestamp(), expected.timestamp());
        assertEquals(batch.partitionLeaderEpoch(), expected.leaderEpoch());
        assertEquals(batch.lastOffset(), expected.lastOffset());
        assertArrayEquals(bytes(record.key()), field(expected.keyIndex(), expected.keyLength()));
        assertArrayEquals(bytes(record.value()), field(expected.valueIndex(), expected.valueLength()));
        assertArrayEquals(record.headers(), expected.headers());
    }

    private byte[] field(final int index, final int length)
    {
        return length < 0 ? null : Arrays.copyOfRange(expected.bytes(), index, index + length);
    }

    private static byte[] bytes(final ByteBuffer field)
    {
        if (field == null)
        {
            return null;
        }
        final byte[] bytes = new byte[field.remaining()];
        field.duplicate().get(bytes);
        return bytes;
    }

    @Test
    void shouldNumberEachValueOnce()
    {
        final BatchTemplate template = BatchPool.uniform(SEED, 1, 10, 20).get(0);
        final Set<Long> numbers = new HashSet<>();
        for (int i = 0; i < 5; i++)
        {
            log.append(template, NOW_MS);
        }

        for (long offset = 0; offset < log.endOffset(); offset++)
        {
            assertTrue(log.record(offset, -1, expected));
            numbers.add(ByteBuffer.wrap(expected.bytes()).getLong(expected.valueIndex()));
        }

        assertEquals(50, numbers.size());
    }

    @Test
    void shouldKnowTransactions()
    {
        final BatchTemplate batch = BatchTemplate.ofValues("a", "b");
        log.appendTransactional(batch, 0, PRODUCER, (short)0);
        log.append(batch);
        assertEquals(0, log.lastStableOffset());
        assertTrue(log.record(0, -1, expected) && expected.isOpen());

        log.endTransaction(PRODUCER, (short)0, false, 0);
        assertEquals(5, log.lastStableOffset());
        assertTrue(log.record(1, -1, expected) && expected.isAborted());
        assertTrue(log.record(2, -1, expected) && !expected.isAborted());
        assertFalse(log.record(4, -1, expected), "the marker");
        assertEquals(new AbortedTransaction().setProducerId(PRODUCER).setFirstOffset(0), log.aborted(3, 5).get(0));
        assertEquals(0, log.aborted(5, 6).size());

        log.truncate(4);
        assertEquals(0, log.lastStableOffset());
        assertEquals(0, log.aborted(0, 4).size());
        log.endTransaction(PRODUCER, (short)0, true, 0);
        assertTrue(log.record(1, -1, expected) && !expected.isAborted() && !expected.isOpen());
    }

    @Test
    void shouldKeepEpochsAndTruncatedRecords()
    {
        final BatchTemplate batch = BatchTemplate.ofValues("a", "b");
        log.leaderEpoch(3);
        log.append(batch);
        log.append(batch);
        log.leaderEpoch(5);
        log.append(batch);
        assertEquals(3, log.floorEpoch(4));
        assertEquals(4, log.epochEndOffset(4));
        assertEquals(6, log.epochEndOffset(5));
        assertEquals(-1, log.floorEpoch(6));

        log.truncate(3);
        assertEquals(2, log.endOffset());
        assertEquals(2, log.highWatermark());
        log.leaderEpoch(6);
        log.append(BatchTemplate.ofValues("c"));
        assertTrue(log.record(2, 3, expected), "truncated, but known");
        assertEquals(3, expected.leaderEpoch());
        assertTrue(log.record(2, 6, expected));
        assertEquals(6, expected.leaderEpoch());
        assertEquals(2, log.epochEndOffset(3));

        log.trim(4);
        assertFalse(log.record(2, 3, expected));
    }

    @Test
    void shouldFindATruncatedRecordWhereABatchOfAnOldFormatHasItsOffset()
    {
        log.leaderEpoch(3);
        log.append(BatchTemplate.ofValues("a"));
        log.truncate(0);
        log.leaderEpoch(4);
        log.append(BatchTemplate.of(RecordBatch.MAGIC_VALUE_V1, Compression.NONE, TimestampType.CREATE_TIME,
            new SimpleRecord(1, null, new byte[]{'b'})));

        assertTrue(log.record(0, 3, expected));
        assertEquals(3, expected.leaderEpoch());
        assertTrue(log.record(0, -1, expected));
        assertEquals(-1, expected.leaderEpoch());
    }

    @Test
    void shouldDeleteAndTrimAndFindTimestamps()
    {
        final BatchPool pool = BatchPool.uniform(SEED, 3, 4, 10);
        for (int i = 0; i < 6; i++)
        {
            log.append(pool.get(i % 3), NOW_MS + 10 * i);
        }

        log.deleteBefore(6);
        assertEquals(6, log.startOffset());
        assertTrue(log.record(0, -1, expected), "deleted, but known");
        log.trim(100);
        assertFalse(log.record(0, -1, expected));
        assertTrue(log.record(6, -1, expected));

        assertTrue(log.firstSince(NOW_MS + 22, expected));
        assertEquals(10, expected.offset());
        assertEquals(NOW_MS + 53, log.maxTimestamp());
        assertFalse(log.firstSince(NOW_MS + 54, expected));
    }

    @Test
    void shouldReadOneSegmentOnly()
    {
        final BatchTemplate batch = BatchTemplate.ofValues("a");
        log.segmentLength(2 * batch.length());
        for (int i = 0; i < 5; i++)
        {
            log.append(batch);
        }

        assertEquals(2 * batch.length(), log.readableLength(0, 5, Integer.MAX_VALUE, true));
        assertEquals(batch.length(), log.readableLength(1, 5, Integer.MAX_VALUE, true));
        assertEquals(batch.length(), log.readableLength(2, 3, Integer.MAX_VALUE, true));
        assertFalse(log.isOneSegment(0, 5));
        assertTrue(log.isOneSegment(2, 4));
        log.highWatermark(4);
        log.holdHighWatermark(true);
        log.append(batch);
        assertEquals(4, log.highWatermark());
    }
}
