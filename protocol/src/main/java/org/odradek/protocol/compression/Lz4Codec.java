// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;
import org.agrona.UnsafeApi;

/**
 * Reads one LZ4 frame of independent blocks, as the stock client does: checksums of header and blocks are verified, the
 * length and the checksum of the content are skipped, and what follows the frame is left unread.
 * <pre>
 *  04 22 4D 18 | FLG | BD | length of the content, 8 bytes, if set | HC
 *    | { size int32, high bit = stored as it is | block | checksum int32 if set }* | 0 int32 | checksum int32 if set
 *
 *  FLG: 7-6 version 01 | 5 independent blocks | 4 block checksums | 3 content length | 2 content checksum | 1-0 zero
 *  BD: 7 zero | 6-4 largest block, 4 to 7 = 64 KiB to 4 MiB | 3-0 zero
 * </pre>
 * HC is the second byte of the header's xxHash32. Old clients took that hash over the magic number too, so batches of
 * magic 0 go unverified.
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
    /** A byte that lengthens a match adds 255 at most: no block grows by more than this. */
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
                throw input.flaw("has a block of " + blockLength + " bytes where blocks have at most " +
                    maxBlockLength + " and " + input.remaining() + " bytes are left");
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
            throw input.flaw("has no magic number 04 22 4D 18");
        }
        final int descriptorIndex = input.index();
        flags = input.nextByte();
        if ((flags & VERSION_MASK) != VERSION_1 || (flags & RESERVED_FLAGS) != 0)
        {
            throw input.flaw("has flags 0x" + Integer.toHexString(flags) + " where version 1 without reserved bits " +
                "was expected");
        }
        if ((flags & INDEPENDENT_BLOCKS) == 0)
        {
            throw input.flaw("has blocks that depend on each other, which neither the stock client nor this one reads");
        }
        final int blockDescriptor = input.nextByte();
        final int blockCode = blockDescriptor >> 4;
        if ((blockDescriptor & RESERVED_DESCRIPTOR_BITS) != 0 || blockCode < MIN_BLOCK_CODE)
        {
            throw input.flaw("has block descriptor 0x" + Integer.toHexString(blockDescriptor) +
                " where 0x40 to 0x70 was expected");
        }
        maxBlockLength = 1 << 2 * blockCode + 8;
        input.skip((flags & CONTENT_LENGTH) != 0 ? Long.BYTES : 0);

        final int descriptorLength = input.index() - descriptorIndex;
        final int checksum = input.nextByte();
        if (magic > 0 && checksum != (hash.hash(input.byteBuffer(), descriptorIndex, descriptorLength, 0) >> 8 & 0xFF))
        {
            throw input.flaw("has a header whose checksum does not match it");
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
                    throw input.flaw("has no valid sequences in the block of " + blockLength +
                        " bytes that begins there");
                }
            }
            // The block may be sound and the room too small.
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
            throw input.flaw("has a block whose checksum does not match it");
        }
    }
}
