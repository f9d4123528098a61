// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/** Compresses with gzip into one member without optional fields, in the layout of {@link GzipCodec}. */
final class GzipEncoder implements CodecEncoder
{
    /** Magic number 1F 8B, method 8 (deflate), no flags, as a little endian number. */
    private static final int HEAD = 0x00088B1F;
    private static final int HEADER_LENGTH = 10;
    private static final int TIME_INDEX = 4;
    private static final int EXTRA_FLAGS_INDEX = 8;
    private static final int SYSTEM_INDEX = 9;
    private static final byte UNKNOWN_SYSTEM = (byte)0xFF;
    private static final int TRAILER_LENGTH = 8;

    private final Deflater deflater;
    private final CRC32 crc = new CRC32();

    GzipEncoder(final int level)
    {
        deflater = new Deflater(level == DEFAULT_LEVEL ? Deflater.DEFAULT_COMPRESSION : level, true);
    }

    @Override
    public int compress(
        final ByteBuffer source, final int index, final int length, final ByteBuffer output, final UnsafeBuffer view)
    {
        crc.reset();
        crc.update(source);
        view.putInt(0, HEAD, LITTLE_ENDIAN);
        view.putInt(TIME_INDEX, 0);
        view.putByte(EXTRA_FLAGS_INDEX, (byte)0);
        view.putByte(SYSTEM_INDEX, UNKNOWN_SYSTEM);
        final int deflated = deflate(source.position(index), output.position(HEADER_LENGTH));
        if (deflated == NOT_SHORTER)
        {
            return deflated;
        }
        final int trailerIndex = HEADER_LENGTH + deflated;
        view.putInt(trailerIndex, (int)crc.getValue(), LITTLE_ENDIAN);
        view.putInt(trailerIndex + Integer.BYTES, length, LITTLE_ENDIAN);
        return trailerIndex + TRAILER_LENGTH;
    }

    /** How much longer deflate can make its input depends on the zlib in use, so it is not given room for more. */
    private int deflate(final ByteBuffer source, final ByteBuffer output)
    {
        output.limit(Math.min(output.capacity() - TRAILER_LENGTH, HEADER_LENGTH + source.remaining()));
        deflater.reset();
        deflater.setInput(source);
        deflater.finish();
        int deflated = 0;
        while (!deflater.finished() && output.hasRemaining())
        {
            deflated += deflater.deflate(output);
        }
        return deflater.finished() ? deflated : NOT_SHORTER;
    }

    @Override
    public void close()
    {
        deflater.end();
    }
}
