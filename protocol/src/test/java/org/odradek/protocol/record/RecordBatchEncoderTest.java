// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.Cases;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.protocol.record.RecordBatchEncoder.NO_PRODUCER;
import static org.odradek.protocol.record.RecordBatchEncoder.NO_ROOM;
import static org.odradek.protocol.record.RecordBatchEncoder.NO_TIMESTAMP;
import static org.odradek.protocol.record.RecordBatchEncoder.NULL_LENGTH;

class RecordBatchEncoderTest
{
    private static final int CAPACITY = 1 << 20;
    private static final int FILLER = 0x5A;
    private static final long NOW_MS = 1_700_000_000_000L;
    private static final int ROUNDS = 6;

    private final RecordMemory memory = new RecordMemory(CAPACITY);
    private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[1 << 16]);
    private final RecordBatchEncoder encoder = new RecordBatchEncoder();
    private long sink;

    @Test
    void shouldWriteTheBytesOfKafka()
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            Cases.forEach(round, this::compare);
        }
    }

    private void compare(final Random random)
    {
        final List<SimpleRecord> records = records(random);
        final boolean isIdempotent = random.nextBoolean();
        final long producerId = isIdempotent ? random.nextLong() >>> 1 : NO_PRODUCER;
        final short epoch = (short) (isIdempotent ? random.nextInt(1 << 15) : NO_PRODUCER);
        final int sequence = isIdempotent ? random.nextInt() >>> 1 : NO_PRODUCER;
        final byte[] expected = kafkas(records, producerId, epoch, sequence);
        final int index = random.nextInt(100);
        memory.buffer().setMemory(0, CAPACITY, (byte) FILLER);

        // Exactly as much room as is needed.
        encoder.begin(memory, index, expected.length);
        for (final SimpleRecord record : records)
        {
            if (random.nextInt(4) == 0)
            {
                abort(random);
            }
            assertTrue(write(record, random.nextBoolean()));
        }
        final boolean isResealed = random.nextInt(4) == 0;
        assertEquals(expected.length,
            isResealed ? encoder.seal(1, (short) 2, 3) : encoder.seal(producerId, epoch, sequence));
        if (isResealed)
        {
            encoder.seal(producerId, epoch, sequence);
        }

        assertArrayEquals(expected, bytes(index, expected.length));
        assertEquals(records.size(), encoder.recordCount());
        for (int i = 0; i < 100; i++)
        {
            assertEquals(FILLER, memory.buffer().getByte(index + expected.length + i), "after the batch");
        }
        readBack(records, index, expected.length);
    }

    /** Claims a record of which nothing may remain, if there is room for it. */
    private void abort(final Random random)
    {
        if (encoder.claim(random.nextLong() >>> 1, random.nextInt(50) - 1, random.nextInt(50) - 1, 0, 0) != NO_ROOM)
        {
            memory.buffer().setMemory(encoder.keyIndex(), 1, (byte) FILLER);
            encoder.abort();
        }
    }

    private boolean write(final SimpleRecord record, final boolean isAppended)
    {
        final byte[] key = bytes(record.key());
        final byte[] value = bytes(record.value());
        if (isAppended && record.headers().length == 0)
        {
            return encoder.append(record.timestamp(), copy(key, 0), 0, length(key), copy(value, 1 << 15), 1 << 15,
                length(value));
        }
        int headersLength = 0;
        for (final Header header : record.headers())
        {
            headersLength += RecordBatchEncoder.headerLength(utf8(header).length, length(header.value()));
        }
        final int valueIndex = encoder.claim(
            record.timestamp(), length(key), length(value), record.headers().length, headersLength);
        if (valueIndex == NO_ROOM)
        {
            return false;
        }
        memory.buffer().putBytes(encoder.keyIndex(), null == key ? new byte[0] : key);
        memory.buffer().putBytes(valueIndex, null == value ? new byte[0] : value);
        for (final Header header : record.headers())
        {
            encoder.header(copy(utf8(header), 7), 7, utf8(header).length,
                null == header.value() ? null : copy(header.value(), 1 << 15), 1 << 15, length(header.value()));
        }
        encoder.commit();
        return true;
    }

    private void readBack(final List<SimpleRecord> records, final int index, final int length)
    {
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        assertEquals(RecordBatchFlyweight.COMPLETE, batch.wrap(memory, index, index + length));
        assertEquals(batch.crc(), batch.computeCrc());
        final RecordFlyweight record = new RecordFlyweight();
        record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), 0);
        for (final SimpleRecord written : records)
        {
            assertTrue(record.next(), record::flaw);
            assertEquals(written.timestamp(), record.timestamp());
            assertEquals(written.key(), record.keyByteBuffer());
            assertEquals(written.value(), record.valueByteBuffer());
            assertEquals(written.headers().length, record.headerCount());
        }
        assertFalse(record.next());
    }

    @Test
    void shouldRefuseExactlyTheRecordThatDoesNotFit()
    {
        Cases.forEach(0, (random) ->
        {
            final List<SimpleRecord> records = records(random);
            final int length = kafkas(records, NO_PRODUCER, (short) NO_PRODUCER, NO_PRODUCER).length;
            final SimpleRecord last = records.remove(records.size() - 1);

            encoder.begin(memory, 0, length - 1);
            for (final SimpleRecord record : records)
            {
                assertTrue(write(record, false));
            }
            assertFalse(write(last, false));
            assertFalse(write(last, true));
            assertEquals(records.size(), encoder.recordCount());
            if (!records.isEmpty())
            {
                final byte[] expected = kafkas(records, 1, (short) 2, 3);
                assertEquals(expected.length, encoder.seal(1, (short) 2, 3));
                assertArrayEquals(expected, bytes(0, expected.length));
            }
        });
    }

    @Test
    void shouldClaimWhateverThereIsRoomFor()
    {
        Cases.forEach(1, (random) ->
        {
            encoder.begin(memory, 0, RecordBatchFlyweight.HEADER_LENGTH + random.nextInt(300));
            while (true)
            {
                final int keyLength = random.nextInt(40) - 1;
                final int valueLength = random.nextInt(40) - 1;
                final boolean hasRoom = encoder.hasRoom(keyLength, valueLength, 0);
                final int claimed = encoder.claim(random.nextLong() >>> 1, keyLength, valueLength, 0, 0);
                assertTrue(!hasRoom || claimed != NO_ROOM);
                if (claimed == NO_ROOM)
                {
                    break;
                }
                encoder.commit();
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"2147483647, -1, 0", "-1, 2147483647, 0", "2147483647, 2147483647, 2147483647", "0, 0, 2147483647"})
    void shouldHaveNoRoomForTheLongestRecords(final int keyLength, final int valueLength, final int headersLength)
    {
        encoder.begin(memory, 0, CAPACITY);

        assertFalse(encoder.hasRoom(keyLength, valueLength, headersLength));
        assertEquals(NO_ROOM, encoder.claim(NOW_MS, keyLength, valueLength, 0, headersLength));
    }

    @ParameterizedTest
    @CsvSource({"-2, 0, 0, 0, 0", "0, -2, 0, 0, 0", "0, 0, -2, 0, 0", "0, 0, 0, -1, 0", "0, 0, 0, 0, -1"})
    void shouldRefuseImpossibleLengths(
        final long timestamp, final int keyLength, final int valueLength, final int count, final int headersLength)
    {
        encoder.begin(memory, 0, CAPACITY);

        assertThrows(IllegalArgumentException.class,
            () -> encoder.claim(timestamp, keyLength, valueLength, count, headersLength));
        assertTrue(encoder.append(NO_TIMESTAMP, null, 0, NULL_LENGTH, null, 0, NULL_LENGTH));
    }

    @ParameterizedTest
    @CsvSource({"-1, 100", "0, 60", "0, 1048577", "1048516, 61", "2147483647, 61", "0, -1"})
    void shouldRefuseMemoryThatIsNotThere(final int index, final int capacity)
    {
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(memory, index, capacity));
    }

    @Test
    void shouldBeFullWhenTheLongestRecordDoesNotFitAgain()
    {
        for (int value = 0; value < 40; value++)
        {
            encoder.begin(memory, 0, RecordBatchFlyweight.HEADER_LENGTH + 100);
            assertFalse(encoder.isFull());
            encoder.claim(NO_TIMESTAMP, NULL_LENGTH, value, 0, 0);
            assertFalse(encoder.isFull());
            encoder.commit();
            boolean isFull = encoder.isFull();
            // The base timestamp is that of the first record, so all records are of one length.
            while (!isFull)
            {
                assertTrue(encoder.claim(NO_TIMESTAMP, NULL_LENGTH, value, 0, 0) != NO_ROOM);
                encoder.commit();
                isFull = encoder.isFull();
            }
            assertEquals(NO_ROOM, encoder.claim(NO_TIMESTAMP, NULL_LENGTH, value, 0, 0));
            while (encoder.claim(NO_TIMESTAMP, NULL_LENGTH, 0, 0, 0) != NO_ROOM)
            {
                encoder.commit();
                assertTrue(encoder.isFull());
            }
        }
    }

    @Test
    void shouldRefuseCallsOutOfOrder()
    {
        assertThrows(IllegalStateException.class, () -> encoder.claim(NOW_MS, 0, 0, 0, 0));
        assertThrows(IllegalStateException.class, () -> encoder.seal(1, (short) 2, 3));
        encoder.begin(memory, 0, CAPACITY);
        assertThrows(IllegalStateException.class, encoder::commit);
        assertThrows(IllegalStateException.class, encoder::abort);
        assertThrows(IllegalStateException.class, () -> encoder.header(scratch, 0, 1, scratch, 0, 1));
        assertThrows(IllegalStateException.class, () -> encoder.seal(1, (short) 2, 3));

        encoder.claim(NOW_MS, 1, 1, 0, 0);
        assertThrows(IllegalStateException.class, () -> encoder.claim(NOW_MS, 0, 0, 0, 0));
        assertThrows(IllegalStateException.class, () -> encoder.append(NOW_MS, scratch, 0, 1, scratch, 0, 1));
        assertThrows(IllegalStateException.class, () -> encoder.seal(1, (short) 2, 3));
        encoder.commit();
        assertThrows(IllegalStateException.class, encoder::abort);

        encoder.seal(1, (short) 2, 3);
        assertThrows(IllegalStateException.class, () -> encoder.claim(NOW_MS, 0, 0, 0, 0));
        assertThrows(IllegalStateException.class, encoder::commit);
    }

    @Test
    void shouldReplaceRecordsByShorterOnesOnly()
    {
        encoder.begin(memory, 0, 1_000);
        assertThrows(IllegalArgumentException.class, () -> encoder.replaceRecords(CompressionType.LZ4, scratch, 0));
        encoder.append(NOW_MS, scratch, 0, 100, scratch, 0, 100);
        final int length = encoder.recordsLength();
        assertThrows(IllegalArgumentException.class,
            () -> encoder.replaceRecords(CompressionType.LZ4, scratch, length));
        assertThrows(IllegalArgumentException.class, () -> encoder.replaceRecords(CompressionType.NONE, scratch, 50));
        assertThrows(IllegalArgumentException.class, () -> encoder.replaceRecords(5, scratch, 50));

        encoder.replaceRecords(CompressionType.LZ4, scratch, 50);

        assertEquals(RecordBatchFlyweight.HEADER_LENGTH + 50, encoder.seal(1, (short) 2, 3));
        assertEquals(CompressionType.LZ4, memory.buffer().getByte(RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET + 1));
        assertThrows(IllegalStateException.class, () -> encoder.replaceRecords(CompressionType.LZ4, scratch, 40));
        assertEquals(RecordBatchFlyweight.HEADER_LENGTH, encoder.begin(memory, 0, 1_000).length());
    }

    @Test
    void shouldRefuseHeadersThatWereNotClaimed()
    {
        encoder.begin(memory, 0, CAPACITY);
        encoder.claim(NOW_MS, 0, 0, 2, RecordBatchEncoder.headerLength(3, 4) + RecordBatchEncoder.headerLength(5, -1));
        assertThrows(IllegalStateException.class, encoder::commit);

        encoder.header(scratch, 0, 3, scratch, 0, 4);
        assertThrows(IllegalArgumentException.class, () -> encoder.header(scratch, 0, -1, scratch, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.header(scratch, 0, 5, scratch, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.header(scratch, 0, 0, scratch, 0, -2));
        assertThrows(IllegalStateException.class, encoder::commit);
        encoder.header(scratch, 0, 5, null, 0, NULL_LENGTH);
        assertThrows(IllegalArgumentException.class, () -> encoder.header(scratch, 0, 0, scratch, 0, 0));
        encoder.commit();

        encoder.claim(NOW_MS, 0, 0, 1, 10);
        encoder.header(scratch, 0, 1, scratch, 0, 1);
        assertThrows(IllegalStateException.class, encoder::commit);
        encoder.abort();
        assertEquals(1, encoder.recordCount());
    }

    @Test
    void shouldWriteBatchesWithoutAllocating()
    {
        final long allocated = Allocation.bytesOf(2_000, () ->
        {
            encoder.begin(memory, 0, 3_000);
            while (encoder.hasRoom(10, 100, 0))
            {
                final int valueIndex = encoder.claim(
                    NOW_MS + sink % 100, 10, 50, 1, RecordBatchEncoder.headerLength(3, 7));
                memory.buffer().putBytes(encoder.keyIndex(), scratch, 0, 10);
                memory.buffer().putLong(valueIndex, sink);
                encoder.header(scratch, 0, 3, scratch, 0, 7);
                encoder.commit();
                encoder.claim(NOW_MS, 1, 2, 0, 0);
                encoder.abort();
                sink += encoder.append(NOW_MS, scratch, 0, 8, null, 0, NULL_LENGTH) ? 1 : 0;
            }
            sink += encoder.seal(7, (short) 1, 5);
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    private static List<SimpleRecord> records(final Random random)
    {
        final List<SimpleRecord> records = new ArrayList<>();
        // One count in a few hundred is large enough for offset deltas of three bytes.
        final int dice = random.nextInt(300);
        for (int i = dice == 0 ? 9_000 : dice < 20 ? 150 : random.nextInt(12); i >= 0; i--)
        {
            records.add(dice == 0 ? new SimpleRecord(NOW_MS + i, null, new byte[0]) : record(random));
        }
        return records;
    }

    private static SimpleRecord record(final Random random)
    {
        final Header[] headers = new Header[random.nextInt(4) == 0 ? random.nextInt(5) : 0];
        for (int i = 0; i < headers.length; i++)
        {
            headers[i] = new RecordHeader(Cases.text(random), bytesOrNull(random));
        }
        final long timestamp = switch (random.nextInt(8))
        {
            case 0 -> NO_TIMESTAMP;
            case 1 -> random.nextLong() >>> 1;
            case 2 -> random.nextInt(1_000);
            default -> NOW_MS + random.nextInt(200) - 100;
        };
        return new SimpleRecord(timestamp, bytesOrNull(random), bytesOrNull(random), headers);
    }

    private static byte[] bytesOrNull(final Random random)
    {
        final int dice = random.nextInt(30);
        return dice < 4 ? null : Cases.bytes(random, dice == 4 ? 3_000 : dice < 10 ? 1 + 200 : 1 + 40);
    }

    /** The batch of Kafka's producer. */
    private static byte[] kafkas(
        final List<SimpleRecord> records, final long producerId, final short epoch, final int sequence)
    {
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
            ByteBuffer.allocate(CAPACITY), RecordBatch.CURRENT_MAGIC_VALUE, Compression.NONE,
            TimestampType.CREATE_TIME, 0L))
        {
            records.forEach(builder::append);
            builder.setProducerState(producerId, epoch, sequence, false);
            return bytes(builder.build().buffer());
        }
    }

    private UnsafeBuffer copy(final byte[] bytes, final int index)
    {
        if (null == bytes)
        {
            return null;
        }
        scratch.putBytes(index, bytes);
        return scratch;
    }

    private byte[] bytes(final int index, final int length)
    {
        final byte[] bytes = new byte[length];
        memory.buffer().getBytes(index, bytes);
        return bytes;
    }

    private static byte[] bytes(final ByteBuffer buffer)
    {
        if (null == buffer)
        {
            return null;
        }
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static byte[] utf8(final Header header)
    {
        return header.key().getBytes(StandardCharsets.UTF_8);
    }

    private static int length(final byte[] bytes)
    {
        return null == bytes ? NULL_LENGTH : bytes.length;
    }
}
