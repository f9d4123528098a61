// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import com.github.luben.zstd.Zstd;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG.Bits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.xerial.snappy.Snappy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Reads valid streams cut off at every byte and changed at every byte. {@link Guarded} asserts that the bytes around do
 * not matter and do not change, and that the output stays below its maximum.
 */
class HostileStreamsTest
{
    private static final int CONTENT_LENGTH = 400;
    private static final int MAX_LENGTH = 2_000;
    private static final int[] FLIPS = {0x01, 0x10, 0x40, 0x7F, 0x80, 0xFF};
    private static final int[] LIES = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x7FFF_0000, 0x0000_7FFF, 2_001};
    private static final byte[] CONTENT = Streams.content(new Random(3), CONTENT_LENGTH, 2);

    private int refusals;
    private int results;

    static Stream<Arguments> streams() throws IOException
    {
        final byte[] gzip = Streams.byStockClient(Streams.GZIP, Streams.MAGIC, CONTENT);
        final byte[] framed = Streams.framedSnappy(CONTENT, 1024);
        final byte[] zstd = Streams.byStockClient(Streams.ZSTD, Streams.MAGIC, CONTENT);
        return Stream.of(
            arguments("gzip", Streams.GZIP, gzip),
            arguments("gzip members", Streams.GZIP, Streams.concat(gzip, gzip)),
            arguments("raw snappy", Streams.SNAPPY, Snappy.compress(CONTENT)),
            arguments("framed snappy", Streams.SNAPPY, Streams.concat(framed, framed)),
            arguments("lz4", Streams.LZ4, Streams.byStockClient(Streams.LZ4, Streams.MAGIC, CONTENT)),
            arguments("lz4 with all fields", Streams.LZ4, Streams.lz4(CONTENT, BLOCKSIZE.SIZE_64KB,
                Bits.BLOCK_INDEPENDENCE, Bits.BLOCK_CHECKSUM, Bits.CONTENT_CHECKSUM, Bits.CONTENT_SIZE)),
            arguments("zstd", Streams.ZSTD, zstd),
            arguments("zstd frames", Streams.ZSTD, Streams.concat(Zstd.compress(CONTENT), zstd)));
    }

    // Behaviour G96.
    @ParameterizedTest(name = "{0}")
    @MethodSource("streams")
    void shouldEndInAResultOrARefusal(final String name, final int codec, final byte[] good)
    {
        final Guarded guarded = new Guarded(good.length, MAX_LENGTH);
        for (int length = 0; length < good.length; length++)
        {
            read(guarded, codec, Arrays.copyOf(good, length));
        }
        for (int i = 0; i < good.length; i++)
        {
            for (final int flip : FLIPS)
            {
                final byte[] bytes = good.clone();
                bytes[i] ^= (byte) flip;
                read(guarded, codec, bytes);
            }
            for (final int lie : LIES)
            {
                final byte[] bytes = good.clone();
                if (i + Integer.BYTES <= bytes.length)
                {
                    read(guarded, codec, ByteBuffer.wrap(bytes).putInt(i, lie).array());
                    read(guarded, codec, ByteBuffer.wrap(bytes).putInt(i, Integer.reverseBytes(lie)).array());
                }
            }
        }
        assertTrue(refusals >= good.length / 2, name + ": " + refusals);
        assertTrue(results > 0, name);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("streams")
    void shouldEndInAResultOrARefusalForRandomBytes(final String name, final int codec, final byte[] good)
    {
        final Random random = new Random(1);
        final Guarded guarded = new Guarded(good.length, MAX_LENGTH);
        for (int i = 0; i < 2_000; i++)
        {
            final byte[] bytes = good.clone();
            for (int changes = random.nextInt(6); changes >= 0; changes--)
            {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            read(guarded, codec, bytes);
        }
        assertTrue(refusals > 0, name);
    }

    /**
     * A result must equal that of the stock client, and the other way round up to the cap, with these exceptions:
     * windows that the stock client cannot allocate; a broken snappy header in mid-stream and a later zstd frame that
     * is cut off, where it stops without an error; and a second gzip member of a few bytes, which JDK 17 ignores and
     * JDK 25 refuses.
     */
    private void read(final Guarded guarded, final int codec, final byte[] stream)
    {
        final byte[] content = guarded.decompress(codec, Streams.MAGIC, stream);
        final byte[] expected = Streams.readByStockClient(codec, Streams.MAGIC, stream);
        if (null == content)
        {
            refusals++;
            assertTrue(null == expected || expected.length > MAX_LENGTH || isLossy(guarded.lastRefusal()),
                () -> guarded.lastRefusal() + Arrays.toString(stream));
        }
        else
        {
            results++;
            if (null != expected || codec != Streams.ZSTD || !Streams.isWindowTooLargeForStockClient(stream))
            {
                assertArrayEquals(expected, content, () -> Arrays.toString(stream));
            }
        }
    }

    private static boolean isLossy(final String refusal)
    {
        return refusal.contains("stream header without its rest") || refusal.startsWith("gzip data ends within") ||
            refusal.startsWith("zstd data is not valid (Src size is incorrect)");
    }
}
