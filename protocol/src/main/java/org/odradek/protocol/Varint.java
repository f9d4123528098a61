// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Variable-length integers, seven bits a byte and the low bits first. The high bit says that another byte follows;
 * signed ones are zig-zag encoded. As in Kafka, bits beyond the type's width are dropped and an encoding may be longer
 * than it need be, so the place after a value is found with {@link #encodedLength}, never with its size.
 */
public final class Varint
{
    public static final int MAX_VARINT_LENGTH = 5;
    public static final int MAX_VARLONG_LENGTH = 10;

    /** What {@link #encodedLength} gives when no end is found. */
    public static final int NO_END = -1;

    private Varint()
    {
    }

    /**
     * The bytes that the value at an index takes, or {@link #NO_END} when it does not end before the limit and within
     * the given number of bytes.
     */
    public static int encodedLength(final DirectBuffer buffer, final int index, final int limit, final int maxLength)
    {
        final int room = Math.min(maxLength, limit - index);
        for (int i = 0; i < room; i++)
        {
            if (buffer.getByte(index + i) >= 0)
            {
                return i + 1;
            }
        }
        return NO_END;
    }

    public static int readVarint(final DirectBuffer buffer, final int index, final int limit)
    {
        final int value = readUnsignedVarint(buffer, index, limit);
        return (value >>> 1) ^ -(value & 1);
    }

    public static long readVarlong(final DirectBuffer buffer, final int index, final int limit)
    {
        final long value = readUnsignedVarlong(buffer, index, limit);
        return (value >>> 1) ^ -(value & 1);
    }

    public static int readUnsignedVarint(final DirectBuffer buffer, final int index, final int limit)
    {
        return (int) read(buffer, index, limit, MAX_VARINT_LENGTH);
    }

    public static long readUnsignedVarlong(final DirectBuffer buffer, final int index, final int limit)
    {
        return read(buffer, index, limit, MAX_VARLONG_LENGTH);
    }

    /** @return bytes written. */
    public static int writeVarint(final MutableDirectBuffer buffer, final int index, final int limit, final int value)
    {
        return writeUnsignedVarint(buffer, index, limit, zigZag(value));
    }

    /** @return bytes written. */
    public static int writeVarlong(final MutableDirectBuffer buffer, final int index, final int limit, final long value)
    {
        return writeUnsignedVarlong(buffer, index, limit, zigZag(value));
    }

    /** @return bytes written. */
    public static int writeUnsignedVarint(
        final MutableDirectBuffer buffer, final int index, final int limit, final int value)
    {
        return writeUnsignedVarlong(buffer, index, limit, Integer.toUnsignedLong(value));
    }

    /** @return bytes written. */
    public static int writeUnsignedVarlong(
        final MutableDirectBuffer buffer, final int index, final int limit, final long value)
    {
        final int length = sizeOfUnsignedVarlong(value);
        if (index < 0 || length > limit - index)
        {
            throw new IndexOutOfBoundsException(
                "a varint of " + length + " bytes at index " + index + " passes the limit " + limit);
        }

        long rest = value;
        for (int i = 0; i < length - 1; i++)
        {
            buffer.putByte(index + i, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        buffer.putByte(index + length - 1, (byte) rest);
        return length;
    }

    public static int sizeOfVarint(final int value)
    {
        return sizeOfUnsignedVarint(zigZag(value));
    }

    public static int sizeOfVarlong(final long value)
    {
        return sizeOfUnsignedVarlong(zigZag(value));
    }

    public static int sizeOfUnsignedVarint(final int value)
    {
        return sizeOfUnsignedVarlong(Integer.toUnsignedLong(value));
    }

    public static int sizeOfUnsignedVarlong(final long value)
    {
        return (Long.SIZE - Long.numberOfLeadingZeros(value | 1) + 6) / 7;
    }

    private static int zigZag(final int value)
    {
        return (value << 1) ^ (value >> 31);
    }

    private static long zigZag(final long value)
    {
        return (value << 1) ^ (value >> 63);
    }

    private static long read(final DirectBuffer buffer, final int index, final int limit, final int maxLength)
    {
        final int room = index < 0 ? 0 : Math.min(maxLength, limit - index);
        long value = 0;
        for (int i = 0; i < room; i++)
        {
            final byte next = buffer.getByte(index + i);
            value |= (next & 0x7FL) << (7 * i);
            if (next >= 0)
            {
                return value;
            }
        }
        throw new WireFormatException("varint at index " + index + ": found no end, expected one within " +
            maxLength + " bytes and before the limit " + limit);
    }
}
