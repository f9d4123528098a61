// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class ZstdCodecTest
{
    private static final int MAX_LENGTH = 300_000;
    private static final long SIZE_UNKNOWN = -1;
    private static final int FRAME_MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC = 0x184D2A53;
    private static final byte[] CONTENT = Streams.content(new Random(1), 100_000, 2);
    private static final byte[] OTHER = Streams.content(new Random(2), 3_000, 0);

    private final Guarded guarded = new Guarded(MAX_LENGTH, MAX_LENGTH);

    @Test
    void shouldReadFramesWithAndWithoutContentSize()
    {
        final byte[] with = Zstd.compress(CONTENT);
        final byte[] without = Streams.byStockClient(Streams.ZSTD, Streams.MAGIC, CONTENT);
        assertEquals(CONTENT.length, Zstd.getFrameContentSize(with));
        assertEquals(0, Math.max(0, Zstd.getFrameContentSize(without)));

        assertArrayEquals(CONTENT, decompress(with));
        assertArrayEquals(CONTENT, decompress(without));
    }

    @Test
    void shouldReadFramesOneAfterTheOther()
    {
        final byte[] skipped = ByteBuffer.allocate(13).order(ByteOrder.LITTLE_ENDIAN).putInt(SKIPPABLE_MAGIC).putInt(5)
            .array();
        final byte[] stream = Streams.concat(Zstd.compress(OTHER), skipped,
            Streams.byStockClient(Streams.ZSTD, Streams.MAGIC, CONTENT), Zstd.compress(new byte[0]),
            Zstd.compress(CONTENT, 19));

        assertArrayEquals(Streams.concat(OTHER, CONTENT, CONTENT), decompress(stream));
    }

    @Test
    void shouldVerifyTheChecksum()
    {
        try (ZstdCompressCtx context = new ZstdCompressCtx().setChecksum(true))
        {
            final byte[] stream = context.compress(CONTENT);
            assertArrayEquals(CONTENT, decompress(stream));
            stream[stream.length - 1] ^= 1;
            assertRefused("zstd data is not valid (Restored data doesn't match checksum) in what begins there, " +
                "at byte 0 of " + stream.length, stream);
        }
    }

    @Test
    void shouldReportWhatIsWrong()
    {
        final byte[] stream = Zstd.compress(CONTENT);

        assertRefused("zstd data is not valid (Unknown frame descriptor) in what begins there, at byte 0 of 20",
            new byte[20]);
        assertRefused("zstd data is not valid (Src size is incorrect) in what begins there, at byte 0 of 50",
            Arrays.copyOf(stream, 50));
        assertEquals(null, decompress(Streams.concat(stream, new byte[1])));
        assertEquals(null, decompress(Streams.concat(stream, new byte[30])));
    }

    // Behaviour G95.
    @Test
    void shouldNotTrustAContentSize()
    {
        for (final long lie : new long[]{0, 2, 4, 1_000, MAX_LENGTH, 1L << 31, 1L << 40, Long.MAX_VALUE, -2, -3})
        {
            assertEquals(null, decompress(frame(lie, new byte[]{1, 2, 3})), "claim " + lie);
        }
        assertArrayEquals(new byte[]{1, 2, 3}, decompress(frame(3, new byte[]{1, 2, 3})));
        assertArrayEquals(new byte[]{1, 2, 3}, decompress(frame(SIZE_UNKNOWN, new byte[]{1, 2, 3})));
    }

    @Test
    void shouldNameAClaimPastTheCap()
    {
        assertRefused("batch claims to decompress to 300001 bytes where it may have 300000; if it tells the truth, " +
            "raise decompressionBufferMaxLength to hold it", Zstd.compress(new byte[MAX_LENGTH + 1]));
    }

    // Behaviour G95.
    @Test
    void shouldNotAllocateAWindowAsLargeAsAFrameClaims()
    {
        // No content size, a window of 2 GiB, one stored block of one byte.
        final byte[] stream = ByteBuffer.allocate(10).order(ByteOrder.LITTLE_ENDIAN).putInt(FRAME_MAGIC)
            .put(new byte[]{0x00, (byte) (21 << 3), 0x09, 0x00, 0x00, 0x41}).array();

        assertArrayEquals(new byte[]{0x41}, decompress(stream));
    }

    private byte[] decompress(final byte[] stream)
    {
        return guarded.decompress(Streams.ZSTD, Streams.MAGIC, stream);
    }

    private void assertRefused(final String message, final byte[] stream)
    {
        assertEquals(message, guarded.refusal(Streams.ZSTD, Streams.MAGIC, stream));
    }

    /** A frame that claims a content size of 8 bytes and holds one stored block. */
    private static byte[] frame(final long contentSize, final byte[] block)
    {
        final int blockHeader = block.length << 3 | 1;
        return ByteBuffer.allocate(16 + block.length).order(ByteOrder.LITTLE_ENDIAN)
            .putInt(FRAME_MAGIC)
            .put((byte) 0xE0)
            .putLong(contentSize)
            .put((byte) blockHeader)
            .putShort((short) (blockHeader >> 8))
            .put(block)
            .array();
    }
}
