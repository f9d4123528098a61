// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.Varint;

import java.util.zip.CRC32C;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Writes one record batch of format version 2 in place, in the layout of {@link RecordBatchFlyweight} and byte for byte
 * as Kafka's producer. One encoder is for one batch at a time and one thread; it allocates nothing after its
 * construction.
 * <pre>
 *  begin ─▶ claim ─▶ commit | abort     any number of times, or append
 *        ─▶ replaceRecords              if they were compressed
 *        ─▶ seal                        again if the producer's id, epoch or sequence has changed
 *
 *  record: length varint | attributes int8 | timestampDelta varlong | offsetDelta varint
 *          keyLength varint, -1 for null | key | valueLength varint, -1 for null | value
 *          headerCount varint | {keyLength varint | key | valueLength varint, -1 for null | value}*
 * </pre>
 * A claim needs the exact lengths of all parts, because the length of a record and those of its parts are varints in
 * front of the bytes. A method that is called out of this order throws an {@link IllegalStateException}.
 *
 * @see <a href="https://kafka.apache.org/documentation/#recordbatch">Record batch, Kafka documentation</a>
 */
public final class RecordBatchEncoder
{
    /** The length of a null key or value. A record with a null value is a tombstone in a compacted topic. */
    public static final int NULL_LENGTH = -1;
    /** Result of {@link #claim}: the record does not fit, and nothing has changed. */
    public static final int NO_ROOM = -1;
    /** The timestamp of a record without one. No other timestamp is negative. */
    public static final long NO_TIMESTAMP = -1;
    /** The id, the epoch and the base sequence of a producer that is not idempotent. */
    public static final int NO_PRODUCER = -1;

    private static final int NULL_LEADER_EPOCH = -1;
    private static final byte NO_ATTRIBUTES = 0;

    /** Everything but the bytes of key, value and headers: five varints, attributes, the timestamp. */
    private static final int MAX_RECORD_OVERHEAD = 5 * Varint.MAX_VARINT_LENGTH + 1 + Varint.MAX_VARLONG_LENGTH;

    private static final int IDLE = 0;
    private static final int OPEN = 1;
    private static final int CLAIMED = 2;
    private static final int CLOSED = 3;

    private final CRC32C checksum = new CRC32C();
    private int state = IDLE;
    private int index;
    private int limit;
    private int recordsLimit;
    private int longestRecord;
    private int recordCount;
    private short attributes;
    private long baseTimestamp;
    private long maxTimestamp;

    private long claimTimestamp;
    private int claimLimit;
    private int keyIndex;
    private int valueIndex;
    private int headerIndex;
    private int headersLeft;

    private RecordMemory memory;
    private UnsafeBuffer buffer;

    /**
     * Begins an empty batch, whatever has become of the last one.
     *
     * @param index    of its first byte.
     * @param capacity the most bytes that it may have, with the 61 of its header.
     */
    public RecordBatchEncoder begin(final RecordMemory memory, final int index, final int capacity)
    {
        if (index < 0 || capacity < RecordBatchFlyweight.HEADER_LENGTH || capacity > memory.capacity() - index)
        {
            throw new IllegalArgumentException("A batch of " + capacity + " bytes at index " + index +
                " is too short for a header or not within the " + memory.capacity() + " bytes of the memory.");
        }
        this.memory = memory;
        this.buffer = memory.buffer();
        this.index = index;
        limit = index + capacity;
        recordsLimit = index + RecordBatchFlyweight.HEADER_LENGTH;
        longestRecord = 0;
        recordCount = 0;
        attributes = NO_ATTRIBUTES;
        baseTimestamp = NO_TIMESTAMP;
        maxTimestamp = NO_TIMESTAMP;
        state = OPEN;
        return this;
    }

    /**
     * Returns true if a record fits, whatever its timestamp is. It may be false for a record that just fits.
     *
     * @param keyLength     in bytes, or {@link #NULL_LENGTH}.
     * @param valueLength   in bytes, or {@link #NULL_LENGTH}.
     * @param headersLength sum of {@link #headerLength} over all headers.
     */
    public boolean hasRoom(final int keyLength, final int valueLength, final int headersLength)
    {
        return maxRecordLength(keyLength, valueLength, headersLength) <= limit - recordsLimit;
    }

    /** The most bytes that a record with these lengths takes, without the header of the batch. */
    public static long maxRecordLength(final int keyLength, final int valueLength, final int headersLength)
    {
        return (long) MAX_RECORD_OVERHEAD + Math.max(0, keyLength) + Math.max(0, valueLength) + headersLength;
    }

    /**
     * The bytes that one header of a record takes.
     *
     * @param valueLength in bytes, or {@link #NULL_LENGTH}.
     */
    public static int headerLength(final int keyLength, final int valueLength)
    {
        return Math.addExact(Varint.varintLength(keyLength) + Varint.varintLength(valueLength),
            Math.addExact(keyLength, Math.max(0, valueLength)));
    }

    /**
     * Begins a record. Its key belongs at {@link #keyIndex()} of the memory and its value at the index that is
     * returned, and its headers are written by {@link #header}; then {@link #commit()} or {@link #abort()} must follow.
     *
     * @param timestamp     in ms since the epoch, or {@link #NO_TIMESTAMP}.
     * @param keyLength     in bytes, or {@link #NULL_LENGTH}.
     * @param valueLength   in bytes, or {@link #NULL_LENGTH}.
     * @param headerCount   how many headers will be written.
     * @param headersLength sum of {@link #headerLength} over them.
     * @return index of the value, or {@link #NO_ROOM}.
     */
    public int claim(
        final long timestamp,
        final int keyLength,
        final int valueLength,
        final int headerCount,
        final int headersLength)
    {
        expect(OPEN);
        check(timestamp, keyLength, valueLength, headerCount, headersLength);
        final long delta = recordCount == 0 ? 0 : timestamp - baseTimestamp;
        final long length = 1L + Varint.varlongLength(delta) + Varint.varintLength(recordCount) +
            Varint.varintLength(keyLength) + Math.max(0, keyLength) +
            Varint.varintLength(valueLength) + Math.max(0, valueLength) +
            Varint.varintLength(headerCount) + headersLength;
        final int room = limit - recordsLimit;
        if (length > room || length + Varint.varintLength((int) length) > room)
        {
            return NO_ROOM;
        }
        claimTimestamp = timestamp;
        headersLeft = headerCount;
        writeClaim((int) length, delta, keyLength, valueLength, headersLength);
        state = CLAIMED;
        return valueIndex;
    }

    /**
     * Checks the parameters of {@link #claim}.
     *
     * @throws IllegalArgumentException if no record can have them.
     */
    public static void check(
        final long timestamp,
        final int keyLength,
        final int valueLength,
        final int headerCount,
        final int headersLength)
    {
        if (timestamp < NO_TIMESTAMP || keyLength < NULL_LENGTH || valueLength < NULL_LENGTH ||
            headerCount < 0 || headersLength < 0)
        {
            throw new IllegalArgumentException("A record cannot have the timestamp " + timestamp + ", a key of " +
                keyLength + ", a value of " + valueLength + " and " + headerCount + " headers of " + headersLength +
                " bytes.");
        }
    }

    private void writeClaim(
        final int length, final long delta, final int keyLength, final int valueLength, final int headersLength)
    {
        int at = recordsLimit;
        at += Varint.writeVarint(buffer, at, limit, length);
        claimLimit = at + length;
        buffer.putByte(at++, NO_ATTRIBUTES);
        at += Varint.writeVarlong(buffer, at, limit, delta);
        at += Varint.writeVarint(buffer, at, limit, recordCount);
        at += Varint.writeVarint(buffer, at, limit, keyLength);
        keyIndex = at;
        at += Math.max(0, keyLength);
        at += Varint.writeVarint(buffer, at, limit, valueLength);
        valueIndex = at;
        at += Math.max(0, valueLength);
        Varint.writeVarint(buffer, at, limit, headersLeft);
        headerIndex = claimLimit - headersLength;
    }

    /** Index of the key of the claimed record. */
    public int keyIndex()
    {
        return keyIndex;
    }

    /** Index of the value of the claimed record. */
    public int valueIndex()
    {
        return valueIndex;
    }

    /**
     * Writes the next header of the claimed record.
     *
     * @param keyBuffer   that holds the key, in UTF-8.
     * @param valueBuffer not read if the value is null.
     * @param valueLength in bytes, or {@link #NULL_LENGTH}.
     */
    public void header(
        final DirectBuffer keyBuffer,
        final int keyIndex,
        final int keyLength,
        final DirectBuffer valueBuffer,
        final int valueIndex,
        final int valueLength)
    {
        expect(CLAIMED);
        if (headersLeft == 0 || keyLength < 0 || valueLength < NULL_LENGTH ||
            headerLength(keyLength, valueLength) > claimLimit - headerIndex)
        {
            throw new IllegalArgumentException("A header with a key of " + keyLength + " and a value of " +
                valueLength + " bytes is not one of those that were claimed.");
        }
        int at = headerIndex;
        at += Varint.writeVarint(buffer, at, claimLimit, keyLength);
        buffer.putBytes(at, keyBuffer, keyIndex, keyLength);
        at += keyLength;
        at += Varint.writeVarint(buffer, at, claimLimit, valueLength);
        if (valueLength > 0)
        {
            buffer.putBytes(at, valueBuffer, valueIndex, valueLength);
            at += valueLength;
        }
        headerIndex = at;
        headersLeft--;
    }

    /**
     * Writes all headers of the claimed record, as they are encoded.
     *
     * @param source that holds the headers that were claimed, each as {@link #header} writes it.
     * @param length of all, as it was claimed.
     */
    public void headers(final DirectBuffer source, final int sourceIndex, final int length)
    {
        expect(CLAIMED);
        if (length != claimLimit - headerIndex)
        {
            throw new IllegalArgumentException("Headers of " + length + " bytes are not those that were claimed.");
        }
        buffer.putBytes(headerIndex, source, sourceIndex, length);
        headerIndex = claimLimit;
        headersLeft = 0;
    }

    /**
     * Ends the claimed record.
     *
     * @throws IllegalStateException if headers are missing; the claim is still open then.
     */
    public void commit()
    {
        expect(CLAIMED);
        if (headersLeft != 0 || headerIndex != claimLimit)
        {
            throw new IllegalStateException("The claimed record lacks " + headersLeft + " headers and " +
                (claimLimit - headerIndex) + " bytes of headers.");
        }
        if (recordCount == 0)
        {
            baseTimestamp = claimTimestamp;
        }
        maxTimestamp = Math.max(maxTimestamp, claimTimestamp);
        longestRecord = Math.max(longestRecord, claimLimit - recordsLimit);
        recordsLimit = claimLimit;
        recordCount++;
        state = OPEN;
    }

    /** Removes the claimed record: the batch is as it was before the claim. */
    public void abort()
    {
        expect(CLAIMED);
        state = OPEN;
    }

    /**
     * Writes a record without headers.
     *
     * @param timestamp   in ms since the epoch, or {@link #NO_TIMESTAMP}.
     * @param keyBuffer   not read if the key is null.
     * @param keyLength   in bytes, or {@link #NULL_LENGTH}.
     * @param valueBuffer not read if the value is null.
     * @param valueLength in bytes, or {@link #NULL_LENGTH}.
     * @return false if it does not fit; nothing has changed then.
     */
    public boolean append(
        final long timestamp,
        final DirectBuffer keyBuffer,
        final int keyIndex,
        final int keyLength,
        final DirectBuffer valueBuffer,
        final int valueIndex,
        final int valueLength)
    {
        final int claimed = claim(timestamp, keyLength, valueLength, 0, 0);
        if (claimed == NO_ROOM)
        {
            return false;
        }
        if (keyLength > 0)
        {
            buffer.putBytes(this.keyIndex, keyBuffer, keyIndex, keyLength);
        }
        if (valueLength > 0)
        {
            buffer.putBytes(claimed, valueBuffer, valueIndex, valueLength);
        }
        commit();
        return true;
    }

    /**
     * Replaces all records by the same ones as a codec has compressed them. The batch takes no more records then.
     *
     * @param compressionType as {@link CompressionType} numbers it, not {@link CompressionType#NONE}.
     * @param source          that holds the compressed records from index 0.
     * @param length          of these, less than {@link #recordsLength()}.
     * @throws IllegalArgumentException if that is not shorter, or there is no record.
     */
    public void replaceRecords(final int compressionType, final DirectBuffer source, final int length)
    {
        expect(OPEN);
        if (recordCount == 0 || compressionType <= CompressionType.NONE || compressionType > CompressionType.ZSTD ||
            length >= recordsLength())
        {
            throw new IllegalArgumentException(recordCount + " records of " + recordsLength() +
                " bytes cannot be replaced by " + length + " bytes of " + CompressionType.name(compressionType) + ".");
        }
        buffer.putBytes(recordsIndex(), source, 0, length);
        recordsLimit = recordsIndex() + length;
        attributes = (short) compressionType;
        state = CLOSED;
    }

    /**
     * Writes the header of the batch, after which it takes no more records. Only a second call may follow, which
     * replaces the numbers of the producer, and {@link #begin}.
     *
     * @param producerId    or {@link #NO_PRODUCER}.
     * @param producerEpoch or {@link #NO_PRODUCER}.
     * @param baseSequence  sequence of the first record, or {@link #NO_PRODUCER}.
     * @return length of the batch in bytes.
     * @throws IllegalStateException if it has no record: Kafka refuses empty batches.
     */
    public int seal(final long producerId, final short producerEpoch, final int baseSequence)
    {
        if (state != CLOSED)
        {
            expect(OPEN);
        }
        if (recordCount == 0)
        {
            throw new IllegalStateException("A batch needs a record.");
        }
        state = CLOSED;
        buffer.putLong(index + RecordBatchFlyweight.BASE_OFFSET_FIELD_OFFSET, 0, BIG_ENDIAN);
        buffer.putInt(index + RecordBatchFlyweight.BATCH_LENGTH_FIELD_OFFSET,
            length() - RecordBatchFlyweight.LENGTH_OVERHEAD, BIG_ENDIAN);
        buffer.putInt(index + RecordBatchFlyweight.PARTITION_LEADER_EPOCH_FIELD_OFFSET, NULL_LEADER_EPOCH, BIG_ENDIAN);
        buffer.putByte(index + RecordBatchFlyweight.MAGIC_FIELD_OFFSET, (byte) RecordBatchFlyweight.MAGIC_V2);
        buffer.putShort(index + RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET, attributes, BIG_ENDIAN);
        buffer.putInt(index + RecordBatchFlyweight.LAST_OFFSET_DELTA_FIELD_OFFSET, recordCount - 1, BIG_ENDIAN);
        buffer.putLong(index + RecordBatchFlyweight.BASE_TIMESTAMP_FIELD_OFFSET, baseTimestamp, BIG_ENDIAN);
        buffer.putLong(index + RecordBatchFlyweight.MAX_TIMESTAMP_FIELD_OFFSET, maxTimestamp, BIG_ENDIAN);
        buffer.putLong(index + RecordBatchFlyweight.PRODUCER_ID_FIELD_OFFSET, producerId, BIG_ENDIAN);
        buffer.putShort(index + RecordBatchFlyweight.PRODUCER_EPOCH_FIELD_OFFSET, producerEpoch, BIG_ENDIAN);
        buffer.putInt(index + RecordBatchFlyweight.BASE_SEQUENCE_FIELD_OFFSET, baseSequence, BIG_ENDIAN);
        buffer.putInt(index + RecordBatchFlyweight.RECORD_COUNT_FIELD_OFFSET, recordCount, BIG_ENDIAN);
        writeChecksum();
        return length();
    }

    private void writeChecksum()
    {
        final int checkedIndex = index + RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET;
        checksum.reset();
        checksum.update(memory.checksumView(checkedIndex, recordsLimit - checkedIndex));
        buffer.putInt(index + RecordBatchFlyweight.CRC_FIELD_OFFSET, (int) checksum.getValue(), BIG_ENDIAN);
    }

    public RecordMemory memory()
    {
        return memory;
    }

    /** Index of the first byte of the batch. */
    public int index()
    {
        return index;
    }

    /** Index of the first byte of the records. */
    public int recordsIndex()
    {
        return index + RecordBatchFlyweight.HEADER_LENGTH;
    }

    /** The length of the records in bytes, without a claim. */
    public int recordsLength()
    {
        return recordsLimit - recordsIndex();
    }

    /** The length of the batch in bytes, with its header and without a claim. */
    public int length()
    {
        return recordsLimit - index;
    }

    /** Whether another record as long as the longest one does not fit: the batch is at least half full then. */
    public boolean isFull()
    {
        return longestRecord > limit - recordsLimit;
    }

    /** How many records the batch has, without a claim. */
    public int recordCount()
    {
        return recordCount;
    }

    private void expect(final int expected)
    {
        if (state != expected)
        {
            throw new IllegalStateException(
                state == CLAIMED ? "A claim is open: commit or abort it first." :
                expected == CLAIMED ? "No claim is open." : "No batch is open.");
        }
    }
}
