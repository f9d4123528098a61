// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG.Bits;
import org.odradek.protocol.fuzz.Readout;
import org.xerial.snappy.Snappy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Random;

/**
 * Decompresses any bytes, with guards around source and output. The first byte of an input selects the magic, 0 to 2;
 * the others are the compressed bytes.
 */
public final class CodecFuzz
{
    private static final int MAX_SOURCE_LENGTH = 1 << 17;
    private static final int MAX_LENGTH = 1 << 14;
    private static final int MAGICS = 3;
    private static final int MAX_SEED_LENGTH = 3_000;

    private final int codec;
    private Guarded guarded;

    public CodecFuzz(final int codec)
    {
        this.codec = codec;
    }

    /** @return a hash of the content or of the error. */
    public String read(final byte[] input)
    {
        if (input.length == 0)
        {
            return "empty";
        }
        if (null == guarded)
        {
            guarded = new Guarded(MAX_SOURCE_LENGTH, MAX_LENGTH);
        }
        final byte[] content = guarded.decompress(
            codec, (input[0] & 0xFF) % MAGICS, Arrays.copyOfRange(input, 1, input.length));
        return null == content ? "refused: " + Readout.withoutLibrarysWords(guarded.lastRefusal()) :
            content.length + " bytes, hash " + Integer.toHexString(Arrays.hashCode(content));
    }

    /** Returns a valid input. */
    public byte[] seed(final Random random)
    {
        final int magic = codec == Streams.ZSTD ? Streams.MAGIC : random.nextInt(MAGICS);
        final byte[] content = Streams.content(random, MAX_SEED_LENGTH);
        final byte[] stream = switch (codec * 2 + random.nextInt(2))
        {
            case Streams.GZIP * 2, Streams.ZSTD * 2 -> Streams.concat(
                Streams.byStockClient(codec, magic, content), Streams.byStockClient(codec, magic, content));
            case Streams.SNAPPY * 2 -> random.nextBoolean() ? rawSnappy(content) :
                Streams.concat(Streams.framedSnappy(content, 1024), Streams.framedSnappy(content, 1024));
            case Streams.LZ4 * 2 -> Streams.lz4(content, BLOCKSIZE.SIZE_64KB, Bits.BLOCK_INDEPENDENCE,
                Bits.BLOCK_CHECKSUM, Bits.CONTENT_SIZE, Bits.CONTENT_CHECKSUM);
            default -> Streams.byStockClient(codec, magic, content);
        };
        return Streams.concat(new byte[]{(byte) magic}, stream);
    }

    private static byte[] rawSnappy(final byte[] content)
    {
        try
        {
            return Snappy.compress(content);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
