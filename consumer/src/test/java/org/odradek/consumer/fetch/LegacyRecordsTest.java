// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.Record;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests damaged and truncated logs from before Kafka 0.11, which no broker of today writes; {@link FetchOracleTest}
 * compares intact ones.
 */
class LegacyRecordsTest
{
    private static final int CRC_AT = 12;
    /** Of a message without a key. */
    private static final int VALUE_AT = 34;

    private final ReaderFixture fixture = new ReaderFixture(1, 1 << 20);
    private final PartitionTable table = fixture.table;
    private final FetchReader reader = fixture.reader(false);
    private final List<Long> delivered = new ArrayList<>();
    private final Random random = new Random(0x0DDADE);

    @AfterEach
    void free()
    {
        fixture.free();
    }

    private void deliver(final long nextOffset)
    {
        fixture.entry(0, nextOffset, 0, fixture.filled());
        reader.deliverRecordsTo(this::onRecord);
        reader.open(fixture.fetcher);
        while (reader.isOpen())
        {
            reader.poll(1 + random.nextInt(10));
        }
    }

    private Action onRecord(final Record record)
    {
        if (random.nextInt(20) == 0)
        {
            return Action.ABORT;
        }
        if (record.valueLength() >= Long.BYTES)
        {
            assertEquals(record.buffer().getLong(record.valueIndex(), BIG_ENDIAN), record.valueLong(0, BIG_ENDIAN));
        }
        delivered.add(record.offset());
        return Action.CONTINUE;
    }

    private byte[] bytes(final int maxLength)
    {
        final byte[] bytes = new byte[random.nextInt(maxLength + 1)];
        random.nextBytes(bytes);
        return random.nextInt(8) == 0 ? null : bytes;
    }

    private MemoryRecords set(final byte magic, final CompressionType codec, final long baseOffset)
    {
        final TimestampType timestampType = magic == RecordBatch.MAGIC_VALUE_V0 ? TimestampType.NO_TIMESTAMP_TYPE :
            random.nextInt(3) == 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        try (MemoryRecordsBuilder builder = new MemoryRecordsBuilder(ByteBuffer.allocate(1 << 16), magic,
            Compression.of(codec).build(), timestampType, baseOffset, 5_000, -1, (short) -1, -1, false, false, -1,
            1 << 16))
        {
            long offset = baseOffset;
            for (int i = random.nextInt(6); i >= 0; i--)
            {
                builder.appendWithOffset(offset, magic == 0 ? -1 : 1_000 + offset, bytes(20), bytes(100));
                offset += 1 + (random.nextInt(4) == 0 ? random.nextInt(5) : 0);
            }
            return builder.build();
        }
    }

    @Test
    void shouldStopAtAWrongChecksum()
    {
        fixture.begin();
        fixture.append(set(RecordBatch.MAGIC_VALUE_V1, CompressionType.NONE, 7));
        final int last = fixture.filled() - 1;
        fixture.memory.buffer().putByte(last, (byte) (fixture.memory.buffer().getByte(last) ^ 1));

        deliver(7);

        assertEquals(1, fixture.errors.size());
        final String error = fixture.errorMessages().get(0);
        assertTrue(error.matches(
            ".*CRC [0-9a-f]+ where [0-9a-f]+ was expected, in the message at offset \\d+.*"), error);
        assertEquals(PartitionTable.STOPPED, table.state(0));
    }

    /** Returns a message of magic 1, compressed with gzip, whose content has these offsets. */
    private static ByteBuffer wrapper(final long offset, final int cut, final long... offsets) throws IOException
    {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (final long each : offsets)
        {
            final ByteBuffer bytes = MemoryRecords.withRecords(RecordBatch.MAGIC_VALUE_V1, each, Compression.NONE,
                new SimpleRecord(1, new byte[5])).buffer();
            content.write(bytes.array(), bytes.arrayOffset(), bytes.remaining());
        }
        final ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed))
        {
            gzip.write(content.toByteArray(), 0, content.size() - cut);
        }
        final ByteBuffer message = ByteBuffer.allocate(VALUE_AT + compressed.size()).putLong(offset)
            .putInt(VALUE_AT - CRC_AT + compressed.size()).putInt(0).put((byte)1).put(CompressionType.GZIP.id)
            .putLong(1_000).putInt(-1).putInt(compressed.size()).put(compressed.toByteArray());
        final CRC32 crc = new CRC32();
        crc.update(message.duplicate().flip().position(CRC_AT + Integer.BYTES));
        return message.putInt(CRC_AT, (int)crc.getValue()).flip();
    }

    private void assertStoppedAt100(final String flaw)
    {
        assertEquals(List.of(), delivered);
        assertEquals(PartitionTable.STOPPED, table.state(0));
        assertEquals(100, table.nextOffset(0));
        assertTrue(fixture.errorMessages().get(0).contains(flaw), fixture.errorMessages().get(0));
    }

    @Test
    void shouldStopWhereOffsetsWithinACompressedMessageDoNotIncrease() throws IOException
    {
        fixture.begin();
        fixture.append(wrapper(101, 0, 0, 1));
        deliver(100);
        assertEquals(List.of(100L, 101L), delivered);

        delivered.clear();
        fixture.begin();
        fixture.append(wrapper(101, 0, 3, 1));
        deliver(100);
        assertStoppedAt100("offset 1 after 3 within a compressed message, in the message at offset 101");
    }

    /** The offsets are counted from the last message, which is not there. */
    // Behaviour G73.
    @Test
    void shouldStopAtACompressedMessageWhoseContentIsCutOff() throws IOException
    {
        fixture.begin();
        fixture.append(wrapper(101, 1, 0, 1));
        deliver(100);
        assertStoppedAt100("a message cut off at byte");
    }

    // Behaviour G73.
    @Test
    void shouldReadEveryPrefixToItsLastWholeMessage()
    {
        fixture.begin();
        final MemoryRecords set = set(RecordBatch.MAGIC_VALUE_V1, CompressionType.NONE, 3);
        fixture.append(set, set(RecordBatch.MAGIC_VALUE_V0, CompressionType.GZIP, 100));
        final int whole = fixture.filled();
        for (int length = set.sizeInBytes(); length < whole; length++)
        {
            delivered.clear();
            fixture.begin();
            fixture.filled(length);
            deliver(3);
            assertEquals(List.of(), fixture.errors);
            assertTrue(delivered.size() > 0);
            assertTrue(table.nextOffset(0) <= 100);
        }
    }
}
