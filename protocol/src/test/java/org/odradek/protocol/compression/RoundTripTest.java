// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;

class RoundTripTest
{
    private static final int SEED = 1;
    private static final int CASES = 120;
    private static final int MAX_CONTENT_LENGTH = 2 * 1024 * 1024;
    private static final int MARGIN = 4096;

    private final ByteBuffer source = ByteBuffer.allocateDirect(MAX_CONTENT_LENGTH + MAX_CONTENT_LENGTH / 4 + MARGIN);

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 2", "2, 1", "2, 2", "3, 0", "3, 1", "3, 2", "4, 2"})
    void shouldReadWhatTheStockClientWrites(final int codec, final int magic)
    {
        try (Decompressor decompressor = new Decompressor(1, MAX_CONTENT_LENGTH))
        {
            final Random random = new Random(SEED);
            for (int i = 0; i < CASES; i++)
            {
                final byte[] content = Streams.content(random, MAX_CONTENT_LENGTH);
                final byte[] stream = Streams.byStockClient(codec, magic, content);
                final int index = random.nextInt(MARGIN);
                source.put(index, stream);

                final int length = decompressor.decompress(codec, magic, source, index, stream.length);

                assertEquals(content.length, length, "case " + i);
                assertEquals(ByteBuffer.wrap(content), decompressor.output().slice(0, length), "case " + i);
            }
            assertEquals(MAX_CONTENT_LENGTH, decompressor.output().capacity());
        }
    }
}
