// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * A cursor over bytes that nobody has checked yet. Every read is held against the limit, negative lengths and false
 * counts included, whatever Agrona's own checks do; what does not fit ends in a {@link WireFormatException} that names
 * the field. Made once, wrapped again for every response, and allocates nothing but that exception.
 */
public final class WireReader
{
    /** The length or count of a null string, byte field or array. */
    public static final int NULL_LENGTH = -1;

    private static final int UUID_LENGTH = 16;

    /** A tag takes one byte for its number and one for its size, at least. */
    private static final int MIN_TAG_LENGTH = 2;

    private int index;
    private int limit;
    private int valueIndex;
    private boolean isFlexible;
    private DirectBuffer buffer;

    /**
     * @param isFlexible whether strings, arrays and byte fields are compact and structs end with tags.
     */
    public WireReader wrap(final DirectBuffer buffer, final int index, final int limit, final boolean isFlexible)
    {
        if (index < 0 || limit < index || limit > buffer.capacity())
        {
            throw new WireFormatException("bytes at index " + index + ": found limit " + limit +
                ", expected one from there to the capacity " + buffer.capacity());
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

    /** Moves the cursor to a place that was read before. */
    public void index(final int newIndex)
    {
        if (newIndex < 0 || newIndex > limit)
        {
            throw new IndexOutOfBoundsException("index " + newIndex + " is outside of 0 to " + limit);
        }
        index = newIndex;
    }

    public int limit()
    {
        return limit;
    }

    public int remaining()
    {
        return limit - index;
    }

    public byte int8(final String field)
    {
        return buffer.getByte(claim(field, Byte.BYTES));
    }

    public boolean bool(final String field)
    {
        return int8(field) != 0;
    }

    public short int16(final String field)
    {
        return buffer.getShort(claim(field, Short.BYTES), BIG_ENDIAN);
    }

    public int int32(final String field)
    {
        return buffer.getInt(claim(field, Integer.BYTES), BIG_ENDIAN);
    }

    public long int64(final String field)
    {
        return buffer.getLong(claim(field, Long.BYTES), BIG_ENDIAN);
    }

    /** Steps over a uuid; {@link #valueIndex()} is where its 16 bytes stand. */
    public void uuid(final String field)
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

    public int uvarint(final String field)
    {
        final int start = index;
        final int length = Varint.encodedLength(buffer, start, limit, Varint.MAX_VARINT_LENGTH);
        if (length < 0)
        {
            throw failure(field, start, "a varint without end", "one within 5 bytes and " + remaining() + " left");
        }
        index = start + length;
        return Varint.readUnsignedVarint(buffer, start, limit);
    }

    /** The length of a string that must not be null; its bytes stand at {@link #valueIndex()}. */
    public int string(final String field)
    {
        final int start = index;
        return notNull(field, start, nullableString(field));
    }

    /** The length of a string, or {@link #NULL_LENGTH}; its bytes stand at {@link #valueIndex()}. */
    public int nullableString(final String field)
    {
        return value(field, isFlexible ? compactLength(field) : checkedLength(field, index, int16(field)));
    }

    /** The length of a byte field, or {@link #NULL_LENGTH}; its bytes stand at {@link #valueIndex()}. */
    public int nullableBytes(final String field)
    {
        return value(field, nullableLength(field));
    }

    /** Where the last string, byte field or uuid begins. */
    public int valueIndex()
    {
        return valueIndex;
    }

    /**
     * The length in front of a byte field, or {@link #NULL_LENGTH}. Never below that, but it may be more than what is
     * left: for callers that must know the length before {@link #skip} refuses it.
     */
    public int nullableLength(final String field)
    {
        return isFlexible ? compactLength(field) : checkedLength(field, index, int32(field));
    }

    /**
     * The count of an array that must not be null.
     *
     * @param minElementLength bytes that every element takes at least: a count that cannot fit what is left is refused.
     */
    public int arrayCount(final String field, final int minElementLength)
    {
        final int start = index;
        return notNull(field, start, nullableArrayCount(field, minElementLength));
    }

    /** As {@link #arrayCount}, but {@link #NULL_LENGTH} for null. */
    public int nullableArrayCount(final String field, final int minElementLength)
    {
        final int start = index;
        final int count = nullableLength(field);
        if ((long) count * minElementLength > remaining())
        {
            throw failure(field, start, "a count of " + count,
                "elements of at least " + minElementLength + " bytes in the " + remaining() + " left");
        }
        return count;
    }

    public void skip(final String field, final int length)
    {
        if (length < 0)
        {
            throw failure(field, index, "length " + length, "0 or more");
        }
        claim(field, length);
    }

    /** The number of tagged fields that end a struct; 0 in versions that have none. */
    public int tagCount()
    {
        if (!isFlexible)
        {
            return 0;
        }
        final int start = index;
        final int count = uvarint("tag count");
        if (count < 0 || count > remaining() / MIN_TAG_LENGTH)
        {
            throw failure("tag count", start, Integer.toUnsignedString(count) + " tags",
                "tags of at least 2 bytes in the " + remaining() + " left");
        }
        return count;
    }

    /** To be called after a tag's number: the index after the tag's bytes. */
    public int tagEnd()
    {
        final int start = index;
        final int length = uvarint("tag size");
        if (length < 0 || length > remaining())
        {
            throw failure("tag size", start, Integer.toUnsignedString(length) + " bytes",
                "at most the " + remaining() + " left");
        }
        return index + length;
    }

    /** To be called after reading a tag's content: it must have filled the tag exactly. */
    public void checkTagEnd(final String field, final int tagEnd)
    {
        if (index != tagEnd)
        {
            throw failure(field, index, "the end of the tag's content", "it at index " + tagEnd);
        }
    }

    /** Steps over the tagged fields that end a struct; does nothing in versions that have none. */
    public void skipTags()
    {
        final int count = tagCount();
        for (int i = 0; i < count; i++)
        {
            uvarint("tag");
            index = tagEnd();
        }
    }

    private int claim(final String field, final int length)
    {
        final int start = index;
        if (length > limit - start)
        {
            throw failure(field, start, (limit - start) + " bytes left", length + " bytes");
        }
        index = start + length;
        return start;
    }

    private int value(final String field, final int length)
    {
        valueIndex = length > 0 ? claim(field, length) : index;
        return length;
    }

    private int compactLength(final String field)
    {
        final int start = index;
        final int lengthPlusOne = uvarint(field);
        if (lengthPlusOne < 0)
        {
            throw failure(field, start, "length " + (Integer.toUnsignedLong(lengthPlusOne) - 1), "at most 2^31 - 2");
        }
        return lengthPlusOne - 1;
    }

    private int checkedLength(final String field, final int start, final int length)
    {
        if (length < NULL_LENGTH)
        {
            throw failure(field, start, "length " + length, "-1 or more");
        }
        return length;
    }

    private int notNull(final String field, final int start, final int length)
    {
        if (length == NULL_LENGTH)
        {
            throw failure(field, start, "null", "a value");
        }
        return length;
    }

    private static WireFormatException failure(
        final String field, final int index, final String found, final String expected)
    {
        return new WireFormatException(
            field + " at index " + index + ": found " + found + ", expected " + expected);
    }
}
