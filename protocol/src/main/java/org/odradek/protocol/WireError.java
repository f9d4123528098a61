// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import java.util.Locale;

/** The errors of reading and writing frames, with their texts. */
public enum WireError
{
    TOO_SHORT("found %d bytes left, expected %d bytes"),
    LIMIT("found limit %d, expected one from there to the capacity %d"),
    ENDLESS_VARINT("found a varint without end, expected one within 5 bytes and %d left"),
    ENDLESS("found no end, expected one within %d bytes and before the limit %d"),
    COUNT("found a count of %d, expected elements of at least %d bytes in the %d left"),
    COUNT_ABOVE_LIMIT("found a count of %d, expected at most %d"),
    TAG_COUNT("found %s tags, expected tags of at least 2 bytes in the %d left"),
    TAG_SIZE("found %s bytes, expected at most the %d left"),
    TAG_END("found the end of the tag's content, expected it at index %d"),
    NEGATIVE_LENGTH("found length %d, expected 0 or more"),
    LENGTH_BELOW_NULL("found length %d, expected -1 or more"),
    LENGTH_ABOVE_LIMIT("found length %d, expected at most %d"),
    LENGTH_ABOVE_MAX("found length %d, expected at most 2^31 - 2"),
    NEGATIVE("found %d, expected 0 or more"),
    NULL("found null, expected a value"),
    EMPTY("found none, expected one"),

    INDEX("Index %d is outside of 0 to %d."),
    BUFFER("The frame needs %d bytes at index %d, but the buffer has %d bytes."),
    VARINT_LIMIT("A varint of %d bytes at index %d exceeds the limit %d."),

    STRING_LENGTH("A string takes %d bytes, but at most 32767 are possible."),
    VERSION("%s version %d is outside of %d to %d."),
    NO_TOPIC("The request needs a topic."),
    NO_GROUP("The request needs a group id."),
    NO_MEMBER("The request needs a member id."),
    ENTRY_COUNT("A request cannot have %d entries."),
    FETCH_COUNTS("A Fetch request of version %d cannot have %d entries and %d forgotten partitions.");

    private final String format;

    WireError(final String format)
    {
        this.format = format;
    }

    /** A response is malformed at a field. */
    public WireFormatException at(final Field field, final int index, final Object... numbers)
    {
        return new WireFormatException(
            field.label() + " at index " + index + ": " + String.format(Locale.ROOT, format, numbers));
    }

    /** A caller passed a wrong argument. */
    public IllegalArgumentException argument(final Object... values)
    {
        return new IllegalArgumentException(String.format(Locale.ROOT, format, values));
    }

    IndexOutOfBoundsException outOfBounds(final Object... numbers)
    {
        return new IndexOutOfBoundsException(String.format(Locale.ROOT, format, numbers));
    }
}
