// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Compresses with LZ4 into one frame of independent blocks without checksums and length, as Kafka's producer does, in
 * the layout of {@link Lz4Codec}. A block that does not become shorter is stored as it is.
 */
final class Lz4Encoder implements CodecEncoder
{
    private static final int BLOCK_LENGTH = 64 * 1024;
    private static final int FRAME_MAGIC = 0x184D2204;
    /** Version 1 and independent blocks, blocks of 64 KiB, and the second byte of the xxHash32 of these two. */
    private static final byte FLAGS = 0x60;
    private static final byte BLOCK_DESCRIPTOR = 0x40;
    private static final byte HEADER_CHECKSUM = (byte)0x82;
    private static final int HEADER_LENGTH = 7;
    private static final int STORED = 0x8000_0000;
    private static final int END_MARK = 0;

    private final LZ4Compressor blocks;

    Lz4Encoder(final int level)
    {
        final LZ4Factory factory = LZ4Factory.nativeInstance();
        blocks = level == DEFAULT_LEVEL ? factory.fastCompressor() : factory.highCompressor(level);
    }

    @Override
    public int compress(
        final ByteBuffer source, final int index, final int length, final ByteBuffer output, final UnsafeBuffer view)
    {
        view.putInt(0, FRAME_MAGIC, LITTLE_ENDIAN);
        view.putByte(Integer.BYTES, FLAGS);
        view.putByte(Integer.BYTES + 1, BLOCK_DESCRIPTOR);
        view.putByte(Integer.BYTES + 2, HEADER_CHECKSUM);
        int end = HEADER_LENGTH;
        for (int from = 0; from < length; from += BLOCK_LENGTH)
        {
            final int contentLength = Math.min(BLOCK_LENGTH, length - from);
            final int blockIndex = end + Integer.BYTES;
            int blockLength = blocks.compress(
                source, index + from, contentLength, output, blockIndex, output.capacity() - blockIndex);
            int size = blockLength;
            if (blockLength >= contentLength)
            {
                view.putBytes(blockIndex, source, index + from, contentLength);
                blockLength = contentLength;
                size = contentLength | STORED;
            }
            view.putInt(end, size, LITTLE_ENDIAN);
            end = blockIndex + blockLength;
        }
        view.putInt(end, END_MARK, LITTLE_ENDIAN);
        return end + Integer.BYTES;
    }

    @Override
    public void close()
    {
    }
}
