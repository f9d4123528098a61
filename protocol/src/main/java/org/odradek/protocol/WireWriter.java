// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.charset.StandardCharsets;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * A cursor that writes the fields of a request frame. It never writes beyond the end of the buffer, whether or not
 * Agrona's bounds checks are on.
 */
public final class WireWriter
{
    private static final int NULL_LENGTH = -1;

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

    /** Writes a string, which may be null; it is compact in flexible versions. */
    public WireWriter string(final byte[] value)
    {
        if (!isFlexible)
        {
            return classicString(value);
        }
        uvarint(null == value ? 0 : value.length + 1);
        return bytes(value);
    }

    /** Writes a string with an int16 length in every version, as request headers have it. */
    public WireWriter classicString(final byte[] value)
    {
        int16(null == value ? NULL_LENGTH : value.length);
        return bytes(value);
    }

    /** Writes a byte field that is not null; its length is compact in flexible versions. */
    public WireWriter byteField(final byte[] value)
    {
        arrayCount(value.length);
        return bytes(value);
    }

    /** Copies a byte field from a buffer; its length is compact in flexible versions. */
    public WireWriter byteField(final DirectBuffer source, final int sourceIndex, final int length)
    {
        arrayCount(length);
        buffer.putBytes(claim(length), source, sourceIndex, length);
        return this;
    }

    public WireWriter arrayCount(final int count)
    {
        return isFlexible ? uvarint(count + 1) : int32(count);
    }

    /** Writes the count of an array that a request must not leave empty. */
    public WireWriter entryCount(final int count)
    {
        if (count < 1)
        {
            throw WireError.ENTRY_COUNT.argument(count);
        }
        return arrayCount(count);
    }

    /** Ends a struct that has no tagged fields; writes nothing in versions without tags. */
    public WireWriter noTags()
    {
        return isFlexible ? int8(0) : this;
    }

    /** The bytes of a string in UTF-8, or null for null. */
    public static byte[] encode(final String value)
    {
        if (null == value)
        {
            return null;
        }
        final byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > Short.MAX_VALUE)
        {
            throw WireError.STRING_LENGTH.argument(bytes.length);
        }
        return bytes;
    }

    /** The largest number of bytes that {@link #string} writes for this value in any version. */
    public static int maxStringLength(final byte[] value)
    {
        return 3 + (null == value ? 0 : value.length);
    }

    /**
     * The bytes of the topic that a request must have.
     *
     * @throws IllegalArgumentException for null.
     */
    public static byte[] encodeTopic(final String topic)
    {
        if (null == topic)
        {
            throw WireError.NO_TOPIC.argument();
        }
        return encode(topic);
    }

    /**
     * The bytes of the group id that a request must have.
     *
     * @throws IllegalArgumentException for null.
     */
    public static byte[] encodeGroupId(final String groupId)
    {
        if (null == groupId)
        {
            throw WireError.NO_GROUP.argument();
        }
        return encode(groupId);
    }

    /**
     * The bytes of the member id that a request must have.
     *
     * @throws IllegalArgumentException for null and for the empty string.
     */
    public static byte[] encodeMemberId(final String memberId)
    {
        if (null == memberId || memberId.isEmpty())
        {
            throw WireError.NO_MEMBER.argument();
        }
        return encode(memberId);
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
            throw WireError.BUFFER.outOfBounds(length, start, buffer.capacity());
        }
        index = start + length;
        return start;
    }
}
