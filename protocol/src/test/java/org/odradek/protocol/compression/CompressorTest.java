// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import com.github.luben.zstd.Zstd;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.protocol.Allocation;
import org.xerial.snappy.Snappy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CompressorTest
{
    private static final int SEED = 43;
    private static final int CASES = 150;
    private static final int MAX_LENGTH = 300_000;
    private static final int RUNS = 100;
    private static final int STATES_LENGTH = 100 << 20;

    private final ByteBuffer source = ByteBuffer.allocateDirect(2 * MAX_LENGTH);
    private int compressedLength;

    @ParameterizedTest
    @CsvSource({"1, -2147483648", "1, 1", "1, 9", "2, -2147483648", "3, -2147483648", "3, 1", "3, 17",
        "4, -2147483648", "4, 1", "4, 19"})
    void shouldWriteWhatTheStockClientReads(final int codec, final int level)
    {
        final Random random = new Random(SEED);
        int compressedCount = 0;
        try (Compressor compressor = new Compressor(codec, level, MAX_LENGTH);
            Decompressor decompressor = new Decompressor(MAX_LENGTH, MAX_LENGTH))
        {
            assertEquals(codec, compressor.codec());
            for (int i = 0; i < CASES; i++)
            {
                final byte[] content = Streams.content(random, MAX_LENGTH);
                final int index = random.nextInt(MAX_LENGTH);
                source.clear().put(index, content).position(5).limit(77);

                final int length = compressor.compress(source, index, content.length);

                assertEquals(5, source.position());
                assertEquals(77, source.limit());
                assertTrue(length < content.length);
                if (length != Compressor.NOT_SHORTER)
                {
                    compressedCount++;
                    final byte[] stream = new byte[length];
                    compressor.output().getBytes(0, stream);
                    assertArrayEquals(content, Streams.readByStockClient(codec, Streams.MAGIC, stream));
                    final int readLength = decompressor.decompress(codec, Streams.MAGIC,
                        ByteBuffer.allocateDirect(length).put(0, stream), 0, length);
                    assertEquals(ByteBuffer.wrap(content), decompressor.output().slice(0, readLength));
                }
            }
        }
        assertTrue(compressedCount > CASES / 4 && compressedCount < CASES, "shorter batches: " + compressedCount);
    }

    /** Much shorter means that blocks are found in the right place, and not stored as they are. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldCompressAsWellAsTheStockClient(final int codec)
    {
        try (Compressor compressor = new Compressor(codec, Compressor.DEFAULT_LEVEL, MAX_LENGTH))
        {
            final byte[] content = Streams.content(new Random(SEED), MAX_LENGTH, 2);
            final int length = compressor.compress(source.put(0, content), 0, content.length);
            final int stock = Streams.byStockClient(codec, Streams.MAGIC, content).length;

            assertTrue(length > 0 && length <= stock * 1.02, () -> length + " where the stock client has " + stock);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldRefuseToMakeRecordsLonger(final int codec)
    {
        try (Compressor compressor = new Compressor(codec, Compressor.DEFAULT_LEVEL, MAX_LENGTH))
        {
            for (final int length : new int[] {1, 100, 40_000, 70_000, MAX_LENGTH})
            {
                source.clear().put(0, Streams.content(new Random(length), length, 0));
                assertEquals(Compressor.NOT_SHORTER, compressor.compress(source, 0, length), "of " + length);
            }
            assertThrows(IllegalArgumentException.class, () -> compressor.compress(source, 0, MAX_LENGTH + 1));
        }
    }

    // Behaviour Q228.
    @Tag("zero-allocation")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldAllocateNothingOnceWarm(final int codec)
    {
        source.put(0, Streams.content(new Random(SEED), MAX_LENGTH, 2));
        source.put(MAX_LENGTH, Streams.content(new Random(SEED), MAX_LENGTH, 0));
        try (Compressor compressor = new Compressor(codec, Compressor.DEFAULT_LEVEL, MAX_LENGTH))
        {
            assertEquals(0, Allocation.bytesOf(RUNS, () ->
            {
                compressedLength = compressor.compress(source, 0, 70_000);
                compressedLength += compressor.compress(source, 100, 900);
                compressedLength += compressor.compress(source, MAX_LENGTH, 1_000);
            }));
        }
        assertTrue(compressedLength > 0);
    }

    @Test
    void shouldHaveRoomForTheLongestOutput()
    {
        for (int length = 0; length < 1 << 28; length = length * 2 + 1)
        {
            final int blocks = length / SnappyEncoder.BLOCK_LENGTH;
            final long snappy = 16 + blocks * (4L + Snappy.maxCompressedLength(SnappyEncoder.BLOCK_LENGTH)) +
                4 + Snappy.maxCompressedLength(length % SnappyEncoder.BLOCK_LENGTH);
            assertTrue(snappy <= Compressor.maxOutputLength(length), "snappy of " + length);
            assertTrue(Zstd.compressBound(length) <= Compressor.maxOutputLength(length), "zstd of " + length);
            // A block is compressed before it is known that it must be stored.
            assertTrue(LZ4Factory.nativeInstance().fastCompressor().maxCompressedLength(length) + 15 +
                4L * (length >> 16) <= Compressor.maxOutputLength(length), "lz4 of " + length);
        }
    }

    /** So many of each that what else the JVM allocates meanwhile is little, and open until the end of all. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldTakeNoMoreThanTheState() throws IOException
    {
        final List<Compressor> compressors = new ArrayList<>();
        source.clear().put(0, Streams.content(new Random(SEED), MAX_LENGTH, 2));
        for (final int[] kind : new int[][] {{1, 9, MAX_LENGTH}, {4, 1, MAX_LENGTH}, {4, 3, 20_000},
            {4, 3, MAX_LENGTH}, {4, 16, 200_000}, {4, 22, MAX_LENGTH}})
        {
            final int most = Compressor.stateLength(kind[0], kind[1], kind[2]) + Compressor.maxOutputLength(kind[2]);
            final int count = STATES_LENGTH / most;
            final long before = residentBytes();
            for (int i = 0; i < count; i++)
            {
                final Compressor compressor = new Compressor(kind[0], kind[1], kind[2]);
                compressors.add(compressor);
                compressor.compress(source, 0, kind[2]);
            }
            final long taken = residentBytes() - before;

            final String figures = Arrays.toString(kind) + " took " + taken + " bytes for " + count + " of " + most;
            assertTrue(taken <= count * most * 1.1, figures);
            assertTrue(taken >= count * most / 32, figures);
        }
        compressors.forEach(Compressor::close);
    }

    private static long residentBytes() throws IOException
    {
        return 1024 * Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter((line) -> line.startsWith("RssAnon:"))
            .mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")))
            .sum();
    }
}
