// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG.Bits;
import net.jpountz.xxhash.XXHashFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class Lz4CodecTest
{
    private static final int MAX_LENGTH = 300_000;
    private static final int ZEROS_LENGTH = 5 * 1024 * 1024;
    private static final int FLAGS_INDEX = 4;
    private static final int DESCRIPTOR_INDEX = 5;
    private static final Bits[] OPTIONS = {Bits.BLOCK_CHECKSUM, Bits.CONTENT_CHECKSUM, Bits.CONTENT_SIZE};
    private static final byte[] CONTENT = Streams.content(new Random(1), 200_000, 2);
    private static final byte[] RANDOM = Streams.content(new Random(2), 200_000, 0);

    private final Guarded guarded = new Guarded(2 * MAX_LENGTH, MAX_LENGTH);

    @ParameterizedTest
    @EnumSource(BLOCKSIZE.class)
    void shouldReadEveryBlockSizeWithEveryOption(final BLOCKSIZE size)
    {
        for (int set = 0; set < 1 << OPTIONS.length; set++)
        {
            final List<Bits> bits = new ArrayList<>(List.of(Bits.BLOCK_INDEPENDENCE));
            for (int i = 0; i < OPTIONS.length; i++)
            {
                if ((set & 1 << i) != 0)
                {
                    bits.add(OPTIONS[i]);
                }
            }
            final Bits[] flags = bits.toArray(new Bits[0]);

            assertArrayEquals(CONTENT, decompress(2, Streams.lz4(CONTENT, size, flags)), "set " + set);
            assertArrayEquals(RANDOM, decompress(2, Streams.lz4(RANDOM, size, flags)), "stored blocks, set " + set);
            assertArrayEquals(new byte[0], decompress(2, Streams.lz4(new byte[0], size, flags)), "set " + set);
        }
    }

    @Test
    void shouldReadALargeBlockThatExpandsMost()
    {
        final byte[] zeros = new byte[ZEROS_LENGTH];
        final byte[] stream = Streams.lz4(zeros, BLOCKSIZE.SIZE_4MB, Bits.BLOCK_INDEPENDENCE);

        assertArrayEquals(zeros, new Guarded(MAX_LENGTH, ZEROS_LENGTH).decompress(Streams.LZ4, 2, stream));
    }

    // Behaviour G93, tried 2026-11-29: LZ4: the wrong header checksum of magic 0 is accepted, and dependent blocks are
    // refused. Wrong header checksums of magic 1 and 2, wrong block checksums and malformed frames are errors. Like
    // Kafka's consumer, Odradek does not verify checksums of the whole content.
    @Test
    void shouldVerifyTheHeaderFromMagic1On()
    {
        final byte[] byOldClient = Streams.byStockClient(Streams.LZ4, 0, CONTENT);

        assertArrayEquals(CONTENT, decompress(0, byOldClient));
        for (int magic = 1; magic <= 2; magic++)
        {
            assertRefused(magic, "has a header whose checksum does not match it, at byte 7 of " + byOldClient.length,
                byOldClient);
        }
        assertArrayEquals(CONTENT, decompress(0, Streams.byStockClient(Streams.LZ4, 1, CONTENT)));
    }

    // Behaviour G93.
    @Test
    void shouldRefuseDependentBlocks()
    {
        final byte[] stream = withFlags(Streams.byStockClient(Streams.LZ4, 2, CONTENT), 0x40);

        assertRefused(2, "has blocks that depend on each other, which neither the stock client nor this one reads, " +
            "at byte 5 of " + stream.length, stream);
    }

    // Behaviour G93.
    @Test
    void shouldSkipTheContentChecksumButRequireIt()
    {
        final byte[] stream = Streams.lz4(CONTENT, BLOCKSIZE.SIZE_64KB, Bits.BLOCK_INDEPENDENCE, Bits.CONTENT_CHECKSUM);
        final byte[] wrong = stream.clone();
        wrong[stream.length - 1] ^= 1;

        assertArrayEquals(CONTENT, decompress(2, wrong));
        assertArrayEquals(CONTENT, Streams.readByStockClient(Streams.LZ4, 2, wrong));
        assertArrayEquals(null, decompress(2, Arrays.copyOf(stream, stream.length - 1)));
    }

    @Test
    void shouldStopAfterOneFrameAsTheStockClientDoes()
    {
        final byte[] frame = Streams.byStockClient(Streams.LZ4, 2, CONTENT);
        final byte[] stream = Streams.concat(frame, frame);

        assertArrayEquals(CONTENT, decompress(2, stream));
        assertArrayEquals(CONTENT, Streams.readByStockClient(Streams.LZ4, 2, stream));
    }

    // Behaviour G93.
    @Test
    void shouldReportWhatIsWrong()
    {
        final byte[] good = Streams.lz4(CONTENT, BLOCKSIZE.SIZE_64KB, Bits.BLOCK_INDEPENDENCE, Bits.BLOCK_CHECKSUM);
        final String end = " of " + good.length;

        assertRefused(2, "has no magic number 04 22 4D 18, at byte 4" + end, with(good, 0, 0x05));
        assertRefused(2, "has flags 0xa0 where version 1 without reserved bits was expected, at byte 5" + end,
            withFlags(good, 0xA0));
        assertRefused(2, "has flags 0x61 where version 1 without reserved bits was expected, at byte 5" + end,
            withFlags(good, 0x61));
        assertRefused(2, "has a block of 65537 bytes where blocks have at most 65536 and " + (good.length - 11) +
            " bytes are left, at byte 11" + end, with(with(with(good, 7, 1), 8, 0), 9, 1));
        assertRefused(2, "has a block whose checksum does not match it, at byte " + (good.length - 4) + end,
            with(good, good.length - 5, ~good[good.length - 5]));
        assertRefused(2, "ends too early: 4 more bytes were expected, at byte " + (good.length - 4) + " of " +
            (good.length - 1), Arrays.copyOf(good, good.length - 1));
        assertRefused(2, "has no valid sequences in the block of 4 bytes that begins there, at byte 11 of 15",
            Streams.concat(Arrays.copyOf(good, 7), new byte[]{4, 0, 0, 0, 0x10, 0x41, 9, 0}));
    }

    // Behaviour G93.
    @ParameterizedTest
    @ValueSource(ints = {0x00, 0x30, 0x80, 0xC0, 0x41, 0x48})
    void shouldRefuseInvalidBlockDescriptors(final int descriptor)
    {
        final byte[] stream = with(Streams.byStockClient(Streams.LZ4, 2, CONTENT), DESCRIPTOR_INDEX, descriptor);

        assertRefused(0, "has block descriptor 0x" + Integer.toHexString(descriptor) +
            " where 0x40 to 0x70 was expected, at byte 6 of " + stream.length, stream);
    }

    private byte[] decompress(final int magic, final byte[] stream)
    {
        return guarded.decompress(Streams.LZ4, magic, stream);
    }

    private void assertRefused(final int magic, final String message, final byte[] stream)
    {
        assertEquals("lz4 data " + message, guarded.refusal(Streams.LZ4, magic, stream));
    }

    private static byte[] withFlags(final byte[] stream, final int flags)
    {
        final byte[] changed = with(stream, FLAGS_INDEX, flags);
        changed[DESCRIPTOR_INDEX + 1] =
            (byte) (XXHashFactory.fastestInstance().hash32().hash(changed, FLAGS_INDEX, 2, 0) >> 8);
        return changed;
    }

    private static byte[] with(final byte[] stream, final int index, final int value)
    {
        final byte[] changed = stream.clone();
        changed[index] = (byte) value;
        return changed;
    }
}
