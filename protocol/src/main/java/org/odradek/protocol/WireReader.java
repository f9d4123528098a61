// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * A cursor over unchecked bytes of a response. Every read, length and count is checked against the limit, whether or
 * not Agrona's own bounds checks are on; a {@link WireFormatException} names the field that does not fit. An instance
 * is reused for every response and allocates nothing but this exception.
 */
public final class WireReader
{
    /** The length or count of a null string, byte field or array. */
    public static final int NULL_LENGTH = -1;

    private static final int UUID_LENGTH = 16;

    /** A tag takes at least one byte for its number and one for its size. */
    private static final int MIN_TAG_LENGTH = 2;

    private int index;
    private int limit;
    private int valueIndex;
    private boolean isFlexible;
    private DirectBuffer buffer;

    /** @param isFlexible whether strings, arrays and byte fields are compact and structs end with tags. */
    public WireReader wrap(final DirectBuffer buffer, final int index, final int limit, final boolean isFlexible)
    {
        if (index < 0 || limit < index || limit > buffer.capacity())
        {
            throw WireError.LIMIT.at(Field.BYTES, index, limit, buffer.capacity());
        }
        this.buffer = buffer;
        this.index = index;
        this.limit = limit;
        this.valueIndex = index;
        this.isFlexible = isFlexible;
        return this;
    }

    public DirectBuffer buffer()
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

    /** Moves the cursor to an index from 0 to the limit. */
    public void index(final int newIndex)
    {
        if (newIndex < 0 || newIndex > limit)
        {
            throw WireError.INDEX.outOfBounds(newIndex, limit);
        }
        index = newIndex;
    }

    public int remaining()
    {
        return limit - index;
    }

    public byte int8(final Field field)
    {
        return buffer.getByte(claim(field, Byte.BYTES));
    }

    public boolean bool(final Field field)
    {
        return int8(field) != 0;
    }

    public short int16(final Field field)
    {
        return buffer.getShort(claim(field, Short.BYTES), BIG_ENDIAN);
    }

    public int int32(final Field field)
    {
        return buffer.getInt(claim(field, Integer.BYTES), BIG_ENDIAN);
    }

    public long int64(final Field field)
    {
        return buffer.getLong(claim(field, Long.BYTES), BIG_ENDIAN);
    }

    /** Skips the 16 bytes of a uuid; {@link #valueIndex()} is the index of the first one. */
    public void uuid(final Field field)
    {
        valueIndex = claim(field, UUID_LENGTH);
    }

    public long mostSignificantBits()
    {
        return buffer.getLong(valueIndex, BIG_ENDIAN);
    }

    public long leastSignificantBits()
    {
        return buffer.getLong(valueIndex + Long.BYTES, BIG_ENDIAN);
    }

    public int uvarint(final Field field)
    {
        final int start = index;
        final int length = Varint.encodedLength(buffer, start, limit);
        if (length < 0)
        {
            throw WireError.ENDLESS_VARINT.at(field, start, remaining());
        }
        index = start + length;
        return Varint.readUnsignedVarint(buffer, start, limit);
    }

    /** The length of a string that must not be null; its bytes begin at {@link #valueIndex()}. */
    public int string(final Field field)
    {
        return string(field, WireLimits.MAX_STRING_LENGTH);
    }

    /** As {@link #string(Field)}, of a string that has at most as many bytes as one of {@link WireLimits}. */
    public int string(final Field field, final int maxLength)
    {
        final int start = index;
        return notNull(field, start, nullableString(field, maxLength));
    }

    /** The length of a string, or {@link #NULL_LENGTH}; its bytes begin at {@link #valueIndex()}. */
    public int nullableString(final Field field)
    {
        return nullableString(field, WireLimits.MAX_STRING_LENGTH);
    }

    /** As {@link #nullableString(Field)}, of a string that has at most as many bytes as one of {@link WireLimits}. */
    public int nullableString(final Field field, final int maxLength)
    {
        final int start = index;
        final int length = isFlexible ? compactLength(field) : checkedLength(field, start, int16(field));
        if (length > maxLength)
        {
            throw WireError.LENGTH_ABOVE_LIMIT.at(field, start, length, maxLength);
        }
        return value(field, length);
    }

    /** The length of a byte field, or {@link #NULL_LENGTH}; its bytes begin at {@link #valueIndex()}. */
    public int nullableBytes(final Field field)
    {
        return value(field, nullableLength(field));
    }

    /** Index of the first byte of the last string, byte field or uuid. */
    public int valueIndex()
    {
        return valueIndex;
    }

    /**
     * The length of a byte field, or {@link #NULL_LENGTH}. It may be more than {@link #remaining()}: this is for
     * callers that need to know the length before {@link #skip} refuses it.
     */
    public int nullableLength(final Field field)
    {
        return isFlexible ? compactLength(field) : checkedLength(field, index, int32(field));
    }

    /**
     * The count of an array that must not be null.
     *
     * @param minElementLength least number of bytes of an element; a count that needs more than is left is refused.
     */
    public int arrayCount(final Field field, final int minElementLength)
    {
        final int start = index;
        return notNull(field, start, nullableArrayCount(field, minElementLength));
    }

    /**
     * The count of an array that must not be null.
     *
     * @param maxCount one of {@link WireLimits}; a greater count is refused.
     */
    public int arrayCount(final Field field, final int minElementLength, final int maxCount)
    {
        final int start = index;
        final int count = arrayCount(field, minElementLength);
        if (count > maxCount)
        {
            throw WireError.COUNT_ABOVE_LIMIT.at(field, start, count, maxCount);
        }
        return count;
    }

    /** The count of an array as by {@link #arrayCount}, or {@link #NULL_LENGTH} for null. */
    public int nullableArrayCount(final Field field, final int minElementLength)
    {
        final int start = index;
        final int count = nullableLength(field);
        if ((long) count * minElementLength > remaining())
        {
            throw WireError.COUNT.at(field, start, count, minElementLength, remaining());
        }
        return count;
    }

    public void skip(final Field field, final int length)
    {
        if (length < 0)
        {
            throw WireError.NEGATIVE_LENGTH.at(field, index, length);
        }
        claim(field, length);
    }

    /** The number of tagged fields at the end of a struct; 0 in versions without tags. */
    public int tagCount()
    {
        if (!isFlexible)
        {
            return 0;
        }
        final int start = index;
        final int count = uvarint(Field.TAG_COUNT);
        if (count < 0 || count > remaining() / MIN_TAG_LENGTH)
        {
            throw WireError.TAG_COUNT.at(Field.TAG_COUNT, start, Integer.toUnsignedString(count), remaining());
        }
        return count;
    }

    /** Reads the size of a tag, after its number, and returns the index after the tag. */
    public int tagEnd()
    {
        final int start = index;
        final int length = uvarint(Field.TAG_SIZE);
        if (length < 0 || length > remaining())
        {
            throw WireError.TAG_SIZE.at(Field.TAG_SIZE, start, Integer.toUnsignedString(length), remaining());
        }
        return index + length;
    }

    /** Checks, after the content of a tag has been read, that it ended with the tag. */
    public void checkTagEnd(final Field field, final int tagEnd)
    {
        if (index != tagEnd)
        {
            throw WireError.TAG_END.at(field, index, tagEnd);
        }
    }

    /** Skips the tagged fields at the end of a struct; does nothing in versions without tags. */
    public void skipTags()
    {
        final int count = tagCount();
        for (int i = 0; i < count; i++)
        {
            uvarint(Field.TAG);
            index = tagEnd();
        }
    }

    private int claim(final Field field, final int length)
    {
        final int start = index;
        if (length > limit - start)
        {
            throw WireError.TOO_SHORT.at(field, start, limit - start, length);
        }
        index = start + length;
        return start;
    }

    private int value(final Field field, final int length)
    {
        valueIndex = length > 0 ? claim(field, length) : index;
        return length;
    }

    private int compactLength(final Field field)
    {
        final int start = index;
        final int lengthPlusOne = uvarint(field);
        if (lengthPlusOne < 0)
        {
            throw WireError.LENGTH_ABOVE_MAX.at(field, start, Integer.toUnsignedLong(lengthPlusOne) - 1);
        }
        return lengthPlusOne - 1;
    }

    private int checkedLength(final Field field, final int start, final int length)
    {
        if (length < NULL_LENGTH)
        {
            throw WireError.LENGTH_BELOW_NULL.at(field, start, length);
        }
        return length;
    }

    private int notNull(final Field field, final int start, final int length)
    {
        if (length == NULL_LENGTH)
        {
            throw WireError.NULL.at(field, start);
        }
        return length;
    }
}
