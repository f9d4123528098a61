// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.odradek.protocol.WireFormatException;

import java.nio.ByteBuffer;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Decompresses with bytes around source and output that must not change and must not affect the result. Every stream is
 * read three times: twice with different bytes around it, once into an output that has to grow.
 */
final class Guarded
{
    private static final int GUARD = 256;
    private static final int SMALL = 7;

    private final int maxLength;
    private final ByteBuffer source;
    private final ByteBuffer output;
    private final Decompressor fixed;
    private final Decompressor growing;
    private String lastRefusal;

    Guarded(final int maxSourceLength, final int maxLength)
    {
        this.maxLength = maxLength;
        source = ByteBuffer.allocateDirect(maxSourceLength + 2 * GUARD);
        output = ByteBuffer.allocateDirect(maxLength + 2 * GUARD);
        fixed = new Decompressor(output.slice(GUARD, maxLength), maxLength);
        growing = new Decompressor(SMALL, maxLength);
    }

    /** Returns the decompressed bytes, or null if the stream was refused. */
    byte[] decompress(final int codec, final int magic, final byte[] stream)
    {
        final byte[] first = decompress(fixed, codec, magic, stream, 0x00);
        final String refusal = lastRefusal;
        final byte[] second = decompress(fixed, codec, magic, stream, 0xFF);
        assertArrayEquals(first, second);
        assertEquals(refusal, lastRefusal);
        assertArrayEquals(first, decompress(growing, codec, magic, stream, 0x5A));
        assertEquals(maxLength, fixed.output().capacity());
        assertTrue(growing.output().capacity() <= maxLength);
        return first;
    }

    /** Returns the error of the last stream, or null. */
    String lastRefusal()
    {
        return lastRefusal;
    }

    String refusal(final int codec, final int magic, final byte[] stream)
    {
        assertEquals(null, decompress(codec, magic, stream));
        return lastRefusal;
    }

    private byte[] decompress(
        final Decompressor decompressor, final int codec, final int magic, final byte[] stream, final int around)
    {
        final ByteBuffer before = fill(source, around);
        source.put(GUARD, stream);
        before.put(GUARD, stream);
        fill(output, around);
        byte[] content = null;
        lastRefusal = null;
        try
        {
            final int length = decompressor.decompress(codec, magic, source, GUARD, stream.length);
            content = new byte[length];
            decompressor.output().get(0, content);
        }
        catch (final WireFormatException refused)
        {
            lastRefusal = refused.getMessage();
        }
        assertEquals(before, source.clear());
        for (int i = 0; i < GUARD; i++)
        {
            assertEquals((byte) around, output.get(i));
            assertEquals((byte) around, output.get(GUARD + maxLength + i));
        }
        return content;
    }

    private static ByteBuffer fill(final ByteBuffer buffer, final int value)
    {
        final byte[] bytes = new byte[buffer.capacity()];
        Arrays.fill(bytes, (byte) value);
        buffer.put(0, bytes);
        return ByteBuffer.wrap(bytes);
    }
}
