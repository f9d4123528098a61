// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Reads and writes variable-length integers: seven bits per byte, low bits first, with the high bit set if another byte
 * follows. Signed integers are zig-zag encoded. As in Kafka, bits beyond the width of the type are dropped, and an
 * encoding may be longer than necessary: use {@link #encodedLength} to find the index after a value, not its size.
 */
public final class Varint
{
    public static final int MAX_VARINT_LENGTH = 5;
    public static final int MAX_VARLONG_LENGTH = 10;

    /** Result of {@link #encodedLength} if the value does not end. */
    public static final int NO_END = -1;

    private Varint()
    {
    }

    /**
     * The number of bytes of the value at an index, or {@link #NO_END} if it does not end before the limit and within
     * the maximum length.
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
            throw WireError.VARINT_LIMIT.outOfBounds(length, index, limit);
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
        throw WireError.ENDLESS.at(Field.VARINT, index, maxLength, limit);
    }
}
