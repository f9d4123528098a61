// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter.BatchRetention;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter.BatchRetentionResult;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * Random batches with everything that a producer, a broker and its log cleaner can write, made by kafka-clients.
 */
final class RandomBatches
{
    /** Maximum length of the values of a batch, decompressed. */
    static final int MAX_LENGTH = 6 << 20;
    /** Magic and codec in one number: see {@link #magic} and {@link #codec}. */
    static final int COMBINATIONS = 13;

    private static final int LEGACY_COMBINATIONS = 8;
    private static final int LEGACY_CODECS = 4;
    private static final int SMALL = 60;
    private static final int MANY_RECORDS = 3_000;
    private static final int POOL_LENGTH = 2 * MAX_LENGTH;
    private static final long NOW_MS = 1_700_000_000_000L;
    private static final Header[] NO_HEADERS = {};
    private static final String[] HEADER_KEYS = {"", "a", "trace", "trace", "\u00e4\u20ac", "k".repeat(130)};

    private final BufferSupplier buffers = BufferSupplier.create();
    private final byte[] noise = new byte[POOL_LENGTH];
    private final byte[] text = new byte[POOL_LENGTH];
    private Random random;
    private long lastOffset;

    RandomBatches()
    {
        final Random fill = new Random(1);
        fill.nextBytes(noise);
        for (int i = 0; i < text.length; i++)
        {
            text[i] = i < 100 || fill.nextInt(10) == 0 ? (byte)('a' + fill.nextInt(26)) : text[i - 100];
        }
    }

    /** Seeds everything that follows. */
    void begin(final Random newRandom)
    {
        random = newRandom;
    }

    /** Returns magic 2 in two of three cases. */
    int combination()
    {
        return random.nextInt(3) == 0 ? random.nextInt(LEGACY_COMBINATIONS) :
            LEGACY_COMBINATIONS + random.nextInt(COMBINATIONS - LEGACY_COMBINATIONS);
    }

    static byte magic(final int combination)
    {
        return combination < LEGACY_COMBINATIONS ? (byte)(combination / LEGACY_CODECS) : RecordBatch.MAGIC_VALUE_V2;
    }

    static CompressionType codec(final int combination)
    {
        return CompressionType.forId(
            combination < LEGACY_COMBINATIONS ? combination % LEGACY_CODECS : combination - LEGACY_COMBINATIONS);
    }

    /** Offset of the last record that the last batch was written with. */
    long lastOffset()
    {
        return lastOffset;
    }

    /**
     * @param producerId of the batch, if it has one.
     * @return a batch of magic 2, or a set of messages of magic 0 or 1.
     */
    MemoryRecords batch(
        final int combination, final long baseOffset, final long producerId, final boolean isTransactional)
    {
        final byte magic = magic(combination);
        final boolean isAppendTime = magic > 0 && random.nextInt(4) == 0;
        final TimestampType timestampType = magic == 0 ? TimestampType.NO_TIMESTAMP_TYPE :
            isAppendTime ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        final boolean hasProducer = magic == RecordBatch.MAGIC_VALUE_V2 && (isTransactional || random.nextInt(3) == 0);
        final int length = logUniform(
            random.nextInt(30) == 0 ? MAX_LENGTH : random.nextInt(10) == 0 ? 100_000 : 4_000);
        final int count = 1 + logUniform(random.nextInt(100) == 0 ? MANY_RECORDS : 30);
        try (MemoryRecordsBuilder builder = new MemoryRecordsBuilder(
            ByteBuffer.allocate(length + 100 * count + 4_000),
            magic,
            Compression.of(codec(combination)).build(),
            timestampType,
            baseOffset,
            isAppendTime ? NOW_MS + random.nextInt(1_000) : RecordBatch.NO_TIMESTAMP,
            hasProducer ? producerId : RecordBatch.NO_PRODUCER_ID,
            hasProducer ? (short)random.nextInt(100) : RecordBatch.NO_PRODUCER_EPOCH,
            hasProducer ? random.nextInt(1 << 20) : RecordBatch.NO_SEQUENCE,
            isTransactional,
            false,
            random.nextInt(50) - 1,
            MAX_LENGTH))
        {
            append(builder, magic, baseOffset, length, count);
            return builder.build();
        }
    }

    private void append(
        final MemoryRecordsBuilder builder,
        final byte magic,
        final long baseOffset,
        final int length,
        final int count)
    {
        long offset = baseOffset;
        int left = length;
        for (int i = 0; i < count; i++)
        {
            final byte[] key = random.nextInt(4) == 0 ? null : bytes(Math.min(Math.max(left, SMALL), 200));
            final byte[] value = random.nextInt(12) == 0 ? null : bytes(Math.max(left, SMALL));
            final Header[] headers = magic < RecordBatch.MAGIC_VALUE_V2 ?
                NO_HEADERS : headers(Math.min(Math.max(left, SMALL), 500));
            builder.appendWithOffset(offset, magic == 0 ? RecordBatch.NO_TIMESTAMP : timestamp(), key, value, headers);
            left = Math.max(0, left - (value == null ? 0 : value.length));
            lastOffset = offset;
            offset += random.nextInt(20) == 0 ? 1 + random.nextInt(300) : 1;
        }
        if (magic == RecordBatch.MAGIC_VALUE_V2 && random.nextInt(10) == 0)
        {
            lastOffset += random.nextInt(100);
            builder.overrideLastOffset(lastOffset);
        }
    }

    /** Compacts a batch, which may leave an empty batch or nothing. */
    MemoryRecords compacted(final MemoryRecords records)
    {
        final int keptOfTen = random.nextInt(10);
        final boolean isEmptyKept = random.nextInt(4) != 0;
        final RecordFilter filter = new RecordFilter(NOW_MS, 1_000)
        {
            @Override
            protected BatchRetentionResult checkBatchRetention(final RecordBatch batch)
            {
                return new BatchRetentionResult(isEmptyKept && batch.magic() == RecordBatch.MAGIC_VALUE_V2 ?
                    BatchRetention.RETAIN_EMPTY : BatchRetention.DELETE_EMPTY, false);
            }

            @Override
            protected boolean shouldRetainRecord(final RecordBatch batch, final Record record)
            {
                return random.nextInt(10) < keptOfTen;
            }
        };
        final ByteBuffer kept = ByteBuffer.allocate(records.sizeInBytes() + 4_000);
        return MemoryRecords.readableRecords(
            records.filterTo(filter, kept, buffers, Integer.MAX_VALUE).outputBuffer().flip());
    }

    /** Writes the marker that ends a transaction. */
    MemoryRecords marker(final long offset, final long producerId, final ControlRecordType type)
    {
        lastOffset = offset;
        return MemoryRecords.withEndTransactionMarker(offset, NOW_MS, random.nextInt(9), producerId,
            (short)random.nextInt(9), new EndTransactionMarker(type, random.nextInt(9)));
    }

    /** Writes a control batch that ends no transaction. */
    MemoryRecords leaderChange(final long offset)
    {
        lastOffset = offset;
        return MemoryRecords.withLeaderChangeMessage(offset, NOW_MS, random.nextInt(9), ByteBuffer.allocate(256),
            new LeaderChangeMessage().setLeaderId(random.nextInt(9)));
    }

    private long timestamp()
    {
        switch (random.nextInt(8))
        {
            case 0:
                return RecordBatch.NO_TIMESTAMP;
            case 1:
                return random.nextInt(1_000);
            case 2:
                return random.nextLong() >>> 1;
            default:
                return NOW_MS + random.nextInt(200) - 100;
        }
    }

    private Header[] headers(final int maxLength)
    {
        if (random.nextInt(4) != 0)
        {
            return NO_HEADERS;
        }
        final Header[] headers = new Header[random.nextInt(5)];
        for (int i = 0; i < headers.length; i++)
        {
            headers[i] = new RecordHeader(
                HEADER_KEYS[random.nextInt(HEADER_KEYS.length)], random.nextInt(5) == 0 ? null : bytes(maxLength));
        }
        return headers;
    }

    private byte[] bytes(final int maxLength)
    {
        final byte[] bytes = new byte[logUniform(maxLength)];
        final byte[] pool = random.nextInt(3) == 0 ? noise : text;
        System.arraycopy(pool, random.nextInt(pool.length - bytes.length), bytes, 0, bytes.length);
        return bytes;
    }

    /** Returns a number from 0 to a maximum; each power of two is equally likely. */
    private int logUniform(final int max)
    {
        return (int)Math.exp(random.nextDouble() * Math.log(max + 1)) - 1;
    }
}
