// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * An encoded batch with base offset 0 that a {@link ModelLog} copies and patches when it appends it, so that nothing is
 * encoded while a cluster runs. It also holds the plain records, which are what a reader must receive. Immutable; logs
 * may share it.
 */
public final class BatchTemplate
{
    static final int NULL_LENGTH = -1;

    private static final long FIRST_TIMESTAMP = 1_000;
    private static final int NO_SEQUENCE = RecordBatch.NO_SEQUENCE;

    final byte[] bytes;
    final byte magic;
    final boolean isCompressed;
    final boolean isControl;
    final boolean isLogAppendTime;
    /** Whether the first 8 bytes of each value that has them become a number. */
    final boolean isNumbered;
    final int lastOffsetDelta;
    final long baseTimestamp;
    final long maxTimestamp;
    /** Number of records that a reader receives: 0 in a control batch, although it stores one. */
    final int count;
    final int[] offsetDeltas;
    final long[] timestamps;
    final Header[][] headers;
    /** Keys and values of the records; of the encoded batch itself where they are not compressed. */
    final byte[] plain;
    final int[] keyIndexes;
    final int[] keyLengths;
    final int[] valueIndexes;
    final int[] valueLengths;

    private BatchTemplate(final MemoryRecords records, final boolean isNumbered)
    {
        final List<RecordBatch> batches = new ArrayList<>();
        records.batches().forEach(batches::add);
        if (batches.size() != 1 || batches.get(0).baseOffset() != 0)
        {
            throw new IllegalArgumentException("A template is one batch with base offset 0, not " + batches + ".");
        }
        final RecordBatch batch = batches.get(0);
        final List<Record> list = new ArrayList<>();
        batch.forEach(list::add);
        bytes = toArray(records.buffer());
        magic = batch.magic();
        isCompressed = batch.isCompressed();
        isControl = batch.isControlBatch();
        isLogAppendTime = batch.timestampType() == TimestampType.LOG_APPEND_TIME;
        this.isNumbered = isNumbered;
        lastOffsetDelta = (int)batch.lastOffset();
        maxTimestamp = batch.maxTimestamp();
        baseTimestamp = magic == RecordBatch.MAGIC_VALUE_V2 ?
            ((DefaultRecordBatch)batch).baseTimestamp() : maxTimestamp;
        count = isControl ? 0 : list.size();
        final int stored = list.size();
        offsetDeltas = new int[stored];
        timestamps = new long[stored];
        headers = new Header[stored][];
        keyIndexes = new int[stored];
        keyLengths = new int[stored];
        valueIndexes = new int[stored];
        valueLengths = new int[stored];
        plain = isCompressed ? new byte[plainLength(list)] : bytes;
        int index = 0;
        for (int i = 0; i < stored; i++)
        {
            final Record record = list.get(i);
            offsetDeltas[i] = (int)record.offset();
            timestamps[i] = record.timestamp();
            headers[i] = record.headers();
            keyLengths[i] = record.hasKey() ? record.keySize() : NULL_LENGTH;
            valueLengths[i] = record.hasValue() ? record.valueSize() : NULL_LENGTH;
            keyIndexes[i] = place(record.key(), index);
            index += Math.max(0, keyLengths[i]);
            valueIndexes[i] = place(record.value(), index);
            index += Math.max(0, valueLengths[i]);
        }
    }

    private static int plainLength(final List<Record> records)
    {
        int length = 0;
        for (final Record record : records)
        {
            length += Math.max(0, record.keySize()) + Math.max(0, record.valueSize());
        }
        return length;
    }

    private int place(final ByteBuffer field, final int index)
    {
        if (field == null)
        {
            return 0;
        }
        if (!isCompressed)
        {
            return field.arrayOffset() + field.position();
        }
        field.duplicate().get(plain, index, field.remaining());
        return index;
    }

    private static byte[] toArray(final ByteBuffer buffer)
    {
        if (buffer.hasArray() && buffer.arrayOffset() == 0 && buffer.array().length == buffer.remaining())
        {
            return buffer.array();
        }
        throw new IllegalArgumentException("A template is built from an array of exactly its length.");
    }

    /**
     * @param records one batch of any magic with base offset 0.
     * @return its template.
     */
    public static BatchTemplate of(final MemoryRecords records)
    {
        final byte[] copy = new byte[records.sizeInBytes()];
        records.buffer().duplicate().get(copy);
        return new BatchTemplate(MemoryRecords.readableRecords(ByteBuffer.wrap(copy)), false);
    }

    /**
     * Returns a template whose values begin with a number that the log patches at each append; shorter values stay.
     * Batches of magic 0 and 1 and compressed ones cannot be patched: they are returned as they are.
     */
    public BatchTemplate numbered()
    {
        return magic == RecordBatch.MAGIC_VALUE_V2 && !isCompressed && !isControl ?
            new BatchTemplate(MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)), true) : this;
    }

    /**
     * Builds a batch whose records have consecutive offsets.
     *
     * @param magic       0, 1 or 2; without compression, a batch of magic 0 or 1 has one record.
     * @param compression codec.
     * @param type        of the timestamps.
     * @param records     at least one.
     */
    public static BatchTemplate of(
        final byte magic, final Compression compression, final TimestampType type, final SimpleRecord... records)
    {
        final int[] deltas = new int[records.length];
        for (int i = 0; i < deltas.length; i++)
        {
            deltas[i] = i;
        }
        return compacted(magic, compression, type, deltas, records.length - 1, records);
    }

    /**
     * Builds a batch as compaction leaves it: some of its offsets have no record.
     *
     * @param deltas          offset of each record from the base offset, ascending.
     * @param lastOffsetDelta of the batch, at least the last delta; equal to it for magic 0 and 1.
     */
    public static BatchTemplate compacted(
        final byte magic,
        final Compression compression,
        final TimestampType type,
        final int[] deltas,
        final int lastOffsetDelta,
        final SimpleRecord... records)
    {
        long maxTimestamp = RecordBatch.NO_TIMESTAMP;
        for (final SimpleRecord record : records)
        {
            maxTimestamp = Math.max(maxTimestamp, record.timestamp());
        }
        final MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1024), magic, compression,
            magic == RecordBatch.MAGIC_VALUE_V0 ? TimestampType.CREATE_TIME : type, 0,
            type == TimestampType.LOG_APPEND_TIME ? maxTimestamp : RecordBatch.NO_TIMESTAMP, 0);
        for (int i = 0; i < records.length; i++)
        {
            builder.appendWithOffset(deltas[i], records[i]);
        }
        if (magic == RecordBatch.MAGIC_VALUE_V2)
        {
            builder.overrideLastOffset(lastOffsetDelta);
        }
        return of(builder.build());
    }

    /** Builds a batch without records, as compaction leaves it to keep the state of a producer. */
    public static BatchTemplate empty(final int lastOffsetDelta)
    {
        final ByteBuffer buffer = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(buffer, RecordBatch.MAGIC_VALUE_V2, 1L, (short)0, NO_SEQUENCE, 0,
            lastOffsetDelta, 0, TimestampType.CREATE_TIME, RecordBatch.NO_TIMESTAMP, false, false);
        return of(MemoryRecords.readableRecords(buffer.flip()));
    }

    /** Builds an uncompressed batch of magic 2 with null keys; the timestamps are 1,000 ms, 1,001 ms and so on. */
    public static BatchTemplate ofValues(final String... values)
    {
        final SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++)
        {
            records[i] = new SimpleRecord(FIRST_TIMESTAMP + i, null, values[i].getBytes(StandardCharsets.UTF_8));
        }
        return of(RecordBatch.MAGIC_VALUE_V2, Compression.NONE, TimestampType.CREATE_TIME, records);
    }

    /** Builds a marker with the first timestamp of {@link #ofValues}. */
    static BatchTemplate marker(final boolean isCommit)
    {
        return of(MemoryRecords.withEndTransactionMarker(0, FIRST_TIMESTAMP, 0, 0, (short)0, new EndTransactionMarker(
            isCommit ? ControlRecordType.COMMIT : ControlRecordType.ABORT, 0)));
    }

    /** Returns the batch for another base offset where patching is not enough: magic 0 has offsets inside a codec. */
    byte[] rebuilt(final long baseOffset)
    {
        final CompressionType type = MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)).batches().iterator().next()
            .compressionType();
        final MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(bytes.length), magic,
            Compression.of(type).build(), TimestampType.CREATE_TIME, baseOffset);
        for (int i = 0; i < count; i++)
        {
            builder.appendWithOffset(baseOffset + offsetDeltas[i], RecordBatch.NO_TIMESTAMP,
                field(keyIndexes[i], keyLengths[i]), field(valueIndexes[i], valueLengths[i]));
        }
        final ByteBuffer built = builder.build().buffer();
        final byte[] copy = new byte[built.remaining()];
        built.get(copy);
        return copy;
    }

    private ByteBuffer field(final int index, final int length)
    {
        return length == NULL_LENGTH ? null : ByteBuffer.wrap(plain, index, length).slice(); // sizes count from 0
    }

    /** Returns the length of the encoded batch, in bytes. */
    public int length()
    {
        return bytes.length;
    }
}
