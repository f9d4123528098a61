// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.odradek.protocol.Varint.MAX_VARINT_LENGTH;
import static org.odradek.protocol.Varint.MAX_VARLONG_LENGTH;

class VarintTest
{
    private static final int INDEX = 3;

    private final ByteBuffer theirs = ByteBuffer.allocate(INDEX + MAX_VARINT_LENGTH + 1);
    private final UnsafeBuffer ours = new UnsafeBuffer(new byte[INDEX + MAX_VARINT_LENGTH + 1]);
    private final ByteBuffer theirLong = ByteBuffer.allocate(MAX_VARLONG_LENGTH);
    private final UnsafeBuffer ourLong = new UnsafeBuffer(new byte[MAX_VARLONG_LENGTH]);

    /** Returns values around every power of two, positive and negative, and some random ones. */
    static LongStream values()
    {
        final LongStream edges = LongStream.range(0, Long.SIZE)
            .map((shift) -> 1L << shift)
            .flatMap((power) -> LongStream.of(power - 1, power, power + 1, -power - 1, -power, 1 - power));
        return LongStream.concat(edges, new Random(42).longs(200)).distinct();
    }

    // Behaviour A14.
    @ParameterizedTest
    @MethodSource("values")
    void shouldWriteAndReadAsKafkaDoes(final long value)
    {
        final int limit = ours.capacity();

        theirs.clear().position(INDEX);
        ByteUtils.writeUnsignedVarint((int) value, theirs);
        check(Varint.writeUnsignedVarint(ours, INDEX, limit, (int) value));
        assertEquals((int) value, Varint.readUnsignedVarint(ours, INDEX, limit));

        theirs.clear().position(INDEX);
        ByteUtils.writeVarint((int) value, theirs);
        check(Varint.writeVarint(ours, INDEX, limit, (int) value));
        assertEquals(theirs.position() - INDEX, Varint.varintLength((int) value));
    }

    // Behaviour A14.
    @ParameterizedTest
    @MethodSource("values")
    void shouldWriteLongsAsKafkaDoes(final long value)
    {
        ByteUtils.writeVarlong(value, theirLong);
        final int length = theirLong.position();

        assertEquals(length, Varint.varlongLength(value));
        assertEquals(length, Varint.writeVarlong(ourLong, 0, length, value));
        assertArrayEquals(theirLong.array(), ourLong.byteArray());
        assertThrows(IndexOutOfBoundsException.class, () -> Varint.writeVarlong(ourLong, 0, length - 1, value));
        assertThrows(IndexOutOfBoundsException.class, () -> Varint.writeVarlong(ourLong, -1, length, value));
    }

    // Behaviour A14, tried 2026-11-29: Varints have at most 5 bytes (int) or 10 bytes (long). Bits of an unsigned
    // varint that overflow are dropped, as in Kafka.
    @Test
    void shouldReadAnyBytesAsKafkaDoes()
    {
        final Random random = new Random(4711);
        for (int i = 0; i < 100_000; i++)
        {
            random.nextBytes(theirs.array());
            for (int j = INDEX; j < theirs.capacity(); j++)
            {
                theirs.array()[j] |= (byte) (random.nextInt(5) == 0 ? 0 : 0x80);
            }
            ours.putBytes(0, theirs.array());

            compare();
        }
    }

    // Behaviour A14.
    @Test
    void shouldNotReadOrWritePastTheLimit()
    {
        for (int length = 1; length <= MAX_VARINT_LENGTH; length++)
        {
            final int value = length == 1 ? 0 : 1 << (7 * (length - 1));
            final int limit = INDEX + length;
            assertEquals(length, Varint.writeUnsignedVarint(ours, INDEX, limit, value));
            assertEquals(value, Varint.readUnsignedVarint(ours, INDEX, limit));
            assertEquals(length, Varint.encodedLength(ours, INDEX, limit));

            assertEquals(Varint.NO_END, Varint.encodedLength(ours, INDEX, limit - 1));
            assertThrows(WireFormatException.class, () -> Varint.readUnsignedVarint(ours, INDEX, limit - 1));
            assertThrows(IndexOutOfBoundsException.class,
                () -> Varint.writeUnsignedVarint(ours, INDEX, limit - 1, value));
        }
        assertThrows(WireFormatException.class, () -> Varint.readUnsignedVarint(ours, -1, ours.capacity()));
        assertThrows(WireFormatException.class, () -> Varint.readUnsignedVarint(ours, INDEX, -1));
    }

    private void check(final int written)
    {
        final byte[] bytes = new byte[written];
        ours.getBytes(INDEX, bytes);

        assertArrayEquals(Arrays.copyOfRange(theirs.array(), INDEX, theirs.position()), bytes);
        assertEquals(written, Varint.encodedLength(ours, INDEX, ours.capacity()));
    }

    private void compare()
    {
        theirs.clear().position(INDEX);
        final int expected;
        try
        {
            expected = ByteUtils.readUnsignedVarint(theirs);
        }
        catch (final IllegalArgumentException illegal)
        {
            assertThrows(WireFormatException.class, () -> Varint.readUnsignedVarint(ours, INDEX, ours.capacity()));
            assertEquals(Varint.NO_END, Varint.encodedLength(ours, INDEX, ours.capacity()));
            return;
        }
        assertEquals(expected, Varint.readUnsignedVarint(ours, INDEX, ours.capacity()));
        assertEquals(theirs.position() - INDEX, Varint.encodedLength(ours, INDEX, ours.capacity()));
    }
}
