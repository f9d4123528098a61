// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.MutableDirectBuffer;

import java.nio.charset.StandardCharsets;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * The writing twin of {@link WireReader}, for laying out request frames. Refuses to write past the buffer's end in
 * every build.
 */
public final class WireWriter
{
    private int index;
    private boolean isFlexible;
    private MutableDirectBuffer buffer;

    public WireWriter wrap(final MutableDirectBuffer buffer, final int index, final boolean isFlexible)
    {
        this.buffer = buffer;
        this.index = index;
        this.isFlexible = isFlexible;
        return this;
    }

    public MutableDirectBuffer buffer()
    {
        return buffer;
    }

    public boolean isFlexible()
    {
        return isFlexible;
    }

    public int index()
    {
        return index;
    }

    public WireWriter int8(final int value)
    {
        buffer.putByte(claim(Byte.BYTES), (byte) value);
        return this;
    }

    public WireWriter bool(final boolean value)
    {
        return int8(value ? 1 : 0);
    }

    public WireWriter int16(final int value)
    {
        buffer.putShort(claim(Short.BYTES), (short) value, BIG_ENDIAN);
        return this;
    }

    public WireWriter int32(final int value)
    {
        buffer.putInt(claim(Integer.BYTES), value, BIG_ENDIAN);
        return this;
    }

    public WireWriter int64(final long value)
    {
        buffer.putLong(claim(Long.BYTES), value, BIG_ENDIAN);
        return this;
    }

    public WireWriter uuid(final long mostSignificantBits, final long leastSignificantBits)
    {
        return int64(mostSignificantBits).int64(leastSignificantBits);
    }

    public WireWriter uvarint(final int value)
    {
        index += Varint.writeUnsignedVarint(buffer, index, buffer.capacity(), value);
        return this;
    }

    /** A string, compact in flexible versions; null becomes a null string. */
    public WireWriter string(final byte[] value)
    {
        if (!isFlexible)
        {
            return classicString(value);
        }
        uvarint(null == value ? 0 : value.length + 1);
        return bytes(value);
    }

    /** A string with an int16 length whatever the version: request headers keep it. */
    public WireWriter classicString(final byte[] value)
    {
        int16(null == value ? WireReader.NULL_LENGTH : value.length);
        return bytes(value);
    }

    public WireWriter arrayCount(final int count)
    {
        return isFlexible ? uvarint(count + 1) : int32(count);
    }

    /** Ends a struct without tagged fields; writes nothing in versions that have none. */
    public WireWriter noTags()
    {
        return isFlexible ? int8(0) : this;
    }

    /** The bytes of a string for {@link #string}; null stays null. */
    public static byte[] encode(final String value)
    {
        if (null == value)
        {
            return null;
        }
        final byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > Short.MAX_VALUE)
        {
            throw new IllegalArgumentException("a string takes " + bytes.length + " bytes, at most 32767 are possible");
        }
        return bytes;
    }

    /** The most that {@link #string} takes for these bytes in any version. */
    public static int maxStringLength(final byte[] value)
    {
        return 3 + (null == value ? 0 : value.length);
    }

    private WireWriter bytes(final byte[] value)
    {
        if (null != value)
        {
            buffer.putBytes(claim(value.length), value);
        }
        return this;
    }

    private int claim(final int length)
    {
        final int start = index;
        if (start < 0 || length > buffer.capacity() - start)
        {
            throw new IndexOutOfBoundsException("the frame needs " + length + " bytes at index " + start +
                ", the buffer has " + buffer.capacity());
        }
        index = start + length;
        return start;
    }
}
