// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.DirectBuffer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;
import org.odradek.protocol.Cases;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Compares the records that kafka-clients and the flyweights read from the same record sets, field by field. */
class RecordOracleTest
{
    private static final int ROUNDS = 8;
    private static final int BATCHES_PER_SET = 3;
    private static final int PARTITION = 11;

    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordFlyweight record = new RecordFlyweight();
    private int batchCount;
    private int recordCount;

    @Test
    void shouldReadWhatKafkaReads()
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            Cases.forEach(round, this::compareSet);
        }
        assertEquals(ROUNDS * 300 * BATCHES_PER_SET, batchCount);
        assertTrue(recordCount > 5 * batchCount, recordCount + " records");
    }

    private void compareSet(final Random random)
    {
        final ByteBuffer set = ByteBuffer.allocate(1 << 19);
        for (int i = 0; i < BATCHES_PER_SET; i++)
        {
            set.put(RecordBatches.random(random));
        }
        final byte[] bytes = new byte[set.flip().limit()];
        set.get(bytes);
        final int before = random.nextInt(50);
        final RecordMemory memory = RecordBatches.within(bytes, before, random.nextInt(50), random.nextInt());

        final int limit = before + bytes.length;
        int index = before;
        for (final MutableRecordBatch expected : MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)).batches())
        {
            assertEquals(RecordBatchFlyweight.COMPLETE, batch.wrap(memory, index, limit));
            compareBatch(expected);
            compareRecords(expected, memory);
            index = batch.limit();
            batchCount++;
        }
        assertEquals(limit, index);
        assertEquals(RecordBatchFlyweight.CUT_OFF, batch.wrap(memory, index, limit));
        memory.free();
    }

    private void compareBatch(final MutableRecordBatch expected)
    {
        assertEquals(expected.sizeInBytes(), batch.limit() - batch.index());
        assertEquals(expected.baseOffset(), batch.baseOffset());
        assertEquals(expected.lastOffset(), batch.lastOffset());
        assertEquals(expected.partitionLeaderEpoch(), batch.partitionLeaderEpoch());
        assertEquals(expected.magic(), batch.magic());
        assertEquals(expected.compressionType().id, batch.compressionType());
        assertEquals(expected.timestampType() == TimestampType.LOG_APPEND_TIME, batch.isLogAppendTime());
        assertEquals(expected.isTransactional(), batch.isTransactional());
        assertEquals(expected.isControlBatch(), batch.isControl());
        assertEquals(expected.maxTimestamp(), batch.maxTimestamp());
        assertEquals(expected.producerId(), batch.producerId());
        assertEquals(expected.producerEpoch(), batch.producerEpoch());
        assertEquals(expected.baseSequence(), batch.baseSequence());
        assertEquals(expected.countOrNull(), batch.recordCount());
        assertEquals(expected.checksum(), Integer.toUnsignedLong(batch.crc()));
        assertEquals(batch.crc(), batch.computeCrc());
    }

    private void compareRecords(final MutableRecordBatch expected, final RecordMemory memory)
    {
        record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), PARTITION);
        final Iterator<Record> iterator = expected.iterator();
        while (iterator.hasNext())
        {
            final Record wanted = iterator.next();
            assertTrue(record.next(), record::flaw);
            compareRecord(expected, wanted);
            recordCount++;
        }
        assertFalse(record.next());
        assertNull(record.flaw());
    }

    private void compareRecord(final MutableRecordBatch expected, final Record wanted)
    {
        assertEquals(PARTITION, record.partition());
        assertEquals(wanted.offset(), record.offset());
        assertEquals(wanted.timestamp(), record.timestamp());
        assertEquals(expected.partitionLeaderEpoch(), record.leaderEpoch());
        assertEquals(wanted.hasKey() ? wanted.keySize() : RecordFlyweight.NULL_LENGTH, record.keyLength());
        assertArrayEquals(bytes(wanted.key()), bytes(record.buffer(), record.keyIndex(), record.keyLength()));
        assertEquals(wanted.key(), record.keyByteBuffer());
        assertEquals(wanted.hasValue() ? wanted.valueSize() : RecordFlyweight.NULL_LENGTH, record.valueLength());
        assertArrayEquals(bytes(wanted.value()), bytes(record.buffer(), record.valueIndex(), record.valueLength()));
        assertEquals(wanted.value(), record.valueByteBuffer());
        for (int at = 0; at <= record.valueLength() - Long.BYTES; at += 1 + record.valueLength() / 3)
        {
            assertEquals(wanted.value().getLong(at), record.valueLong(at, ByteOrder.BIG_ENDIAN));
            assertEquals(wanted.value().getInt(at), record.valueInt(at, ByteOrder.BIG_ENDIAN));
        }

        final RecordHeadersFlyweight headers = record.headers();
        assertEquals(wanted.headers().length, record.headerCount());
        for (final Header header : wanted.headers())
        {
            assertTrue(headers.next());
            assertArrayEquals(header.key().getBytes(StandardCharsets.UTF_8),
                bytes(record.buffer(), headers.keyIndex(), headers.keyLength()));
            assertArrayEquals(header.value(), bytes(record.buffer(), headers.valueIndex(), headers.valueLength()));
        }
        assertFalse(headers.next());
    }

    private static byte[] bytes(final ByteBuffer buffer)
    {
        if (buffer == null)
        {
            return null;
        }
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static byte[] bytes(final DirectBuffer buffer, final int index, final int length)
    {
        if (length == RecordFlyweight.NULL_LENGTH)
        {
            return null;
        }
        final byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        return bytes;
    }
}
