// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WireReaderTest
{
    private static final int INDEX = 5;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[128]);
    private final WireWriter writer = new WireWriter();
    private final WireReader reader = new WireReader();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReadWhatTheWriterWrote(final boolean isFlexible)
    {
        writer.wrap(buffer, INDEX, isFlexible)
            .int8(-7).bool(true).int16(-70).int32(-70_000).int64(-7_000_000_000L).uuid(1, -2)
            .uvarint(300).string(WireWriter.encode("Odradek")).string(null).string(WireWriter.encode(""))
            .arrayCount(3).arrayCount(WireReader.NULL_LENGTH).noTags();

        reader.wrap(buffer, INDEX, writer.index(), isFlexible);
        assertEquals(-7, reader.int8(Field.NAME));
        assertTrue(reader.bool(Field.NAME));
        assertEquals(-70, reader.int16(Field.NAME));
        assertEquals(-70_000, reader.int32(Field.NAME));
        assertEquals(-7_000_000_000L, reader.int64(Field.NAME));
        reader.uuid(Field.NAME);
        assertEquals(1, reader.mostSignificantBits());
        assertEquals(-2, reader.leastSignificantBits());
        assertEquals(300, reader.uvarint(Field.NAME));
        final int length = reader.string(Field.NAME);
        assertEquals("Odradek", buffer.getStringWithoutLengthUtf8(reader.valueIndex(), length));
        assertEquals(WireReader.NULL_LENGTH, reader.nullableString(Field.NAME));
        assertEquals(0, reader.string(Field.NAME));
        assertEquals(3, reader.arrayCount(Field.NAME, 0));
        assertEquals(WireReader.NULL_LENGTH, reader.nullableArrayCount(Field.NAME, 1));
        reader.skipTags();
        assertEquals(0, reader.remaining());
    }

    @Test
    void shouldNameFieldFoundExpectedAndIndex()
    {
        reader.wrap(buffer, INDEX, INDEX + 3, false);

        final WireFormatException failure =
            assertThrows(WireFormatException.class, () -> reader.int32(Field.THROTTLE_TIME_MS));

        assertEquals("throttleTimeMs at index 5: found 3 bytes left, expected 4 bytes", failure.getMessage());
    }

    @Test
    void shouldRefuseEveryReadThatPassesTheLimit()
    {
        refuse(0, () -> reader.int8(Field.NAME));
        refuse(1, () -> reader.int16(Field.NAME));
        refuse(3, () -> reader.int32(Field.NAME));
        refuse(7, () -> reader.int64(Field.NAME));
        refuse(15, () -> reader.uuid(Field.NAME));
        refuse(0, () -> reader.uvarint(Field.NAME));
        refuse(8, () -> reader.skip(Field.NAME, 9));
        refuse(8, () -> reader.skip(Field.NAME, -1));
        refuse(8, () -> reader.skip(Field.NAME, Integer.MAX_VALUE));
    }

    // Behaviour A13, tried 2026-11-29: A length or a count that is negative or exceeds its frame is an error, and no
    // memory of that size is allocated.
    @Test
    void shouldRefuseWrongClassicLengths()
    {
        for (final int length : new int[]{Integer.MIN_VALUE, -2, 5, Integer.MAX_VALUE})
        {
            buffer.setMemory(0, buffer.capacity(), (byte) 0);
            writer.wrap(buffer, INDEX, false).int32(length);

            refuse(8, () -> reader.nullableBytes(Field.NAME));
            refuse(8, () -> reader.arrayCount(Field.NAME, 1));
        }
        for (final int length : new int[]{Short.MIN_VALUE, -2, 7, Short.MAX_VALUE})
        {
            writer.wrap(buffer, INDEX, false).int16(length);

            refuse(8, () -> reader.nullableString(Field.NAME));
        }
    }

    // Behaviour A13.
    @Test
    void shouldRefuseWrongCompactLengths()
    {
        for (final int lengthPlusOne : new int[]{8, 127, 1 << 21, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
        {
            writer.wrap(buffer, INDEX, true).uvarint(lengthPlusOne);
            final int room = writer.index() - INDEX + 6;

            refuseFlexible(room, () -> reader.nullableBytes(Field.NAME));
            refuseFlexible(room, () -> reader.nullableString(Field.NAME));
            refuseFlexible(room, () -> reader.arrayCount(Field.NAME, 1));
            refuseFlexible(room, reader::tagCount);
            refuseFlexible(room, reader::tagEnd);
            refuseFlexible(room, reader::skipTags);
        }
    }

    // Behaviour A13.
    @Test
    void shouldRefuseCountsOfMoreElementsThanFit()
    {
        writer.wrap(buffer, INDEX, false).int32(10);

        reader.wrap(buffer, INDEX, INDEX + 4 + 30, false);
        assertEquals(10, reader.arrayCount(Field.NAME, 3));

        refuse(4 + 29, () -> reader.arrayCount(Field.NAME, 3));
        refuse(4 + 29, () -> reader.arrayCount(Field.NAME, Integer.MAX_VALUE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseNullWhereItIsNotAllowed(final boolean isFlexible)
    {
        writer.wrap(buffer, INDEX, isFlexible).string(null).arrayCount(WireReader.NULL_LENGTH);

        reader.wrap(buffer, INDEX, writer.index(), isFlexible);
        assertThrows(WireFormatException.class, () -> reader.string(Field.NAME));
        assertThrows(WireFormatException.class, () -> reader.arrayCount(Field.NAME, 1));
    }

    @Test
    void shouldRefuseToWrapBytesBeyondTheBuffer()
    {
        assertThrows(WireFormatException.class, () -> reader.wrap(buffer, -1, 10, false));
        assertThrows(WireFormatException.class, () -> reader.wrap(buffer, 10, 9, false));
        assertThrows(WireFormatException.class, () -> reader.wrap(buffer, 0, buffer.capacity() + 1, false));
        assertEquals(0, reader.wrap(buffer, 128, 128, true).remaining());
        assertTrue(reader.isFlexible());
        assertFalse(reader.wrap(buffer, 0, 0, false).isFlexible());
    }

    @Test
    void shouldRefuseToMoveOutOfTheWrappedBytes()
    {
        reader.wrap(buffer, INDEX, 20, false);

        reader.index(20);
        assertThrows(IndexOutOfBoundsException.class, () -> reader.index(21));
        assertThrows(IndexOutOfBoundsException.class, () -> reader.index(-1));
    }

    @Test
    void shouldRefuseToWritePastTheBuffersEnd()
    {
        writer.wrap(buffer, buffer.capacity() - 3, true);

        assertThrows(IndexOutOfBoundsException.class, () -> writer.int32(1));
        assertThrows(IndexOutOfBoundsException.class, () -> writer.uvarint(Integer.MAX_VALUE));
        assertThrows(IndexOutOfBoundsException.class, () -> writer.string(new byte[3]));
        assertThrows(IllegalArgumentException.class, () -> WireWriter.encode("x".repeat(32_768)));
    }

    private void refuse(final int room, final Executable read)
    {
        reader.wrap(buffer, INDEX, INDEX + room, false);
        assertThrows(WireFormatException.class, read);
    }

    private void refuseFlexible(final int room, final Executable read)
    {
        reader.wrap(buffer, INDEX, INDEX + room, true);
        assertThrows(WireFormatException.class, read);
    }
}
