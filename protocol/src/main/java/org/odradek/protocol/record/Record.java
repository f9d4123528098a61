// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A read-only view of one record in the bytes of its batch. It is valid until the handler that received it returns, so
 * copy the bytes that you want to keep. Keys and values have an index in {@link #buffer()} and a length; the length
 * {@link #NULL_LENGTH} means null, which is not the same as empty.
 *
 * @see <a href="https://kafka.apache.org/documentation/#record">Record, Kafka documentation</a>
 */
public abstract class Record
{
    /** The length of a key or value that is null. */
    public static final int NULL_LENGTH = -1;

    long address;
    int nextIndex;
    int offsetDelta;
    long timestampDeltaMs;
    int keyIndex;
    int keyLength;
    int valueIndex;
    int valueLength;
    int headersIndex;
    int headerCount;

    long baseOffset;
    long baseTimestamp;
    long appendTimestamp;
    int partition;
    int ownershipEpoch;
    int leaderEpoch;
    boolean isLogAppendTime;
    RecordMemory memory;
    UnsafeBuffer buffer;
    ViewLifetime lifetime;

    private final RecordHeadersFlyweight headers = new RecordHeadersFlyweight();

    Record()
    {
    }

    /** The id of the partition. */
    public final int partition()
    {
        ViewLifetime.check(lifetime);
        return partition;
    }

    /** The offset of the record in its partition. */
    public final long offset()
    {
        ViewLifetime.check(lifetime);
        return baseOffset + offsetDelta;
    }

    /**
     * The epoch of the consumer's ownership of the partition, from 1 to 65,535. Each assignment of the partition and
     * each seek begins another epoch, also a seek of the consumer after the log was truncated or by the reset policy.
     * An acknowledgement names this epoch. It is 0 if no consumer has delivered the record.
     */
    public final int ownershipEpoch()
    {
        ViewLifetime.check(lifetime);
        return ownershipEpoch;
    }

    /** The epoch of the leader that appended the record, or -1 if the log does not contain the epoch. */
    public final int leaderEpoch()
    {
        ViewLifetime.check(lifetime);
        return leaderEpoch;
    }

    /**
     * The timestamp in milliseconds since 1970: the time that the producer has set, or the time at which the broker
     * appended the record ({@link #isLogAppendTime()}).
     */
    public final long timestamp()
    {
        ViewLifetime.check(lifetime);
        return isLogAppendTime ? appendTimestamp : baseTimestamp + timestampDeltaMs;
    }

    /** Returns true if the broker has set {@link #timestamp()}, and false if the producer has set it. */
    public final boolean isLogAppendTime()
    {
        ViewLifetime.check(lifetime);
        return isLogAppendTime;
    }

    /** The memory that holds the key, the value and the headers. It must not be used after the handler has returned. */
    public final DirectBuffer buffer()
    {
        ViewLifetime.check(lifetime);
        return buffer;
    }

    /** The index in {@link #buffer()} at which the key begins; {@link #keyLength()} shows if there is one. */
    public final int keyIndex()
    {
        ViewLifetime.check(lifetime);
        return keyIndex;
    }

    /** The length of the key in bytes, or {@link #NULL_LENGTH} if the key is null. */
    public final int keyLength()
    {
        ViewLifetime.check(lifetime);
        return keyLength;
    }

    /** The index in {@link #buffer()} at which the value begins; {@link #valueLength()} shows if there is one. */
    public final int valueIndex()
    {
        ViewLifetime.check(lifetime);
        return valueIndex;
    }

    /** The length of the value in bytes, or {@link #NULL_LENGTH} if the value is null. */
    public final int valueLength()
    {
        ViewLifetime.check(lifetime);
        return valueLength;
    }

    /**
     * The key, from position to limit of a buffer that all records share; null if the key is null. The buffer is valid
     * until the handler returns or another record's key is requested.
     */
    public final ByteBuffer keyByteBuffer()
    {
        ViewLifetime.check(lifetime);
        return keyLength < 0 ? null : memory.keyView(keyIndex, keyLength);
    }

    /**
     * The value, from position to limit of a buffer that all records share; null if the value is null. The buffer is
     * valid until the handler returns or another record's value is requested.
     */
    public final ByteBuffer valueByteBuffer()
    {
        ViewLifetime.check(lifetime);
        return valueLength < 0 ? null : memory.valueView(valueIndex, valueLength);
    }

    /**
     * Reads a long from the value. This is faster than reading through {@link #buffer()}.
     *
     * @param at    the position of the first byte of the long, counted from the beginning of the value.
     * @param order the order of its bytes.
     * @throws IndexOutOfBoundsException if one of its bytes is outside of the value, or the value is null.
     */
    public final long valueLong(final int at, final ByteOrder order)
    {
        final long value = UnsafeApi.getLong(addressInValue(at, Long.BYTES));
        return order == ByteOrder.nativeOrder() ? value : Long.reverseBytes(value);
    }

    /** Reads an int from the value, as {@link #valueLong} reads a long. */
    public final int valueInt(final int at, final ByteOrder order)
    {
        final int value = UnsafeApi.getInt(addressInValue(at, Integer.BYTES));
        return order == ByteOrder.nativeOrder() ? value : Integer.reverseBytes(value);
    }

    private long addressInValue(final int at, final int length)
    {
        ViewLifetime.check(lifetime);
        if (at < 0 || at > valueLength - length)
        {
            throw outsideOfValue(at, length, valueLength);
        }
        return address + valueIndex + at;
    }

    private static IndexOutOfBoundsException outsideOfValue(final int at, final int length, final int valueLength)
    {
        return new IndexOutOfBoundsException(
            "Cannot read " + length + " bytes at " + at + " of a value of " + valueLength + " bytes.");
    }

    /** The number of headers, 0 or more. */
    public final int headerCount()
    {
        ViewLifetime.check(lifetime);
        return headerCount;
    }

    /**
     * Returns a cursor before the first header. Each call returns the same object, and moves it back to that position.
     */
    public final RecordHeadersFlyweight headers()
    {
        ViewLifetime.check(lifetime);
        headers.wrap(buffer, headersIndex, nextIndex, headerCount, lifetime);
        return headers;
    }

    @Override
    public final String toString()
    {
        return "Record{partition=" + partition + ", offset=" + offset() + ", timestamp=" + timestamp() +
            ", keyLength=" + keyLength + ", valueLength=" + valueLength + ", headerCount=" + headerCount + "}";
    }
}
