// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Cuts off a valid frame at every byte and changes every byte of it. The result must be values or a
 * {@link WireFormatException}, and must not depend on the bytes around the frame.
 */
public final class HostileFrames
{
    private static final int BEFORE = 13;
    private static final int AFTER = 64;
    private static final int[] FLIPS = {0x01, 0x10, 0x40, 0x7F, 0x80, 0xFF};
    private static final int[] LIES = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x7FFF_0000, 0x0000_7FFF};

    /** Reads the whole frame and records every value. */
    @FunctionalInterface
    public interface Walk
    {
        void read(DirectBuffer buffer, int index, int limit, StringBuilder values);
    }

    private final Walk walk;
    private final byte[] good;
    private int refusals;

    public HostileFrames(final byte[] frame, final Walk walk)
    {
        this.good = Arrays.copyOfRange(frame, ResponseHeader.LENGTH, frame.length);
        this.walk = walk;
    }

    /** @return how many of the broken frames were refused. */
    public int tryAll()
    {
        read(good);
        assertEquals(0, refusals);
        for (int length = 0; length < good.length; length++)
        {
            final byte[] prefix = Arrays.copyOf(good, length);
            final int refusalsBefore = refusals;
            read(prefix);
            assertEquals(refusalsBefore + 1, refusals, "the first " + length + " bytes were read as the whole frame");
        }
        for (int i = 0; i < good.length; i++)
        {
            changeByte(i);
        }
        return refusals;
    }

    private void changeByte(final int index)
    {
        for (final int flip : FLIPS)
        {
            final byte[] bytes = good.clone();
            bytes[index] ^= (byte) flip;
            read(bytes);
        }
        for (final int lie : LIES)
        {
            final byte[] bytes = good.clone();
            if (index + Integer.BYTES <= bytes.length)
            {
                ByteBuffer.wrap(bytes).putInt(index, lie);
                read(bytes);
            }
        }
    }

    private void read(final byte[] bytes)
    {
        final String exact = read(new UnsafeBuffer(bytes), 0, bytes.length);
        final String zeros = read(KafkaFrames.within(bytes, BEFORE, AFTER, 0x00), BEFORE, bytes.length);
        final String ones = read(KafkaFrames.within(bytes, BEFORE, AFTER, 0xFF), BEFORE, bytes.length);

        assertEquals(exact, zeros);
        assertEquals(exact, ones);
        refusals += exact.endsWith("refused") ? 1 : 0;
    }

    private String read(final UnsafeBuffer buffer, final int index, final int length)
    {
        final StringBuilder values = new StringBuilder();
        try
        {
            walk.read(buffer, index, index + length, values);
        }
        catch (final WireFormatException expected)
        {
            values.append("refused");
        }
        return values.toString();
    }
}
