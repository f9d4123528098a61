// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import com.github.luben.zstd.Zstd;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG.Bits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.Allocation;
import org.xerial.snappy.Snappy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class CompressionAllocationTest
{
    private static final int RUNS = 100;
    private static final byte[] LARGE = Streams.content(new Random(1), 100_000, 2);
    private static final byte[] SMALL = Streams.content(new Random(2), 1_000, 3);

    private long bytesRead;

    static Stream<Arguments> streams() throws IOException
    {
        return Stream.of(
            arguments("gzip", Streams.GZIP, stock(Streams.GZIP, LARGE), stock(Streams.GZIP, SMALL)),
            arguments("gzip members", Streams.GZIP, stock(Streams.GZIP, LARGE),
                Streams.concat(stock(Streams.GZIP, SMALL), stock(Streams.GZIP, SMALL))),
            arguments("framed snappy", Streams.SNAPPY, stock(Streams.SNAPPY, LARGE), stock(Streams.SNAPPY, SMALL)),
            arguments("raw snappy", Streams.SNAPPY, Snappy.compress(LARGE), Snappy.compress(SMALL)),
            arguments("lz4", Streams.LZ4, stock(Streams.LZ4, LARGE), stock(Streams.LZ4, SMALL)),
            arguments("lz4 with all fields", Streams.LZ4, lz4(LARGE), lz4(SMALL)),
            arguments("zstd", Streams.ZSTD, stock(Streams.ZSTD, LARGE), stock(Streams.ZSTD, SMALL)),
            arguments("zstd frames", Streams.ZSTD, Zstd.compress(LARGE),
                Streams.concat(Zstd.compress(SMALL), Zstd.compress(SMALL))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("streams")
    void shouldAllocateNothingOnceWarm(final String name, final int codec, final byte[] first, final byte[] second)
    {
        final ByteBuffer sourceOfFirst = ByteBuffer.allocateDirect(first.length).put(0, first);
        final ByteBuffer sourceOfSecond = ByteBuffer.allocateDirect(second.length).put(0, second);
        try (Decompressor decompressor = new Decompressor(2 * LARGE.length, 2 * LARGE.length))
        {
            final long allocated = Allocation.bytesOf(RUNS, () ->
            {
                bytesRead = decompressor.decompress(codec, Streams.MAGIC, sourceOfFirst, 0, first.length);
                bytesRead += decompressor.decompress(codec, Streams.MAGIC, sourceOfSecond, 0, second.length);
            });

            assertEquals(0, allocated, name);
            assertEquals(0, (bytesRead - LARGE.length) % SMALL.length);
            assertEquals(0, decompressor.growthCount());
        }
    }

    private static byte[] stock(final int codec, final byte[] content)
    {
        return Streams.byStockClient(codec, Streams.MAGIC, content);
    }

    private static byte[] lz4(final byte[] content)
    {
        return Streams.lz4(content, BLOCKSIZE.SIZE_64KB, Bits.BLOCK_INDEPENDENCE, Bits.BLOCK_CHECKSUM,
            Bits.CONTENT_CHECKSUM, Bits.CONTENT_SIZE);
    }
}
