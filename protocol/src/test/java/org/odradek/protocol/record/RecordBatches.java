// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.odradek.protocol.Cases;

import java.nio.ByteBuffer;
import java.util.Random;

/** Batches written by kafka-clients, and the memory to read them in. */
final class RecordBatches
{
    private static final int CAPACITY = 1 << 16;
    private static final long LONG_AGO_MS = 1_000L;
    private static final long NOW_MS = 1_700_000_000_000L;

    private RecordBatches()
    {
    }

    /** Returns an uncompressed batch with all features of a producer and a broker. */
    static byte[] random(final Random random)
    {
        return random.nextInt(20) == 0 ? marker(random) : random(random, 1 + random.nextInt(12));
    }

    private static byte[] random(final Random random, final int count)
    {
        final boolean isAppendTime = random.nextInt(4) == 0;
        final long baseOffset = random.nextInt(3) == 0 ? random.nextLong() >>> 2 : random.nextInt(1000);
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
            ByteBuffer.allocate(CAPACITY),
            RecordBatch.MAGIC_VALUE_V2,
            Compression.NONE,
            isAppendTime ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
            baseOffset,
            isAppendTime ? NOW_MS : RecordBatch.NO_TIMESTAMP,
            random.nextInt(1 << 20),
            (short) random.nextInt(100),
            random.nextInt(1 << 20),
            random.nextBoolean(),
            random.nextInt(1000) - 1))
        {
            long offset = baseOffset;
            for (int i = 0; i < count; i++)
            {
                offset += i == 0 && random.nextBoolean() ? 0 : gap(random);
                builder.appendWithOffset(
                    offset, timestamp(random), bytesOrNull(random), bytesOrNull(random), headers(random));
            }
            if (random.nextInt(4) == 0)
            {
                builder.overrideLastOffset(offset + random.nextInt(100));
            }
            return bytes(builder.build());
        }
    }

    /** Returns the marker that ends a transaction, which is a batch of its own. */
    static byte[] marker(final Random random)
    {
        final ControlRecordType type = random.nextBoolean() ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        return bytes(MemoryRecords.withEndTransactionMarker(random.nextInt(1000), NOW_MS, random.nextInt(9),
            random.nextInt(1000), (short) 3, new EndTransactionMarker(type, 5)));
    }

    /** Returns a batch of records with one value each, at offsets 100, 101 and so on. */
    static byte[] of(final byte[]... values)
    {
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
            ByteBuffer.allocate(CAPACITY), Compression.NONE, TimestampType.CREATE_TIME, 100))
        {
            for (final byte[] value : values)
            {
                builder.append(NOW_MS, null, value);
            }
            return bytes(builder.build());
        }
    }

    /** Returns a batch of one record at offset 7. */
    static byte[] single(final byte[] key, final byte[] value, final Header... headers)
    {
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
            ByteBuffer.allocate(CAPACITY), Compression.NONE, TimestampType.CREATE_TIME, 7))
        {
            builder.append(NOW_MS, key, value, headers);
            return bytes(builder.build());
        }
    }

    /** Compaction leaves holes, sometimes a large one. */
    private static long gap(final Random random)
    {
        final int dice = random.nextInt(20);
        return dice == 0 ? random.nextInt(1 << 26) : dice == 1 ? random.nextInt(300) + 1 : 1;
    }

    private static long timestamp(final Random random)
    {
        switch (random.nextInt(8))
        {
            case 0:
                return RecordBatch.NO_TIMESTAMP;
            case 1:
                return LONG_AGO_MS + random.nextInt(1000);
            case 2:
                return random.nextLong() >>> 1;
            default:
                return NOW_MS + random.nextInt(200) - 100;
        }
    }

    private static byte[] bytesOrNull(final Random random)
    {
        final int dice = random.nextInt(30);
        return dice < 4 ? null : Cases.bytes(random, dice == 4 ? 3_000 : dice < 10 ? 1 + 200 : 1 + 40);
    }

    private static Header[] headers(final Random random)
    {
        final Header[] headers = new Header[random.nextInt(4) == 0 ? random.nextInt(5) : 0];
        for (int i = 0; i < headers.length; i++)
        {
            headers[i] = new RecordHeader(Cases.text(random), bytesOrNull(random));
        }
        return headers;
    }

    private static byte[] bytes(final MemoryRecords records)
    {
        final byte[] bytes = new byte[records.sizeInBytes()];
        records.buffer().duplicate().get(bytes);
        return bytes;
    }

    /** The bytes in direct memory, with a filler before and after them. */
    static RecordMemory within(final byte[] bytes, final int before, final int after, final int filler)
    {
        final RecordMemory memory = new RecordMemory(before + bytes.length + after);
        memory.buffer().setMemory(0, memory.capacity(), (byte) filler);
        memory.buffer().putBytes(before, bytes);
        return memory;
    }

    static RecordMemory memory(final byte[] bytes)
    {
        return within(bytes, 0, 0, 0);
    }
}
