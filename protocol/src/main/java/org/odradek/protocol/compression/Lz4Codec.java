// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;
import org.agrona.UnsafeApi;

/**
 * Decompresses one LZ4 frame of independent blocks, as Kafka's own consumer does: the checksums of header and blocks
 * are verified, the length and the checksum of the content are skipped, and bytes after the frame are ignored.
 * <pre>
 *  04 22 4D 18 | FLG | BD | length of the content, 8 bytes, if set | HC
 *    | { size int32, high bit = stored as it is | block | checksum int32 if set }* | 0 int32 | checksum int32 if set
 *
 *  FLG: 7-6 version 01 | 5 independent blocks | 4 block checksums | 3 content length | 2 content checksum | 1-0 zero
 *  BD: 7 zero | 6-4 largest block, 4 to 7 = 64 KiB to 4 MiB | 3-0 zero
 * </pre>
 * HC is the second byte of the xxHash32 of the header. Old clients included the magic number in it, so HC is not
 * verified in messages of magic 0.
 *
 * @see <a href="https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md">LZ4 frame format</a>
 */
final class Lz4Codec implements Codec
{
    private static final int FRAME_MAGIC = 0x184D2204;
    private static final int VERSION_MASK = 0b1100_0000;
    private static final int VERSION_1 = 0b0100_0000;
    private static final int INDEPENDENT_BLOCKS = 0b0010_0000;
    private static final int BLOCK_CHECKSUMS = 0b0001_0000;
    private static final int CONTENT_LENGTH = 0b0000_1000;
    private static final int CONTENT_CHECKSUM = 0b0000_0100;
    private static final int RESERVED_FLAGS = 0b0000_0011;
    private static final int RESERVED_DESCRIPTOR_BITS = 0b1000_1111;
    private static final int MIN_BLOCK_CODE = 4;
    private static final int STORED_MASK = 0x8000_0000;
    /** Each byte of the length of a match adds at most 255, so no block grows by a larger factor. */
    private static final long MAX_RATIO = 255;

    private final LZ4SafeDecompressor blocks = LZ4Factory.nativeInstance().safeDecompressor();
    private final XXHash32 hash = XXHashFactory.nativeInstance().hash32();

    private int flags;
    private int maxBlockLength;

    @Override
    public int decompress(final CompressedInput input, final OutputBuffer output, final int magic)
    {
        readHeader(input, magic);
        int length = 0;
        while (true)
        {
            final int size = input.nextIntLittleEndian();
            final int blockLength = size & ~STORED_MASK;
            if (0 == blockLength)
            {
                input.skip((flags & CONTENT_CHECKSUM) != 0 ? Integer.BYTES : 0);
                return length;
            }
            if (blockLength > maxBlockLength || blockLength > input.remaining())
            {
                throw input.flaw(CodecFlaw.LZ4_BLOCK_LENGTH, blockLength, maxBlockLength, input.remaining());
            }
            length += size < 0 ?
                copy(input, blockLength, output, length) : decompressBlock(input, blockLength, output, length);
            verifyBlock(input, blockLength);
        }
    }

    @Override
    public void close()
    {
    }

    private void readHeader(final CompressedInput input, final int magic)
    {
        if (input.nextIntLittleEndian() != FRAME_MAGIC)
        {
            throw input.flaw(CodecFlaw.LZ4_MAGIC);
        }
        final int descriptorIndex = input.index();
        flags = input.nextByte();
        if ((flags & VERSION_MASK) != VERSION_1 || (flags & RESERVED_FLAGS) != 0)
        {
            throw input.flaw(CodecFlaw.LZ4_FLAGS, flags);
        }
        if ((flags & INDEPENDENT_BLOCKS) == 0)
        {
            throw input.flaw(CodecFlaw.LZ4_DEPENDENT_BLOCKS);
        }
        final int blockDescriptor = input.nextByte();
        final int blockCode = blockDescriptor >> 4;
        if ((blockDescriptor & RESERVED_DESCRIPTOR_BITS) != 0 || blockCode < MIN_BLOCK_CODE)
        {
            throw input.flaw(CodecFlaw.LZ4_DESCRIPTOR, blockDescriptor);
        }
        maxBlockLength = 1 << 2 * blockCode + 8;
        input.skip((flags & CONTENT_LENGTH) != 0 ? Long.BYTES : 0);

        final int descriptorLength = input.index() - descriptorIndex;
        final int checksum = input.nextByte();
        if (magic > 0 && checksum != (hash.hash(input.byteBuffer(), descriptorIndex, descriptorLength, 0) >> 8 & 0xFF))
        {
            throw input.flaw(CodecFlaw.LZ4_HEADER_CHECKSUM);
        }
    }

    private int copy(final CompressedInput input, final int blockLength, final OutputBuffer output, final int length)
    {
        output.ensureCapacity((long)length + blockLength, length);
        UnsafeApi.copyMemory(input.address(), output.address() + length, blockLength);
        return blockLength;
    }

    private int decompressBlock(
        final CompressedInput input, final int blockLength, final OutputBuffer output, final int length)
    {
        final long wantedLength = length + Math.min(MAX_RATIO * blockLength, maxBlockLength);
        while (true)
        {
            final int limit = (int)Math.min(wantedLength, output.capacity());
            try
            {
                return blocks.decompress(
                    input.byteBuffer(), input.index(), blockLength, output.byteBuffer(), length, limit - length);
            }
            catch (final LZ4Exception ex)
            {
                if (limit == wantedLength)
                {
                    throw input.flaw(CodecFlaw.LZ4_BLOCK, blockLength);
                }
            }
            // The block may be valid and the output too small.
            output.grow(length);
        }
    }

    private void verifyBlock(final CompressedInput input, final int blockLength)
    {
        final int blockIndex = input.index();
        input.skip(blockLength);
        if ((flags & BLOCK_CHECKSUMS) != 0 &&
            input.nextIntLittleEndian() != hash.hash(input.byteBuffer(), blockIndex, blockLength, 0))
        {
            throw input.flaw(CodecFlaw.LZ4_BLOCK_CHECKSUM);
        }
    }
}
