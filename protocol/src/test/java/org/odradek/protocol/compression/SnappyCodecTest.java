// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.Snappy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class SnappyCodecTest
{
    private static final int MAX_LENGTH = 300_000;
    private static final int HEADER_LENGTH = 16;
    private static final byte[] CONTENT = Streams.content(new Random(1), 100_000, 2);
    private static final byte[] OTHER = Streams.content(new Random(2), 3_000, 0);

    private final Guarded guarded = new Guarded(MAX_LENGTH, MAX_LENGTH);

    // Behaviour G94, tried 2026-11-29: Snappy is read with and without framing, and with several blocks; an incomplete
    // block is an error.
    @ParameterizedTest
    @ValueSource(ints = {1024, 32 * 1024, 64 * 1024, 1 << 20})
    void shouldReadFramedBlocks(final int blockLength)
    {
        assertArrayEquals(CONTENT, decompress(Streams.framedSnappy(CONTENT, blockLength)));
    }

    // Behaviour G94.
    @Test
    void shouldReadOneRawBlock() throws IOException
    {
        assertArrayEquals(CONTENT, decompress(Snappy.compress(CONTENT)));
        assertArrayEquals(OTHER, decompress(Snappy.compress(OTHER)));
        assertArrayEquals(new byte[0], decompress(Snappy.compress(new byte[0])));
        assertArrayEquals(new byte[]{7}, decompress(Snappy.compress(new byte[]{7})));
    }

    @Test
    void shouldReadHeadersInMidStream()
    {
        final byte[] header = Arrays.copyOf(Streams.framedSnappy(CONTENT, 1024), HEADER_LENGTH);
        final byte[] stream = Streams.concat(header, Streams.framedSnappy(CONTENT, 1024), header, header,
            Streams.framedSnappy(OTHER, 2048), header);

        assertArrayEquals(Streams.concat(CONTENT, OTHER), decompress(stream));
        assertArrayEquals(Streams.concat(CONTENT, OTHER),
            Streams.readByStockClient(Streams.SNAPPY, Streams.MAGIC, stream));
    }

    @Test
    void shouldReadAStreamOfNoBlocks()
    {
        assertArrayEquals(new byte[0], decompress(Arrays.copyOf(Streams.framedSnappy(OTHER, 1024), HEADER_LENGTH)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldLeaveFewerBytesThanALengthAsTheStockClientDoes(final int count)
    {
        final byte[] stream = Streams.concat(Streams.framedSnappy(OTHER, 1024), new byte[count]);

        assertArrayEquals(OTHER, decompress(stream));
        assertArrayEquals(OTHER, Streams.readByStockClient(Streams.SNAPPY, Streams.MAGIC, stream));
    }

    // Behaviour G94.
    @Test
    void shouldReportWhatIsWrong()
    {
        final byte[] header = Arrays.copyOf(Streams.framedSnappy(OTHER, 1024), HEADER_LENGTH);
        final byte[] oldHeader = header.clone();
        oldHeader[11] = 0;

        assertRefused("snappy data has a block of length -2 where 0 bytes are left, at byte 20 of 20",
            Streams.concat(header, ByteBuffer.allocate(4).putInt(-2).array()));
        assertRefused("snappy data has a block of length 5 where 4 bytes are left, at byte 20 of 24",
            Streams.concat(header, ByteBuffer.allocate(8).putInt(5).array()));
        assertRefused("snappy data has the beginning of a stream header without its rest, at byte 16 of 31",
            Streams.concat(header, Arrays.copyOf(header, 15)));
        assertRefused("snappy data has framing version 0 where at least 1 was expected, at byte 16 of 32",
            Streams.concat(header, oldHeader));
        assertRefused("snappy data has a block of 0 bytes in which the length of its content has no end, " +
            "at byte 20 of 20", Streams.concat(header, new byte[4]));
        assertRefused("snappy data has a block of 4 bytes in which the length of its content has no end, " +
            "at byte 0 of 4", new byte[]{-1, -1, -1, -1});
        assertRefused("snappy data has a block of 6 bytes that claims to hold 133, at byte 0 of 6",
            new byte[]{(byte) 0x85, 1, 0, 0, 0, 0});
        assertRefused("snappy data has a block of 5 bytes that claims to hold 4294967295, at byte 0 of 5",
            new byte[]{-1, -1, -1, -1, 0x0F});
        assertRefused("snappy data has a block of 5 bytes that claims to hold 34359738367, at byte 0 of 5",
            new byte[]{-1, -1, -1, -1, 0x7F});
        assertRefused("snappy data has no valid elements (FAILED_TO_UNCOMPRESS(5)) in the block that begins there," +
            " at byte 0 of 3", new byte[]{9, 0, 0});
    }

    @Test
    void shouldRefuseABlockThatClaimsOneByteMoreOrLess() throws IOException
    {
        final byte[] stream = Snappy.compress(Arrays.copyOf(OTHER, 100));
        assertEquals(100, stream[0]);
        for (int claim = 0; claim < 128; claim++)
        {
            stream[0] = (byte) claim;
            assertEquals(claim == 100, decompress(stream) != null, "claim " + claim);
        }
    }

    @Test
    void shouldNameAClaimPastTheCap()
    {
        final byte[] stream = ByteBuffer.allocate(50_000).put(new byte[]{(byte) 0xE1, (byte) 0xA7, 0x12}).array();

        assertRefused("batch claims to decompress to 300001 bytes where it may have 300000; if it tells the truth, " +
            "raise decompressionBufferMaxLength to hold it", stream);
    }

    private byte[] decompress(final byte[] stream)
    {
        return guarded.decompress(Streams.SNAPPY, Streams.MAGIC, stream);
    }

    private void assertRefused(final String message, final byte[] stream)
    {
        assertEquals(message, guarded.refusal(Streams.SNAPPY, Streams.MAGIC, stream));
    }
}
