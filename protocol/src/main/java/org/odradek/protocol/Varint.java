// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Reads and writes variable-length ints, and writes longs: seven bits per byte, low bits first, with the high bit set
 * if another byte follows. Signed numbers are zig-zag encoded. As in Kafka, bits beyond the width of the type are
 * dropped, and an encoding may be longer than necessary: use {@link #encodedLength} to find the index after a value,
 * not its size.
 */
public final class Varint
{
    public static final int MAX_VARINT_LENGTH = 5;

    /** Of a long that is signed. */
    public static final int MAX_VARLONG_LENGTH = 10;

    /** Result of {@link #encodedLength} if the value does not end. */
    public static final int NO_END = -1;

    private Varint()
    {
    }

    /**
     * The number of bytes of the value at an index, or {@link #NO_END} if it does not end before the limit and within
     * {@link #MAX_VARINT_LENGTH} bytes.
     */
    public static int encodedLength(final DirectBuffer buffer, final int index, final int limit)
    {
        final int room = Math.min(MAX_VARINT_LENGTH, limit - index);
        for (int i = 0; i < room; i++)
        {
            if (buffer.getByte(index + i) >= 0)
            {
                return i + 1;
            }
        }
        return NO_END;
    }

    public static int readUnsignedVarint(final DirectBuffer buffer, final int index, final int limit)
    {
        final int room = index < 0 ? 0 : Math.min(MAX_VARINT_LENGTH, limit - index);
        int value = 0;
        for (int i = 0; i < room; i++)
        {
            final byte next = buffer.getByte(index + i);
            value |= (next & 0x7F) << (7 * i);
            if (next >= 0)
            {
                return value;
            }
        }
        throw WireError.ENDLESS.at(Field.VARINT, index, MAX_VARINT_LENGTH, limit);
    }

    /** The number of bytes that {@link #writeVarint} writes. */
    public static int varintLength(final int value)
    {
        return unsignedLength((value << 1) ^ (value >> 31));
    }

    /** The number of bytes that {@link #writeVarlong} writes. */
    public static int varlongLength(final long value)
    {
        return (Long.SIZE - Long.numberOfLeadingZeros((value << 1) ^ (value >> 63) | 1) + 6) / 7;
    }

    /** @return bytes written. */
    public static int writeVarint(final MutableDirectBuffer buffer, final int index, final int limit, final int value)
    {
        return writeUnsignedVarint(buffer, index, limit, (value << 1) ^ (value >> 31));
    }

    /** @return bytes written. */
    public static int writeVarlong(final MutableDirectBuffer buffer, final int index, final int limit, final long value)
    {
        final int length = checkedLength(varlongLength(value), index, limit);
        long rest = (value << 1) ^ (value >> 63);
        for (int i = 0; i < length - 1; i++)
        {
            buffer.putByte(index + i, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        buffer.putByte(index + length - 1, (byte) rest);
        return length;
    }

    /** @return bytes written. */
    public static int writeUnsignedVarint(
        final MutableDirectBuffer buffer, final int index, final int limit, final int value)
    {
        final int length = checkedLength(unsignedLength(value), index, limit);
        int rest = value;
        for (int i = 0; i < length - 1; i++)
        {
            buffer.putByte(index + i, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        buffer.putByte(index + length - 1, (byte) rest);
        return length;
    }

    private static int unsignedLength(final int value)
    {
        return (Integer.SIZE - Integer.numberOfLeadingZeros(value | 1) + 6) / 7;
    }

    private static int checkedLength(final int length, final int index, final int limit)
    {
        if (index < 0 || length > limit - index)
        {
            throw WireError.VARINT_LIMIT.outOfBounds(length, index, limit);
        }
        return length;
    }
}
