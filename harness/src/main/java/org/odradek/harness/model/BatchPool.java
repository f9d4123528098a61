// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** A pool of {@link BatchTemplate}s, drawn once from a seed. Timestamps start at 0: the log's shift is added. */
public final class BatchPool
{
    private static final int LENGTH_INDEX = 8;
    private static final int LENGTH_END = 12;
    private static final int CRC_INDEX = 17;
    private static final int ATTRIBUTES_INDEX = 21;
    private static final int RECORDS_INDEX = 61;
    private static final int MAX_HEADERS = 3;

    private final BatchTemplate[] templates;

    private BatchPool(final BatchTemplate[] templates)
    {
        this.templates = templates;
    }

    /** Builds uncompressed numbered batches of magic 2 that differ in their contents only. */
    public static BatchPool uniform(
        final long seed, final int templateCount, final int recordCount, final int valueLength)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final BatchTemplate[] templates = new BatchTemplate[templateCount];
        for (int t = 0; t < templateCount; t++)
        {
            final SimpleRecord[] records = new SimpleRecord[recordCount];
            for (int i = 0; i < recordCount; i++)
            {
                records[i] = new SimpleRecord(i, bytes(random, Long.BYTES), bytes(random, valueLength));
            }
            templates[t] = BatchTemplate.of(
                RecordBatch.MAGIC_VALUE_V2, Compression.NONE, TimestampType.CREATE_TIME, records).numbered();
        }
        return new BatchPool(templates);
    }

    /**
     * Builds batches of different magics, codecs, sizes and timestamp types: with null and empty keys and values,
     * headers, holes left by compaction, and without records. The bytes are the same on every JDK, those of gzip
     * included.
     *
     * @param minMagic       0, 1 or 2.
     * @param maxRecordCount of a batch.
     * @param maxValueLength in bytes.
     */
    public static BatchPool mixed(
        final long seed,
        final int templateCount,
        final int minMagic,
        final int maxRecordCount,
        final int maxValueLength)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final BatchTemplate[] templates = new BatchTemplate[templateCount];
        for (int t = 0; t < templateCount; t++)
        {
            final byte magic = (byte)(random.nextInt(3) == 0 ? random.nextInt(minMagic, 3) : 2);
            templates[t] = magic < RecordBatch.MAGIC_VALUE_V2 ?
                legacy(random, magic, maxRecordCount, maxValueLength) : modern(random, maxRecordCount, maxValueLength);
        }
        return new BatchPool(templates);
    }

    /**
     * Builds uncompressed numbered batches of magic 2 as compaction leaves them: of each, one record or more.
     *
     * @param offsetCount of each batch.
     */
    public static BatchPool compacted(
        final long seed, final int templateCount, final int offsetCount, final int valueLength)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final BatchTemplate[] templates = new BatchTemplate[templateCount];
        for (int t = 0; t < templateCount; t++)
        {
            final int kept = random.nextInt(offsetCount);
            final int[] deltas = IntStream.range(0, offsetCount)
                .filter((delta) -> delta == kept || random.nextInt(2) == 0).toArray();
            final SimpleRecord[] records = new SimpleRecord[deltas.length];
            for (int i = 0; i < records.length; i++)
            {
                records[i] = new SimpleRecord(i, bytes(random, Long.BYTES), bytes(random, valueLength));
            }
            templates[t] = BatchTemplate.compacted(RecordBatch.MAGIC_VALUE_V2, Compression.NONE,
                TimestampType.CREATE_TIME, deltas, offsetCount - 1, records).numbered();
        }
        return new BatchPool(templates);
    }

    private static BatchTemplate legacy(
        final SplittableRandom random, final byte magic, final int maxRecordCount, final int maxValueLength)
    {
        final CompressionType[] types = {CompressionType.NONE, CompressionType.SNAPPY, CompressionType.LZ4};
        final CompressionType type = types[random.nextInt(types.length)];
        final int count = type == CompressionType.NONE ? 1 : random.nextInt(1, maxRecordCount + 1);
        return BatchTemplate.of(magic, Compression.of(type).build(), TimestampType.CREATE_TIME,
            records(random, magic, count, maxValueLength));
    }

    private static BatchTemplate modern(
        final SplittableRandom random, final int maxRecordCount, final int maxValueLength)
    {
        if (random.nextInt(16) == 0)
        {
            return BatchTemplate.empty(random.nextInt(maxRecordCount));
        }
        final CompressionType[] types = CompressionType.values();
        final CompressionType type = types[random.nextInt(types.length)];
        final SimpleRecord[] records =
            records(random, RecordBatch.MAGIC_VALUE_V2, random.nextInt(1, maxRecordCount + 1), maxValueLength);
        final int[] deltas = new int[records.length];
        final boolean isCompacted = random.nextInt(4) == 0;
        int delta = isCompacted ? random.nextInt(3) : 0;
        for (int i = 0; i < deltas.length; i++)
        {
            deltas[i] = delta;
            delta += isCompacted ? random.nextInt(1, 4) : 1;
        }
        final TimestampType timestampType =
            random.nextInt(4) == 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        final boolean isGzip = type == CompressionType.GZIP;
        final BatchTemplate template = BatchTemplate.compacted(RecordBatch.MAGIC_VALUE_V2,
            isGzip ? Compression.NONE : Compression.of(type).build(), timestampType, deltas, delta - 1, records);
        return isGzip ? gzipped(template) : template.numbered();
    }

    private static SimpleRecord[] records(
        final SplittableRandom random, final byte magic, final int count, final int maxValueLength)
    {
        final SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++)
        {
            final Header[] headers =
                new Header[magic < RecordBatch.MAGIC_VALUE_V2 ? 0 : Math.max(0, random.nextInt(-4, MAX_HEADERS + 1))];
            for (int h = 0; h < headers.length; h++)
            {
                headers[h] = new RecordHeader("h" + random.nextInt(MAX_HEADERS), field(random, Long.BYTES));
            }
            records[i] = new SimpleRecord(magic == 0 ? RecordBatch.NO_TIMESTAMP : i,
                field(random, 2 * Long.BYTES), field(random, maxValueLength), headers);
        }
        return records;
    }

    /** Returns null, no bytes, or random bytes. */
    private static byte[] field(final SplittableRandom random, final int maxLength)
    {
        final int kind = random.nextInt(16);
        return kind == 0 ? null : bytes(random, kind == 1 ? 0 : random.nextInt(maxLength + 1));
    }

    private static byte[] bytes(final SplittableRandom random, final int length)
    {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)('a' + random.nextInt(16));
        }
        return bytes;
    }

    /** Stores the records in gzip without compressing them, because zlib's output differs between JDKs. */
    private static BatchTemplate gzipped(final BatchTemplate plain)
    {
        final ByteArrayOutputStream output = new ByteArrayOutputStream();
        output.write(plain.bytes, 0, RECORDS_INDEX);
        try (GZIPOutputStream gzip = new GZIPOutputStream(output)
        {
            {
                def.setLevel(Deflater.NO_COMPRESSION);
            }
        })
        {
            gzip.write(plain.bytes, RECORDS_INDEX, plain.bytes.length - RECORDS_INDEX);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        final ByteBuffer batch = ByteBuffer.wrap(output.toByteArray());
        batch.putInt(LENGTH_INDEX, batch.capacity() - LENGTH_END).putShort(ATTRIBUTES_INDEX,
            (short)(batch.getShort(ATTRIBUTES_INDEX) | CompressionType.GZIP.id));
        final CRC32C crc = new CRC32C();
        crc.update(batch.array(), ATTRIBUTES_INDEX, batch.capacity() - ATTRIBUTES_INDEX);
        batch.putInt(CRC_INDEX, (int)crc.getValue());
        return BatchTemplate.of(MemoryRecords.readableRecords(batch));
    }

    public BatchTemplate draw(final RandomGenerator random)
    {
        return templates[random.nextInt(templates.length)];
    }

    public BatchTemplate get(final int index)
    {
        return templates[index];
    }
}
