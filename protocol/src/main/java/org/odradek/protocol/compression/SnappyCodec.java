// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.xerial.snappy.Snappy;

import java.io.IOException;

/**
 * Decompresses snappy in both framings that logs contain: the blocks of snappy-java, which may be several streams one
 * after the other, and one raw block, which other producers write.
 * <pre>
 *  82 53 4E 41 50 50 59 00 | version int32 | least compatible version int32 | { length int32 | raw block }*
 *
 *  raw block: length of the content, a varint | elements
 * </pre>
 * The native call writes as many bytes as the block claims to contain, so this claim is checked before the call.
 *
 * @see <a href="https://github.com/google/snappy/blob/main/format_description.txt">Snappy format</a>
 */
final class SnappyCodec implements Codec
{
    private static final int MAGIC_HEAD = 0x82534E41;
    private static final int MAGIC_TAIL = 0x50505900;
    private static final int HEADER_LENGTH = 16;
    private static final int MIN_VERSION = 1;
    private static final int MAX_PREAMBLE_BITS = 35;
    /** An element of 3 bytes copies at most 64, so no block grows by a larger factor. */
    private static final long MAX_RATIO = 22;

    SnappyCodec()
    {
        // Loads the native part, so that a failure is found here.
        Snappy.getNativeLibraryVersion();
        Snappy.maxCompressedLength(0);
    }

    @Override
    public int decompress(final CompressedInput input, final OutputBuffer output, final int magic)
    {
        if (!isFramed(input))
        {
            return readBlock(input, input.remaining(), output, 0);
        }
        input.skip(HEADER_LENGTH);
        int length = 0;
        // Trailing bytes that are too few for a length are ignored, as by Kafka's own consumer.
        while (input.remaining() >= Integer.BYTES)
        {
            if (input.peekIntBigEndian(0) == MAGIC_HEAD)
            {
                skipRepeatedHeader(input);
            }
            else
            {
                final int blockLength = input.nextIntBigEndian();
                if (blockLength < 0 || blockLength > input.remaining())
                {
                    throw input.flaw(CodecFlaw.SNAPPY_BLOCK_LENGTH, blockLength, input.remaining());
                }
                length = readBlock(input, blockLength, output, length);
            }
        }
        return length;
    }

    @Override
    public void close()
    {
    }

    private static boolean isFramed(final CompressedInput input)
    {
        return input.remaining() >= HEADER_LENGTH && input.peekIntBigEndian(0) == MAGIC_HEAD &&
            input.peekIntBigEndian(Integer.BYTES) == MAGIC_TAIL;
    }

    /** Kafka's own consumer silently ends here if the header is incomplete, and would lose what follows. */
    private static void skipRepeatedHeader(final CompressedInput input)
    {
        if (!isFramed(input))
        {
            throw input.flaw(CodecFlaw.SNAPPY_HEADER);
        }
        final int version = input.peekIntBigEndian(Long.BYTES);
        if (version < MIN_VERSION)
        {
            throw input.flaw(CodecFlaw.SNAPPY_VERSION, version, MIN_VERSION);
        }
        input.skip(HEADER_LENGTH);
    }

    private static int readBlock(
        final CompressedInput input, final int blockLength, final OutputBuffer output, final int length)
    {
        final long claimedLength = claimedLength(input, blockLength);
        if (claimedLength < 0)
        {
            throw input.flaw(CodecFlaw.SNAPPY_CLAIM_END, blockLength);
        }
        if (claimedLength > MAX_RATIO * blockLength)
        {
            throw input.flaw(CodecFlaw.SNAPPY_CLAIM, blockLength, claimedLength);
        }
        output.ensureCapacity(length + claimedLength, length);
        try
        {
            Snappy.rawUncompress(input.address(), blockLength, output.address() + length);
        }
        catch (final IOException ex)
        {
            throw input.flaw(CodecFlaw.SNAPPY_BLOCK, ex.getMessage());
        }
        input.skip(blockLength);
        return length + (int)claimedLength;
    }

    /** @return the length at the front of a raw block, -1 if it does not end in time. */
    private static long claimedLength(final CompressedInput input, final int blockLength)
    {
        long value = 0;
        int distance = 0;
        for (int shift = 0; shift < MAX_PREAMBLE_BITS && distance < blockLength; shift += 7)
        {
            final int b = input.peekByte(distance++);
            value |= (b & 0x7FL) << shift;
            if (b < 0x80)
            {
                return value;
            }
        }
        return -1;
    }
}
