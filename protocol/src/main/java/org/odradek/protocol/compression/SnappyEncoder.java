// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.xerial.snappy.Snappy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/** Compresses with snappy into the blocks of snappy-java, in the framing of {@link SnappyCodec}. */
final class SnappyEncoder implements CodecEncoder
{
    /** The content of a block, as long as in the stream that Kafka's producer writes. */
    static final int BLOCK_LENGTH = 32 * 1024;

    private static final long MAGIC = 0x82534E4150505900L;
    private static final int VERSION = 1;
    private static final int VERSION_INDEX = Long.BYTES;
    private static final int LEAST_VERSION_INDEX = VERSION_INDEX + Integer.BYTES;
    private static final int HEADER_LENGTH = LEAST_VERSION_INDEX + Integer.BYTES;

    SnappyEncoder()
    {
        // Loads the native part, so that a failure is found here.
        Snappy.maxCompressedLength(BLOCK_LENGTH);
    }

    @Override
    public int compress(
        final ByteBuffer source, final int index, final int length, final ByteBuffer output, final UnsafeBuffer view)
    {
        view.putLong(0, MAGIC, BIG_ENDIAN);
        view.putInt(VERSION_INDEX, VERSION, BIG_ENDIAN);
        view.putInt(LEAST_VERSION_INDEX, VERSION, BIG_ENDIAN);
        final long sourceAddress = BufferUtil.address(source) + index;
        int end = HEADER_LENGTH;
        for (int from = 0; from < length; from += BLOCK_LENGTH)
        {
            final int blockIndex = end + Integer.BYTES;
            final int blockLength = compress(
                sourceAddress + from, Math.min(BLOCK_LENGTH, length - from), view.addressOffset() + blockIndex);
            view.putInt(end, blockLength, BIG_ENDIAN);
            end = blockIndex + blockLength;
        }
        return end;
    }

    private static int compress(final long source, final int length, final long output)
    {
        try
        {
            return (int)Snappy.rawCompress(source, length, output);
        }
        catch (final IOException ex)
        {
            // Snappy compresses any bytes.
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public void close()
    {
    }
}
