// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A view of one record at a time, in the bytes of its batch. A handler gets it for the length of one call: what it
 * keeps it must copy before it returns.
 * <pre>
 *  length varint | attributes int8 | timestampDelta varlong | offsetDelta varint
 *    | keyLength varint, -1 null | key | valueLength varint, -1 null | value
 *    | headerCount varint | { keyLength varint | key | valueLength varint, -1 null | value }*
 * </pre>
 * All varints are zig-zag. The length does not count itself. Every length is checked against the record, and the record
 * against its batch, before {@link #next()} returns; after that the accessors are plain reads.
 *
 * @see <a href="https://kafka.apache.org/documentation/#record">Record, Kafka documentation</a>
 */
public final class RecordFlyweight
{
    /** Length of a key or value that is null, which is not the same as empty. */
    public static final int NULL_LENGTH = -1;

    private static final int NULL_LEADER_EPOCH = -1;
    /** Length, attributes, two deltas, two lengths and a count, of a byte each. */
    private static final int MIN_RECORD_LENGTH = 7;
    /**
     * The quick way reads up to 2 bytes for each of length, two deltas and the key's length, and one for the
     * attributes, before it looks at the limit again.
     */
    private static final int QUICK_LENGTH = 9;
    /** Stands for a varint of more than two bytes. */
    private static final int TOO_LONG = 1 << 30;
    /** Of a record's length: negative, or too long. */
    private static final int NOT_QUICK = TOO_LONG | 1;

    private final RecordVarints varints = new RecordVarints();
    private final RecordHeadersFlyweight headers = new RecordHeadersFlyweight();
    private final LegacyMessageSet messages = new LegacyMessageSet();

    private long address;
    private int firstIndex;
    private int nextIndex;
    private int limit;
    private int remaining;
    private int offsetDelta;
    private int recordCount;
    private long timestampDeltaMs;
    private int keyIndex;
    private int keyLength;
    private int valueIndex;
    private int valueLength;
    private int headersIndex;
    private int headerCount;

    private long baseOffset;
    private long baseTimestamp;
    private long appendTimestamp;
    private int lastOffsetDelta;
    private int partition;
    private int leaderEpoch;
    private boolean isLogAppendTime;
    private boolean isLegacy;
    private String flaw;
    private RecordMemory memory;
    private UnsafeBuffer buffer;
    private ViewLifetime lifetime;

    /**
     * Stand before the first record of a batch.
     *
     * @param batch     a complete one.
     * @param memory    that holds the records: the batch's own, or the one they were decompressed into.
     * @param index     of the first record in the memory.
     * @param limit     first index after the last record.
     * @param partition that the batch belongs to.
     */
    public void wrap(
        final RecordBatchFlyweight batch,
        final RecordMemory memory,
        final int index,
        final int limit,
        final int partition)
    {
        this.memory = memory;
        this.buffer = memory.buffer();
        this.address = buffer.addressOffset();
        this.nextIndex = index;
        this.limit = limit;
        this.partition = partition;
        isLegacy = false;
        firstIndex = index;
        recordCount = batch.recordCount();
        remaining = recordCount;
        baseOffset = batch.baseOffset();
        lastOffsetDelta = batch.lastOffsetDelta();
        leaderEpoch = batch.partitionLeaderEpoch();
        isLogAppendTime = batch.isLogAppendTime();
        baseTimestamp = batch.baseTimestamp();
        appendTimestamp = batch.maxTimestamp();
        offsetDelta = -1;
        flaw = null;
    }

    /**
     * Stand before the first message of a set of magic 0 or 1. Its messages have no headers and no leader epoch.
     *
     * @param wrapper     the message that holds the set, or the only message of it.
     * @param memory      that holds the set.
     * @param index       of the first message.
     * @param limit       first index after the last one.
     * @param offsetShift to add to each offset.
     * @param partition   that the set belongs to.
     */
    public void wrapLegacy(
        final LegacyMessageFlyweight wrapper,
        final RecordMemory memory,
        final int index,
        final int limit,
        final long offsetShift,
        final int partition)
    {
        messages.wrap(memory, index, limit, offsetShift);
        this.memory = memory;
        this.buffer = memory.buffer();
        this.address = buffer.addressOffset();
        this.partition = partition;
        isLegacy = true;
        // None is left to be decoded as a record is, so next() comes to nextLegacy().
        remaining = 0;
        offsetDelta = 0;
        timestampDeltaMs = 0;
        leaderEpoch = NULL_LEADER_EPOCH;
        headerCount = 0;
        isLogAppendTime = wrapper.isLogAppendTime();
        appendTimestamp = wrapper.timestamp();
        flaw = null;
    }

    void lifetime(final ViewLifetime lent)
    {
        lifetime = lent;
    }

    /**
     * Go to the next record.
     *
     * @return false after the last one, or at the first that cannot be one: then {@link #flaw()} says why.
     */
    public boolean next()
    {
        final int start = nextIndex;
        if (remaining <= 0 || limit - start < QUICK_LENGTH + MIN_RECORD_LENGTH)
        {
            return nextChecked();
        }

        // len|attr|tsDelta|offDelta|keyLen|key|valueLen|value|headerCount: varints of at most two bytes, no headers.
        // All else nextChecked() reads anew. In two methods, because HotSpot inlines at most 325 bytes of bytecode.
        long at = address + start;
        int length = UnsafeApi.getByte(at++);
        if (length < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            length = high < 0 ? TOO_LONG : high << 7 | length & 0x7F;
        }
        final long recordEnd = at + (length >> 1);

        int timestampDelta = UnsafeApi.getByte(++at);
        at++;
        if (timestampDelta < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            timestampDelta = high < 0 ? TOO_LONG : high << 7 | timestampDelta & 0x7F;
        }

        int delta = UnsafeApi.getByte(at++);
        if (delta < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            delta = high < 0 ? TOO_LONG : high << 7 | delta & 0x7F;
        }
        final int newOffsetDelta = delta >>> 1 ^ -(delta & 1);

        if ((length & NOT_QUICK | (timestampDelta | delta) & TOO_LONG) != 0 || recordEnd > address + limit ||
            newOffsetDelta <= offsetDelta || newOffsetDelta > lastOffsetDelta || !quickKeyAndValue(at, recordEnd))
        {
            return nextChecked();
        }
        nextIndex = (int)(recordEnd - address);
        remaining--;
        offsetDelta = newOffsetDelta;
        timestampDeltaMs = timestampDelta >>> 1 ^ -(timestampDelta & 1);
        return true;
    }

    /** From the key's length, of at most two bytes, to the end of a record without headers. */
    private boolean quickKeyAndValue(final long index, final long recordEnd)
    {
        long at = index;
        int size = UnsafeApi.getByte(at++);
        if (size < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            size = high < 0 ? TOO_LONG : high << 7 | size & 0x7F;
        }
        final int newKeyLength = size >>> 1 ^ -(size & 1);
        final int newKeyIndex = (int)(at - address);
        at += Math.max(newKeyLength, 0);
        // A value's length of two bytes, or one and the count of headers, lie within the record.
        if (recordEnd - at < 2 || newKeyLength < NULL_LENGTH)
        {
            return false;
        }

        size = UnsafeApi.getByte(at++);
        if (size < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            size = high < 0 ? TOO_LONG : high << 7 | size & 0x7F;
        }
        final int newValueLength = size >>> 1 ^ -(size & 1);
        if (newValueLength < NULL_LENGTH || recordEnd - at - Math.max(newValueLength, 0) != 1 ||
            UnsafeApi.getByte(recordEnd - 1) != 0)
        {
            return false;
        }
        keyIndex = newKeyIndex;
        keyLength = newKeyLength;
        valueIndex = (int)(at - address);
        valueLength = newValueLength;
        headerCount = 0;
        return true;
    }

    /** Any record that can be, byte by byte, and the end of the batch. */
    private boolean nextChecked()
    {
        if (isLegacy)
        {
            return nextLegacy();
        }
        if (remaining <= 0)
        {
            return nextIndex == limit ? false : flawed("bytes after the last record", limit - nextIndex, 0);
        }
        final RecordVarints varints = this.varints;
        varints.wrap(address, nextIndex, limit);
        final int length = varints.next();
        if (varints.isFlawed() || length < MIN_RECORD_LENGTH - 1 || length > varints.remaining())
        {
            return flawed("record length", length, varints.remaining());
        }
        final int end = varints.index() + length;
        varints.limit(end);
        varints.skip(1);
        final long newTimestampDelta = varints.nextLong();
        final int newOffsetDelta = varints.next();
        if (newOffsetDelta <= offsetDelta || newOffsetDelta > lastOffsetDelta)
        {
            return flawed("offset delta", newOffsetDelta, lastOffsetDelta);
        }
        final int newKeyLength = varints.next();
        final int newKeyIndex = varints.index();
        if (varints.isImpossible(newKeyLength, NULL_LENGTH))
        {
            return flawed("key length", newKeyLength, varints.remaining());
        }
        varints.skip(Math.max(newKeyLength, 0));
        final int newValueLength = varints.next();
        final int newValueIndex = varints.index();
        if (varints.isImpossible(newValueLength, NULL_LENGTH))
        {
            return flawed("value length", newValueLength, varints.remaining());
        }
        varints.skip(Math.max(newValueLength, 0));
        final int newHeaderCount = varints.next();
        final int newHeadersIndex = varints.index();
        if (varints.isImpossible(newHeaderCount, 0))
        {
            return flawed("header count", newHeaderCount, varints.remaining());
        }
        for (int i = 0; i < newHeaderCount; i++)
        {
            if (!varints.skipPart(0) || !varints.skipPart(NULL_LENGTH))
            {
                return flawed("length in header", i, newHeaderCount);
            }
        }
        if (varints.index() != end)
        {
            return flawed("bytes left in a record", end - varints.index(), 0);
        }

        nextIndex = end;
        remaining--;
        keyIndex = newKeyIndex;
        keyLength = newKeyLength;
        valueIndex = newValueIndex;
        valueLength = newValueLength;
        headersIndex = newHeadersIndex;
        headerCount = newHeaderCount;
        offsetDelta = newOffsetDelta;
        timestampDeltaMs = newTimestampDelta;
        return true;
    }

    private boolean nextLegacy()
    {
        if (!messages.next())
        {
            flaw = messages.flaw();
            return false;
        }
        final LegacyMessageFlyweight message = messages.message();
        baseOffset = messages.offset();
        baseTimestamp = message.timestamp();
        keyIndex = message.keyIndex();
        keyLength = message.keyLength();
        valueIndex = message.valueIndex();
        valueLength = message.valueLength();
        return true;
    }

    private boolean flawed(final String field, final int found, final int bound)
    {
        flaw = field + " " + found + " where at most " + bound + " fits, at byte " + (nextIndex - firstIndex) +
            " of the records, " + remaining + " records before the end of the batch";
        return false;
    }

    /** What is wrong with the record at which {@link #next()} stopped; null if it stopped after the last one. */
    public String flaw()
    {
        return flaw;
    }

    /**
     * Stand before the current record again, so that {@link #next()} gives it once more. Reads from the start.
     */
    public void rewind()
    {
        if (isLegacy)
        {
            messages.rewind();
            return;
        }
        final int delivered = recordCount - remaining;
        nextIndex = firstIndex;
        remaining = recordCount;
        offsetDelta = -1;
        for (int i = 1; i < delivered; i++)
        {
            next();
        }
    }

    public int partition()
    {
        ViewLifetime.check(lifetime);
        return partition;
    }

    public long offset()
    {
        ViewLifetime.check(lifetime);
        return baseOffset + offsetDelta;
    }

    /** Epoch of the leader that appended the record, or -1 where the log does not know it. */
    public int leaderEpoch()
    {
        ViewLifetime.check(lifetime);
        return leaderEpoch;
    }

    /**
     * Milliseconds since 1970: when the producer made the record, or when the broker appended it
     * ({@link #isLogAppendTime()}).
     */
    public long timestamp()
    {
        ViewLifetime.check(lifetime);
        return isLogAppendTime ? appendTimestamp : baseTimestamp + timestampDeltaMs;
    }

    public boolean isLogAppendTime()
    {
        ViewLifetime.check(lifetime);
        return isLogAppendTime;
    }

    /** The memory that the indexes of this record count in. */
    public DirectBuffer buffer()
    {
        ViewLifetime.check(lifetime);
        return buffer;
    }

    public int keyIndex()
    {
        ViewLifetime.check(lifetime);
        return keyIndex;
    }

    /** Length of the key in bytes, or {@link #NULL_LENGTH}. */
    public int keyLength()
    {
        ViewLifetime.check(lifetime);
        return keyLength;
    }

    public int valueIndex()
    {
        ViewLifetime.check(lifetime);
        return valueIndex;
    }

    /** Length of the value in bytes, or {@link #NULL_LENGTH}. */
    public int valueLength()
    {
        ViewLifetime.check(lifetime);
        return valueLength;
    }

    /**
     * The key between position and limit of a view that every record of this memory shares; null if there is no key.
     */
    public ByteBuffer keyByteBuffer()
    {
        ViewLifetime.check(lifetime);
        return keyLength < 0 ? null : memory.keyView(keyIndex, keyLength);
    }

    /**
     * The value between position and limit of a view that all records of this memory share; null if there is no value.
     */
    public ByteBuffer valueByteBuffer()
    {
        ViewLifetime.check(lifetime);
        return valueLength < 0 ? null : memory.valueView(valueIndex, valueLength);
    }

    /**
     * A long of the value, read by its address: quicker than through {@link #buffer()}, and never beyond the value.
     *
     * @param at    bytes from the beginning of the value.
     * @param order of its bytes.
     * @throws IndexOutOfBoundsException if it does not lie in the value.
     */
    public long valueLong(final int at, final ByteOrder order)
    {
        final long value = UnsafeApi.getLong(addressInValue(at, Long.BYTES));
        return order == ByteOrder.nativeOrder() ? value : Long.reverseBytes(value);
    }

    /** As {@link #valueLong}, of an int. */
    public int valueInt(final int at, final ByteOrder order)
    {
        final int value = UnsafeApi.getInt(addressInValue(at, Integer.BYTES));
        return order == ByteOrder.nativeOrder() ? value : Integer.reverseBytes(value);
    }

    private long addressInValue(final int at, final int length)
    {
        if (at < 0 || at > valueLength - length)
        {
            throw new IndexOutOfBoundsException(length + " bytes at " + at + " of a value of " + valueLength);
        }
        return address + valueIndex + at;
    }

    public int headerCount()
    {
        ViewLifetime.check(lifetime);
        return headerCount;
    }

    /** The headers, to be walked from the first; the same object every time. */
    public RecordHeadersFlyweight headers()
    {
        ViewLifetime.check(lifetime);
        headers.wrap(buffer, headersIndex, nextIndex, headerCount, lifetime);
        return headers;
    }

    @Override
    public String toString()
    {
        return "RecordFlyweight{partition=" + partition + ", offset=" + offset() + ", timestamp=" + timestamp() +
            ", keyLength=" + keyLength + ", valueLength=" + valueLength + ", headerCount=" + headerCount + "}";
    }
}
