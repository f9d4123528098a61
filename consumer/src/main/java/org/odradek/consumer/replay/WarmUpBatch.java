// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.replay;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.Varint;
import org.odradek.protocol.compression.BatchCompressor;
import org.odradek.protocol.record.CompressionType;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A batch of records of one shape: without a key, with one, with lengths that take two bytes, with lengths that take
 * three, with headers, and without a value. Cold.
 *
 * @see <a href="https://kafka.apache.org/documentation/#recordbatch">Record Batch in Kafka's documentation</a>
 */
final class WarmUpBatch
{
    static final int SHAPES = 6;
    static final int MAX_RECORD_LENGTH = 20_100;

    private static final int[] KEY_LENGTHS = {-1, 8, 16, 16, 8, 8};
    private static final int[] VALUE_LENGTHS = {12, 40, 200, 20_000, 60, -1};
    private static final int[] HEADER_COUNTS = {0, 0, 0, 0, 2, 0};
    private static final int MAX_RECORDS = 1_000;
    private static final byte[] TEXT = new byte[MAX_RECORD_LENGTH];

    private static final int BASE_OFFSET_OFFSET = 0;
    private static final int LENGTH_OFFSET = 8;
    private static final int EPOCH_OFFSET = 12;
    private static final int MAGIC_OFFSET = 16;
    private static final int CRC_OFFSET = 17;
    private static final int ATTRIBUTES_OFFSET = 21;
    private static final int LAST_DELTA_OFFSET = 23;
    private static final int BASE_TIMESTAMP_OFFSET = 27;
    private static final int MAX_TIMESTAMP_OFFSET = 35;
    private static final int PRODUCER_ID_OFFSET = 43;
    private static final int PRODUCER_EPOCH_OFFSET = 51;
    private static final int BASE_SEQUENCE_OFFSET = 53;
    private static final int COUNT_OFFSET = 57;
    private static final int HEADER_LENGTH = 61;
    private static final byte MAGIC = 2;

    static
    {
        final byte[] word = "cpu.user 17 region=eu web-23 ".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < TEXT.length; i++)
        {
            TEXT[i] = word[i % word.length];
        }
    }

    private final int shape;
    private final UnsafeBuffer records = new UnsafeBuffer(new byte[2 * MAX_RECORD_LENGTH]);
    private final UnsafeBuffer record = new UnsafeBuffer(new byte[MAX_RECORD_LENGTH]);
    private int length;
    private int recordCount;
    private final byte[] bytes;

    /**
     * @param minLength of its records, before they are compressed: at least one record, and so many more.
     */
    WarmUpBatch(final long baseOffset, final int shape, final int codec, final int minLength)
    {
        this.shape = shape;
        do
        {
            addRecord();
        }
        while (length < minLength && recordCount < MAX_RECORDS);
        final byte[] plain = Arrays.copyOf(records.byteArray(), length);
        final byte[] stored = codec == CompressionType.NONE ? plain : BatchCompressor.compress(codec, plain);
        bytes = new byte[HEADER_LENGTH + stored.length];
        final ByteBuffer batch = ByteBuffer.wrap(bytes);
        batch.put(HEADER_LENGTH, stored)
            .putLong(BASE_OFFSET_OFFSET, baseOffset)
            .putInt(LENGTH_OFFSET, bytes.length - EPOCH_OFFSET)
            .putInt(EPOCH_OFFSET, 0)
            .put(MAGIC_OFFSET, MAGIC)
            .putShort(ATTRIBUTES_OFFSET, (short)codec)
            .putInt(LAST_DELTA_OFFSET, recordCount - 1)
            .putLong(BASE_TIMESTAMP_OFFSET, WarmUp.TIMESTAMP_MS)
            .putLong(MAX_TIMESTAMP_OFFSET, WarmUp.TIMESTAMP_MS)
            .putLong(PRODUCER_ID_OFFSET, -1)
            .putShort(PRODUCER_EPOCH_OFFSET, (short)-1)
            .putInt(BASE_SEQUENCE_OFFSET, -1)
            .putInt(COUNT_OFFSET, recordCount);
        final CRC32C crc = new CRC32C();
        crc.update(bytes, ATTRIBUTES_OFFSET, bytes.length - ATTRIBUTES_OFFSET);
        batch.putInt(CRC_OFFSET, (int)crc.getValue());
    }

    private void addRecord()
    {
        int index = 0;
        record.putByte(index++, (byte)0);
        index = varint(record, index, 0);
        index = varint(record, index, recordCount);
        index = text(index, KEY_LENGTHS[shape]);
        index = text(index, VALUE_LENGTHS[shape]);
        index = varint(record, index, HEADER_COUNTS[shape]);
        for (int i = 0; i < HEADER_COUNTS[shape]; i++)
        {
            index = text(index, 2 + i);
            index = text(index, 10 - 11 * i);
        }
        length = varint(records, length, index);
        records.putBytes(length, record, 0, index);
        length += index;
        recordCount++;
    }

    private int text(final int index, final int textLength)
    {
        final int at = varint(record, index, textLength);
        record.putBytes(at, TEXT, 0, Math.max(0, textLength));
        return at + Math.max(0, textLength);
    }

    private static int varint(final UnsafeBuffer buffer, final int index, final int value)
    {
        return index + Varint.writeVarint(buffer, index, buffer.capacity(), value);
    }

    int recordCount()
    {
        return recordCount;
    }

    byte[] bytes()
    {
        return bytes;
    }
}
