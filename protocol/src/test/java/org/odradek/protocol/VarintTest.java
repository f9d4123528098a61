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

    private final ByteBuffer theirs = ByteBuffer.allocate(INDEX + MAX_VARLONG_LENGTH);
    private final UnsafeBuffer ours = new UnsafeBuffer(new byte[INDEX + MAX_VARLONG_LENGTH]);

    /** Around every power of two, from both sides of zero, and some at random. */
    static LongStream values()
    {
        final LongStream edges = LongStream.range(0, Long.SIZE)
            .map(shift -> 1L << shift)
            .flatMap(power -> LongStream.of(power - 1, power, power + 1, -power - 1, -power, 1 - power));
        return LongStream.concat(edges, new Random(42).longs(200)).distinct();
    }

    @ParameterizedTest
    @MethodSource("values")
    void shouldWriteAndReadAsKafkaDoes(final long value)
    {
        final int limit = ours.capacity();

        theirs.clear().position(INDEX);
        ByteUtils.writeVarint((int) value, theirs);
        check(Varint.writeVarint(ours, INDEX, limit, (int) value), Varint.sizeOfVarint((int) value), MAX_VARINT_LENGTH);
        assertEquals((int) value, Varint.readVarint(ours, INDEX, limit));

        theirs.clear().position(INDEX);
        ByteUtils.writeUnsignedVarint((int) value, theirs);
        check(Varint.writeUnsignedVarint(ours, INDEX, limit, (int) value),
            Varint.sizeOfUnsignedVarint((int) value), MAX_VARINT_LENGTH);
        assertEquals((int) value, Varint.readUnsignedVarint(ours, INDEX, limit));

        theirs.clear().position(INDEX);
        ByteUtils.writeVarlong(value, theirs);
        check(Varint.writeVarlong(ours, INDEX, limit, value), Varint.sizeOfVarlong(value), MAX_VARLONG_LENGTH);
        assertEquals(value, Varint.readVarlong(ours, INDEX, limit));

        theirs.clear().position(INDEX);
        ByteUtils.writeUnsignedVarlong(value, theirs);
        check(Varint.writeUnsignedVarlong(ours, INDEX, limit, value),
            Varint.sizeOfUnsignedVarlong(value), MAX_VARLONG_LENGTH);
        assertEquals(value, Varint.readUnsignedVarlong(ours, INDEX, limit));
    }

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

            compare(() -> ByteUtils.readVarint(theirs),
                () -> Varint.readVarint(ours, INDEX, ours.capacity()), MAX_VARINT_LENGTH);
            compare(() -> ByteUtils.readVarlong(theirs),
                () -> Varint.readVarlong(ours, INDEX, ours.capacity()), MAX_VARLONG_LENGTH);
        }
    }

    @Test
    void shouldNotReadOrWritePastTheLimit()
    {
        for (int length = 1; length <= MAX_VARLONG_LENGTH; length++)
        {
            final long value = length == 1 ? 0 : 1L << (7 * (length - 1));
            final int limit = INDEX + length;
            assertEquals(length, Varint.writeUnsignedVarlong(ours, INDEX, limit, value));
            assertEquals(value, Varint.readUnsignedVarlong(ours, INDEX, limit));
            assertEquals(length, Varint.encodedLength(ours, INDEX, limit, MAX_VARLONG_LENGTH));

            assertEquals(Varint.NO_END, Varint.encodedLength(ours, INDEX, limit - 1, MAX_VARLONG_LENGTH));
            assertThrows(WireFormatException.class, () -> Varint.readUnsignedVarlong(ours, INDEX, limit - 1));
            assertThrows(IndexOutOfBoundsException.class,
                () -> Varint.writeUnsignedVarlong(ours, INDEX, limit - 1, value));
        }
        assertThrows(WireFormatException.class, () -> Varint.readVarint(ours, -1, ours.capacity()));
        assertThrows(WireFormatException.class, () -> Varint.readVarint(ours, INDEX, -1));
    }

    private void check(final int written, final int size, final int maxLength)
    {
        final byte[] bytes = new byte[written];
        ours.getBytes(INDEX, bytes);

        assertArrayEquals(Arrays.copyOfRange(theirs.array(), INDEX, theirs.position()), bytes);
        assertEquals(written, size);
        assertEquals(written, Varint.encodedLength(ours, INDEX, ours.capacity(), maxLength));
    }

    private void compare(final Read kafka, final Read odradek, final int maxLength)
    {
        theirs.clear().position(INDEX);
        final long expected;
        try
        {
            expected = kafka.read();
        }
        catch (final IllegalArgumentException illegal)
        {
            assertThrows(WireFormatException.class, odradek::read);
            assertEquals(Varint.NO_END, Varint.encodedLength(ours, INDEX, ours.capacity(), maxLength));
            return;
        }
        assertEquals(expected, odradek.read());
        assertEquals(theirs.position() - INDEX,
            Varint.encodedLength(ours, INDEX, ours.capacity(), maxLength));
    }

    private interface Read
    {
        long read();
    }
}
