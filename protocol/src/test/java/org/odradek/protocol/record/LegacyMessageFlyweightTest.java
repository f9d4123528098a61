// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.LegacyRecord;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.Cases;
import org.odradek.protocol.compression.Decompressor;

import java.nio.ByteBuffer;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

class LegacyMessageFlyweightTest
{
    private static final int BEFORE = 13;
    private static final int AFTER = 64;
    private static final int MAX_BYTES = 300;
    private static final long OFFSET = 0x1234_5678_9ABCL;
    private static final long TIMESTAMP = 1_700_000_000_000L;
    private static final int[] LIES = {-1, -2, 0, 1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x7FFF_0000};

    private final LegacyMessageFlyweight message = new LegacyMessageFlyweight();
    private long sum;

    // Behaviour G92, tried 2026-11-29: Messages of magic 0 and 1 are read, uncompressed and compressed, also with the
    // relative offsets of magic 1.
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldReadWhatTheStockClientWrites(final int magic)
    {
        Cases.forEach(magic, (random) ->
        {
            final byte[] key = random.nextInt(4) == 0 ? null : Cases.bytes(random, MAX_BYTES);
            final byte[] value = random.nextInt(4) == 0 ? null : Cases.bytes(random, MAX_BYTES);
            final TimestampType type = random.nextBoolean() ? TimestampType.CREATE_TIME : TimestampType.LOG_APPEND_TIME;
            final byte[] bytes = message(magic, key, value, type);

            assertEquals(LegacyMessageFlyweight.COMPLETE, wrap(bytes, 0xFF));

            assertEquals(OFFSET, message.offset());
            assertEquals(BEFORE, message.index());
            assertEquals(BEFORE + bytes.length, message.limit());
            assertEquals(bytes.length - LegacyMessageFlyweight.SIZE_OVERHEAD, message.size());
            assertEquals(magic, message.magic());
            assertEquals(CompressionType.NONE, message.compressionType());
            assertEquals(magic == 1 && type == TimestampType.LOG_APPEND_TIME, message.isLogAppendTime());
            assertEquals(magic == 1 ? TIMESTAMP : LegacyMessageFlyweight.NULL_TIMESTAMP, message.timestamp());
            assertArrayEquals(key, bytes(message.keyIndex(), message.keyLength()));
            assertArrayEquals(value, bytes(message.valueIndex(), message.valueLength()));
            assertEquals(message.crc(), message.computeCrc());
        });
    }

    // Behaviour G92.
    @ParameterizedTest
    @CsvSource({"0, gzip", "0, snappy", "0, lz4", "1, gzip", "1, snappy", "1, lz4", "0, none", "1, none"})
    void shouldReadWrappedMessages(final int magic, final String codec)
    {
        final int count = 20;
        final MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(100), (byte)magic,
            Compression.of(codec).build(), TimestampType.CREATE_TIME, 100L);
        for (int i = 0; i < count; i++)
        {
            builder.append(magic == 0 ? -1 : TIMESTAMP + i, ("key" + i).getBytes(), ("value" + i).getBytes());
        }
        final ByteBuffer set = builder.build().buffer();
        RecordMemory memory = new RecordMemory(ByteBuffer.allocateDirect(set.remaining()).put(0, set, 0, set.limit()));
        int limit = memory.capacity();

        if (!"none".equals(codec))
        {
            assertEquals(LegacyMessageFlyweight.COMPLETE, message.wrap(memory, 0, limit));
            assertEquals(limit, message.limit());
            assertEquals(codec, CompressionType.name(message.compressionType()));
            assertEquals(100 + count - 1, message.offset());
            assertEquals(LegacyMessageFlyweight.NULL_LENGTH, message.keyLength());
            final Decompressor decompressor = new Decompressor(1, 100_000);
            limit = decompressor.decompress(message.compressionType(), message.magic(), memory.byteBuffer(),
                message.valueIndex(), message.valueLength());
            memory = new RecordMemory(decompressor.output());
        }
        int index = 0;
        for (int i = 0; i < count; i++)
        {
            assertEquals(LegacyMessageFlyweight.COMPLETE, message.wrap(memory, index, limit));
            assertEquals(magic == 1 && !"none".equals(codec) ? i : 100 + i, message.offset());
            assertEquals(magic == 1 ? TIMESTAMP + i : -1, message.timestamp());
            assertArrayEquals(("key" + i).getBytes(), bytes(message.keyIndex(), message.keyLength()));
            assertArrayEquals(("value" + i).getBytes(), bytes(message.valueIndex(), message.valueLength()));
            assertEquals(message.crc(), message.computeCrc());
            index = message.limit();
        }
        assertEquals(limit, index);
        assertEquals(LegacyMessageFlyweight.CUT_OFF, message.wrap(memory, index, limit));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldTreatEveryPrefixAsCutOff(final int magic)
    {
        final byte[] bytes = message(magic, new byte[5], new byte[9], TimestampType.CREATE_TIME);
        for (int length = 0; length < bytes.length; length++)
        {
            assertEquals(LegacyMessageFlyweight.CUT_OFF, wrap(Arrays.copyOf(bytes, length), 0x00));
            assertEquals(LegacyMessageFlyweight.CUT_OFF, wrap(Arrays.copyOf(bytes, length), 0xFF));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldReadOnlyItsOwnBytesWhateverTheirValues(final int magic)
    {
        final byte[] good = message(magic, new byte[5], new byte[9], TimestampType.CREATE_TIME);
        for (int i = 0; i < good.length; i++)
        {
            for (int value = 0; value < 256; value++)
            {
                final byte[] bytes = good.clone();
                bytes[i] = (byte)value;
                assertEquals(describe(bytes, 0x00), describe(bytes, 0xFF));
            }
            for (final int lie : LIES)
            {
                if (i + Integer.BYTES <= good.length)
                {
                    final byte[] bytes = ByteBuffer.wrap(good.clone()).putInt(i, lie).array();
                    assertEquals(describe(bytes, 0x00), describe(bytes, 0xFF));
                }
            }
        }
    }

    @Test
    void shouldReportWhatIsWrong()
    {
        final byte[] v0 = message(0, new byte[5], new byte[9], TimestampType.CREATE_TIME);
        final byte[] v1 = message(1, new byte[5], new byte[9], TimestampType.CREATE_TIME);

        assertFlaw("magic 2 where 0 or 1 was expected", withMagic(v0, 2));
        assertFlaw("magic -1 where 0 or 1 was expected", withMagic(v0, -1));
        assertFlaw("message size 13 where at least 14 was expected", changed(v0, 8, 13));
        assertFlaw("message size 21 where at least 22 was expected", changed(v1, 8, 21));
        assertFlaw("message size -1 where at least 22 was expected", changed(v1, 8, -1));
        final String end =
            " in a message of size 28 where all must fit and the offset may not be negative or the largest";
        assertFlaw("offset " + OFFSET + ", key length -2, value length -1" + end, changed(v0, 18, -2));
        assertFlaw("offset " + OFFSET + ", key length 15, value length -1" + end, changed(v0, 18, 15));
        assertFlaw("offset " + OFFSET + ", key length 5, value length -2" + end, changed(v0, 27, -2));
        assertFlaw("offset " + OFFSET + ", key length 5, value length 10" + end, changed(v0, 27, 10));
        final long negative = OFFSET & 0xFFFF_FFFFL | -1L << 32;
        assertFlaw("offset " + negative + ", key length 5, value length 9" + end, changed(v0, 0, -1));
        assertFlaw("offset " + Long.MAX_VALUE + ", key length 5, value length 9" + end,
            changed(changed(v0, 0, Integer.MAX_VALUE), 4, -1));
    }

    @Test
    void shouldDetectAChangedByteByItsChecksum()
    {
        final byte[] bytes = message(1, new byte[5], new byte[9], TimestampType.CREATE_TIME);
        bytes[bytes.length - 1] ^= 1;

        assertEquals(LegacyMessageFlyweight.COMPLETE, wrap(bytes, 0));
        assertNotEquals(message.crc(), message.computeCrc());
    }

    @Test
    void shouldAllocateNothing()
    {
        final byte[] bytes = message(1, new byte[5], new byte[9], TimestampType.CREATE_TIME);
        final RecordMemory memory = new RecordMemory(ByteBuffer.allocateDirect(bytes.length).put(0, bytes));

        assertEquals(0, Allocation.bytesOf(1_000, () ->
        {
            sum += message.wrap(memory, 0, bytes.length) + message.computeCrc() - message.crc() + message.timestamp();
        }));
        assertNotEquals(0, sum);
    }

    private void assertFlaw(final String flaw, final byte[] bytes)
    {
        assertEquals(LegacyMessageFlyweight.MALFORMED, wrap(bytes, 0));
        assertEquals(flaw, message.flaw());
    }

    private String describe(final byte[] bytes, final int around)
    {
        final int result = wrap(bytes, around);
        if (result == LegacyMessageFlyweight.CUT_OFF)
        {
            return "cut off";
        }
        if (result == LegacyMessageFlyweight.MALFORMED)
        {
            return message.flaw();
        }
        return message.limit() + " " + message.offset() + " " + message.timestamp() + " " + message.isLogAppendTime() +
            Arrays.toString(bytes(message.keyIndex(), message.keyLength())) +
            Arrays.toString(bytes(message.valueIndex(), message.valueLength())) + message.computeCrc();
    }

    private int wrap(final byte[] bytes, final int around)
    {
        final byte[] all = new byte[BEFORE + bytes.length + AFTER];
        Arrays.fill(all, (byte)around);
        System.arraycopy(bytes, 0, all, BEFORE, bytes.length);
        final RecordMemory memory = new RecordMemory(ByteBuffer.allocateDirect(all.length).put(0, all));
        return message.wrap(memory, BEFORE, BEFORE + bytes.length);
    }

    private byte[] bytes(final int index, final int length)
    {
        if (length == LegacyMessageFlyweight.NULL_LENGTH)
        {
            return null;
        }
        final byte[] bytes = new byte[length];
        message.memory().buffer().getBytes(index, bytes);
        return bytes;
    }

    private static byte[] changed(final byte[] bytes, final int index, final int value)
    {
        return ByteBuffer.wrap(bytes.clone()).putInt(index, value).array();
    }

    private static byte[] withMagic(final byte[] bytes, final int magic)
    {
        return ByteBuffer.wrap(bytes.clone()).put(LegacyMessageFlyweight.MAGIC_FIELD_OFFSET, (byte)magic).array();
    }

    private static byte[] message(final int magic, final byte[] key, final byte[] value, final TimestampType type)
    {
        final LegacyRecord record = LegacyRecord.create((byte)magic, magic == 0 ? -1 : TIMESTAMP, key, value,
            org.apache.kafka.common.record.internal.CompressionType.NONE, type);
        final ByteBuffer body = record.buffer().duplicate().clear().limit(record.sizeInBytes());
        return ByteBuffer.allocate(LegacyMessageFlyweight.SIZE_OVERHEAD + body.remaining()).putLong(OFFSET)
            .putInt(body.remaining()).put(body).array();
    }
}
