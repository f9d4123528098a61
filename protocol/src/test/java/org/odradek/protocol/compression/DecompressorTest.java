// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.protocol.WireFormatException;

import java.nio.ByteBuffer;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DecompressorTest
{
    private static final int LENGTH = 10_000;
    private static final int BOMB_LENGTH = 16 * 1024 * 1024;
    private static final int MAX_LENGTH = 100_000;

    private final byte[] content = Streams.content(new Random(1), LENGTH, 2);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldGrowByDoublingAndKeepItsSize(final int codec)
    {
        final ByteBuffer source = direct(Streams.byStockClient(codec, Streams.MAGIC, content));
        try (Decompressor decompressor = new Decompressor(1_000, 1 << 20))
        {
            final ByteBuffer start = decompressor.output();

            assertEquals(LENGTH, decompressor.decompress(codec, Streams.MAGIC, source, 0, source.capacity()));
            final ByteBuffer grown = decompressor.output();
            final long growthCount = decompressor.growthCount();
            assertEquals(LENGTH, decompressor.decompress(codec, Streams.MAGIC, source, 0, source.capacity()));

            assertEquals(ByteBuffer.wrap(content), grown.slice(0, LENGTH));
            assertNotSame(start, grown);
            assertSame(grown, decompressor.output());
            assertTrue(growthCount >= 1 && growthCount <= 4, "growths: " + growthCount);
            assertEquals(growthCount, decompressor.growthCount());
            assertTrue(grown.capacity() <= 16_000, "capacity: " + grown.capacity());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldFillTheCapToItsLastByteAndNotGoPastIt(final int codec)
    {
        final ByteBuffer source = direct(Streams.byStockClient(codec, Streams.MAGIC, content));
        try (Decompressor enough = new Decompressor(10, LENGTH);
            Decompressor tooSmall = new Decompressor(10, LENGTH - 1))
        {
            assertEquals(LENGTH, enough.decompress(codec, Streams.MAGIC, source, 0, source.capacity()));
            assertEquals(ByteBuffer.wrap(content), enough.output());

            final WireFormatException refused = assertThrows(WireFormatException.class,
                () -> tooSmall.decompress(codec, Streams.MAGIC, source, 0, source.capacity()));
            assertTrue(refused.getMessage().contains(" 9999"), refused.getMessage());
            assertTrue(refused.getMessage().contains("decompressionBufferMaxLength"), refused.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldReportThatMemoryIsMissingAndNotALibrary(final int codec)
    {
        final ByteBuffer source = direct(Streams.byStockClient(codec, Streams.MAGIC, content));
        try (Decompressor decompressor = new Decompressor(10, LENGTH, (length) -> false))
        {
            final CodecUnavailableException refused = assertThrows(CodecUnavailableException.class,
                () -> decompressor.decompress(codec, Streams.MAGIC, source, 0, source.capacity()));
            assertTrue(refused.isMemoryMissing());
            assertTrue(refused.getMessage().contains("-XX:MaxDirectMemorySize"), refused.getMessage());
        }
    }

    // Behaviour G95, tried 2026-11-29: The memory for decompression bombs and false sizes is bounded.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldStopABombAtTheCapAndContinue(final int codec)
    {
        final ByteBuffer bomb = direct(Streams.byStockClient(codec, Streams.MAGIC, new byte[BOMB_LENGTH]));
        final ByteBuffer source = direct(Streams.byStockClient(codec, Streams.MAGIC, content));
        try (Decompressor decompressor = new Decompressor(1_000, MAX_LENGTH))
        {
            final WireFormatException refused = assertThrows(WireFormatException.class,
                () -> decompressor.decompress(codec, Streams.MAGIC, bomb, 0, bomb.capacity()));

            assertTrue(refused.getMessage().contains(Integer.toString(MAX_LENGTH)), refused.getMessage());
            assertTrue(refused.getMessage().contains("decompressionBufferMaxLength"), refused.getMessage());
            assertTrue(decompressor.output().capacity() <= MAX_LENGTH);
            assertEquals(LENGTH, decompressor.decompress(codec, Streams.MAGIC, source, 0, source.capacity()));
            assertEquals(ByteBuffer.wrap(content), decompressor.output().slice(0, LENGTH));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldRestorePositionAndLimit(final int codec)
    {
        final byte[] stream = Streams.byStockClient(codec, Streams.MAGIC, content);
        final ByteBuffer source = ByteBuffer.allocateDirect(stream.length + 100).put(50, stream).limit(33).position(12);
        try (Decompressor decompressor = new Decompressor(LENGTH, LENGTH))
        {
            assertEquals(LENGTH, decompressor.decompress(codec, Streams.MAGIC, source, 50, stream.length));
            assertEquals(12, source.position());
            assertEquals(33, source.limit());
            assertEquals(ByteBuffer.wrap(content), decompressor.output());

            assertThrows(WireFormatException.class,
                () -> decompressor.decompress(codec, Streams.MAGIC, source, 50, stream.length / 2));
            assertEquals(12, source.position());
            assertEquals(33, source.limit());
            assertEquals(ByteBuffer.wrap(content).capacity(), decompressor.output().remaining());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 5, 7, 1000})
    void shouldReportAnUnknownCodec(final int codec)
    {
        try (Decompressor decompressor = new Decompressor(1, 1))
        {
            final WireFormatException refused = assertThrows(WireFormatException.class,
                () -> decompressor.decompress(codec, Streams.MAGIC, ByteBuffer.allocateDirect(9), 0, 9));
            assertEquals(
                "codec " + codec + " where 1 to 4 (gzip, snappy, lz4, zstd) was expected", refused.getMessage());
        }
    }

    @Test
    void shouldNotReadZstdInOldFormats()
    {
        final ByteBuffer source = direct(Streams.byStockClient(Streams.ZSTD, Streams.MAGIC, content));
        try (Decompressor decompressor = new Decompressor(LENGTH, LENGTH))
        {
            final WireFormatException refused = assertThrows(WireFormatException.class,
                () -> decompressor.decompress(Streams.ZSTD, 1, source, 0, source.capacity()));
            assertEquals("codec 4 (zstd) with magic 1 where at least 2 was expected", refused.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldRefuseNoBytesAtAll(final int codec)
    {
        try (Decompressor decompressor = new Decompressor(LENGTH, LENGTH))
        {
            assertThrows(WireFormatException.class,
                () -> decompressor.decompress(codec, Streams.MAGIC, ByteBuffer.allocateDirect(9), 3, 0));
        }
    }

    @Test
    void shouldReadNoBytesAsNoZstdFramesAsTheStockClientDoes()
    {
        try (Decompressor decompressor = new Decompressor(LENGTH, LENGTH))
        {
            assertEquals(
                0, decompressor.decompress(Streams.ZSTD, Streams.MAGIC, ByteBuffer.allocateDirect(9), 3, 0));
            assertArrayEquals(
                new byte[0], Streams.readByStockClient(Streams.ZSTD, Streams.MAGIC, new byte[0]));
        }
    }

    @Test
    void shouldRefuseImpossibleLengths()
    {
        assertThrows(IllegalArgumentException.class, () -> new Decompressor(0, 10));
        assertThrows(IllegalArgumentException.class, () -> new Decompressor(11, 10));
    }

    @Test
    void shouldRefuseASourceWithFewerBytes()
    {
        final ByteBuffer source = ByteBuffer.allocateDirect(10);
        try (Decompressor decompressor = new Decompressor(LENGTH, LENGTH))
        {
            assertThrows(IllegalArgumentException.class, () -> decompressor.decompress(1, 2, source, 5, 6));
            assertThrows(IllegalArgumentException.class, () -> decompressor.decompress(1, 2, source, 5, -1));
            assertThrows(IllegalArgumentException.class, () -> decompressor.decompress(1, 2, source, -1, 5));
            assertEquals(ByteBuffer.allocateDirect(10), source);
        }
    }

    private static ByteBuffer direct(final byte[] bytes)
    {
        return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    }
}
