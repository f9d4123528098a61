// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.junit.jupiter.api.Test;
import org.odradek.protocol.Cases;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads batches that are cut off or contain wrong values. The result must be values within the limits or a flaw, and
 * must not depend on the bytes around the batch.
 */
class HostileRecordsTest
{
    private static final int BEFORE = 17;
    private static final int AFTER = 64;
    private static final int MAX_LENGTH = 700;
    private static final int[] FLIPS = {0x01, 0x02, 0x40, 0x7F, 0x80, 0xFF};
    private static final int[] LIES = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x7FFF_0000, 0x0000_7FFF};

    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordFlyweight record = new RecordFlyweight();
    private int flaws;

    // Behaviour G73, tried 2026-11-29: An incomplete last batch is ignored, wherever it ends. An incomplete message of
    // magic 0 or 1 within a compressed message stops the partition.
    @Test
    void shouldTreatNoPrefixAsAWholeBatch()
    {
        Cases.forEach(1, (random) ->
        {
            final byte[] bytes = smallBatch(random);
            for (int length = 0; length < bytes.length; length++)
            {
                final RecordMemory memory = RecordBatches.memory(Arrays.copyOf(bytes, Math.max(length, 1)));
                assertEquals(RecordBatchFlyweight.CUT_OFF, batch.wrap(memory, 0, length), "of " + length + " bytes");
                memory.free();
            }
        });
    }

    @Test
    void shouldFindTheFlawInABatchWhoseRecordsAreCutShort()
    {
        Cases.forEach(2, (random) ->
        {
            final byte[] bytes = smallBatch(random);
            for (int length = RecordBatchFlyweight.HEADER_LENGTH; length < bytes.length; length++)
            {
                final byte[] cut = Arrays.copyOf(bytes, length);
                ByteBuffer.wrap(cut).putInt(RecordBatchFlyweight.BATCH_LENGTH_FIELD_OFFSET,
                    length - RecordBatchFlyweight.LENGTH_OVERHEAD);
                assertTrue(read(cut).endsWith("flaw"), "records cut to " + length + " of " + bytes.length);
            }
        });
        assertNotEquals(0, flaws);
    }

    // Behaviour N163.
    @Test
    void shouldReadFlippedBytesTheSameInAllSurroundings()
    {
        Cases.forEach(3, (random) -> flipAll(smallBatch(random), random));
        assertTrue(flaws > 10_000, flaws + " flaws");
    }

    @Test
    void shouldReadRandomBytesTheSameInAllSurroundings()
    {
        Cases.forEach(4, (random) ->
        {
            final byte[] bytes = smallBatch(random);
            for (int i = 0; i < 50; i++)
            {
                final byte[] broken = bytes.clone();
                final int from = RecordBatchFlyweight.HEADER_LENGTH +
                    random.nextInt(broken.length - RecordBatchFlyweight.HEADER_LENGTH);
                for (int at = from; at < broken.length; at++)
                {
                    broken[at] = (byte) random.nextInt();
                }
                read(broken);
            }
        });
        assertTrue(flaws > 1_000, flaws + " flaws");
    }

    // Behaviour N163, tried 2026-11-29: A flipped byte in a response causes no crash, and a flipped byte after the
    // checksum of a batch is detected.
    @Test
    void shouldDetectEveryFlippedByteAfterTheChecksum()
    {
        final byte[] bytes = RecordBatches.random(new Random(5));
        final RecordMemory memory = RecordBatches.memory(bytes);
        for (int i = RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET; i < bytes.length; i++)
        {
            memory.buffer().putByte(i, (byte) (bytes[i] ^ 0x10));
            batch.wrap(memory, 0, bytes.length);
            assertNotEquals(batch.crc(), batch.computeCrc(), "byte " + i);
            memory.buffer().putByte(i, bytes[i]);
        }
        assertEquals(RecordBatchFlyweight.COMPLETE, batch.wrap(memory, 0, bytes.length));
        assertEquals(batch.crc(), batch.computeCrc());
        memory.free();
    }

    private static byte[] smallBatch(final Random random)
    {
        byte[] bytes = RecordBatches.random(random);
        while (bytes.length > MAX_LENGTH)
        {
            bytes = RecordBatches.random(random);
        }
        return bytes;
    }

    private void flipAll(final byte[] good, final Random random)
    {
        final int stride = 1 + random.nextInt(4);
        for (int i = random.nextInt(stride); i < good.length; i += stride)
        {
            final byte[] flipped = good.clone();
            flipped[i] ^= (byte) FLIPS[random.nextInt(FLIPS.length)];
            read(flipped);
            if (i + Integer.BYTES <= good.length)
            {
                final byte[] lying = good.clone();
                ByteBuffer.wrap(lying).putInt(i, LIES[random.nextInt(LIES.length)]);
                read(lying);
            }
        }
    }

    private String read(final byte[] bytes)
    {
        final String exact = read(RecordBatches.memory(bytes), 0, bytes.length);
        final String zeros = read(RecordBatches.within(bytes, BEFORE, AFTER, 0x00), BEFORE, BEFORE + bytes.length);
        final String ones = read(RecordBatches.within(bytes, BEFORE, AFTER, 0xFF), BEFORE, BEFORE + bytes.length);

        assertEquals(exact, zeros);
        assertEquals(exact, ones);
        flaws += exact.endsWith("flaw") ? 1 : 0;
        return exact;
    }

    private String read(final RecordMemory memory, final int index, final int limit)
    {
        final StringBuilder values = new StringBuilder();
        final int status = batch.wrap(memory, index, limit);
        values.append(status);
        if (status == RecordBatchFlyweight.COMPLETE)
        {
            readRecords(memory, limit, values);
        }
        else if (status == RecordBatchFlyweight.MALFORMED)
        {
            assertTrue(batch.flaw().contains("where"), batch.flaw());
            values.append("flaw");
        }
        memory.free();
        return values.toString();
    }

    private void readRecords(final RecordMemory memory, final int limit, final StringBuilder values)
    {
        assertTrue(batch.limit() <= limit && batch.limit() >= batch.recordsIndex());
        record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), 0);
        long previous = -1;
        while (record.next())
        {
            assertTrue(record.offset() > previous && record.offset() <= batch.lastOffset());
            previous = record.offset();
            values.append(record).append(hash(memory, record.keyIndex(), record.keyLength()))
                .append(hash(memory, record.valueIndex(), record.valueLength()));
            final RecordHeadersFlyweight headers = record.headers();
            while (headers.next())
            {
                values.append(hash(memory, headers.keyIndex(), headers.keyLength()))
                    .append(hash(memory, headers.valueIndex(), headers.valueLength()));
            }
        }
        values.append(record.flaw() == null ? "" : "flaw");
    }

    private int hash(final RecordMemory memory, final int index, final int length)
    {
        assertTrue(length >= Record.NULL_LENGTH && index >= batch.recordsIndex() &&
            index + Math.max(length, 0) <= batch.limit());
        int hash = length;
        for (int i = 0; i < length; i++)
        {
            hash = 31 * hash + memory.buffer().getByte(index + i);
        }
        return hash;
    }
}
