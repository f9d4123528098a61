// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.Varint;

import java.nio.ByteBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Lends a handler a record or a batch for one call, where {@link ViewLifetime#IS_CHECKED}: each time another view over
 * a copy of the bytes, which is poisoned when it is taken back and never used again. So what was kept of it finds an
 * exception or poison, and never the bytes of another record. It allocates with every call.
 */
public final class ViewLender
{
    private static final int SLAB_LENGTH = 64 * 1024;
    private static final int LOG_APPEND_TIME = 1 << 3;
    /** Attributes and two deltas that are 0. */
    private static final int FIXED_FIELDS_LENGTH = 3;

    private ByteBuffer slab = ByteBuffer.allocateDirect(0);
    private RecordMemory memory;
    private ViewLifetime lifetime;

    /**
     * @param record to copy, as the only one of a batch.
     * @return a view of the copy, to be taken back.
     */
    public Record lend(final Record record)
    {
        final int length = recordLength(record);
        final int recordsIndex = RecordBatchFlyweight.HEADER_LENGTH;
        memory = take(recordsIndex + Varint.sizeOfVarint(length) + length);
        final int limit = memory.capacity();
        writeHeader(record);
        writeRecord(record, writeVarint(recordsIndex, length));

        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        batch.wrap(memory, 0, limit);
        final RecordFlyweight lent = new RecordFlyweight();
        lent.wrap(batch, memory, recordsIndex, limit, record.partition());
        if (!lent.next())
        {
            throw new IllegalStateException("copy of " + record + ": " + lent.flaw());
        }
        lifetime = new ViewLifetime("The record at offset " + record.offset() + " of partition " + record.partition());
        lent.lifetime = lifetime;
        return lent;
    }

    /**
     * @param batch to copy.
     * @return a view of the copy, to be taken back.
     */
    public StoredBatch lend(final StoredBatch batch)
    {
        memory = take(batch.length());
        memory.buffer().putBytes(0, batch.buffer(), batch.index(), batch.length());
        final StoredBatchFlyweight lent = StoredBatchFlyweight.copyOf(batch, memory);
        lifetime = new ViewLifetime("The batch at offsets " + batch.baseOffset() + " to " + batch.lastOffset() +
            " of partition " + batch.partition());
        lent.lifetime = lifetime;
        return lent;
    }

    /** The call is over: nothing of what was lent last may be used from now on. */
    public void takeBack()
    {
        lifetime.end();
        memory.poison();
    }

    /**
     * Memory that nothing has been in. Records lie one behind the other, because much direct memory in small pieces
     * would keep the garbage collector busy.
     */
    private RecordMemory take(final int length)
    {
        if (slab.remaining() < length)
        {
            slab = ByteBuffer.allocateDirect(Math.max(length, SLAB_LENGTH));
        }
        final ByteBuffer bytes = slab.slice(slab.position(), length);
        slab.position(slab.position() + length);
        return new RecordMemory(bytes);
    }

    private void writeHeader(final Record record)
    {
        final MutableDirectBuffer buffer = memory.buffer();
        buffer.putLong(RecordBatchFlyweight.BASE_OFFSET_FIELD_OFFSET, record.offset(), BIG_ENDIAN);
        buffer.putInt(RecordBatchFlyweight.BATCH_LENGTH_FIELD_OFFSET,
            memory.capacity() - RecordBatchFlyweight.LENGTH_OVERHEAD, BIG_ENDIAN);
        buffer.putInt(RecordBatchFlyweight.PARTITION_LEADER_EPOCH_FIELD_OFFSET, record.leaderEpoch(), BIG_ENDIAN);
        buffer.putByte(RecordBatchFlyweight.MAGIC_FIELD_OFFSET, (byte) RecordBatchFlyweight.MAGIC_V2);
        final int attributes = record.isLogAppendTime() ? LOG_APPEND_TIME : 0;
        buffer.putShort(RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET, (short) attributes, BIG_ENDIAN);
        buffer.putLong(RecordBatchFlyweight.BASE_TIMESTAMP_FIELD_OFFSET, record.timestamp(), BIG_ENDIAN);
        buffer.putLong(RecordBatchFlyweight.MAX_TIMESTAMP_FIELD_OFFSET, record.timestamp(), BIG_ENDIAN);
        buffer.putInt(RecordBatchFlyweight.RECORD_COUNT_FIELD_OFFSET, 1, BIG_ENDIAN);
    }

    private void writeRecord(final Record record, final int recordIndex)
    {
        int index = recordIndex + FIXED_FIELDS_LENGTH;
        index = writePart(record, index, record.keyIndex(), record.keyLength());
        index = writePart(record, index, record.valueIndex(), record.valueLength());
        index = writeVarint(index, record.headerCount());
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next())
        {
            index = writePart(record, index, headers.keyIndex(), headers.keyLength());
            index = writePart(record, index, headers.valueIndex(), headers.valueLength());
        }
    }

    private int writePart(final Record record, final int index, final int partIndex, final int partLength)
    {
        final int next = writeVarint(index, partLength);
        if (partLength <= 0)
        {
            return next;
        }
        memory.buffer().putBytes(next, record.buffer(), partIndex, partLength);
        return next + partLength;
    }

    private int writeVarint(final int index, final int value)
    {
        return index + Varint.writeVarint(memory.buffer(), index, memory.capacity(), value);
    }

    private static int recordLength(final Record record)
    {
        int length = FIXED_FIELDS_LENGTH + partLength(record.keyLength()) + partLength(record.valueLength()) +
            Varint.sizeOfVarint(record.headerCount());
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next())
        {
            length += partLength(headers.keyLength()) + partLength(headers.valueLength());
        }
        return length;
    }

    private static int partLength(final int length)
    {
        return Varint.sizeOfVarint(length) + Math.max(length, 0);
    }
}
