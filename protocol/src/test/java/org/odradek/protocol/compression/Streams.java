// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import net.jpountz.lz4.LZ4FrameOutputStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.xerial.snappy.SnappyError;
import org.xerial.snappy.SnappyOutputStream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** Streams compressed by kafka-clients and by the libraries of the codecs, and contents to compress. */
final class Streams
{
    static final int GZIP = 1;
    static final int SNAPPY = 2;
    static final int LZ4 = 3;
    static final int ZSTD = 4;
    static final int MAGIC = 2;

    private static final String[] NAMES = {"none", "gzip", "snappy", "lz4", "zstd"};

    private Streams()
    {
    }

    static byte[] byStockClient(final int codec, final int magic, final byte[] content)
    {
        final ByteBufferOutputStream bytes = new ByteBufferOutputStream(512);
        try (OutputStream out = Compression.of(NAMES[codec]).build().wrapForOutput(bytes, (byte) magic))
        {
            out.write(content);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        final byte[] stream = new byte[bytes.buffer().flip().remaining()];
        bytes.buffer().get(stream);
        return stream;
    }

    /** Decompresses a stream with the stock client; returns null if it throws. */
    static byte[] readByStockClient(final int codec, final int magic, final byte[] stream)
    {
        try
        {
            return readOrThrow(codec, magic, stream);
        }
        catch (final IOException | RuntimeException | SnappyError refused)
        {
            return null;
        }
    }

    /** Returns whether the stock client refuses the stream only because it would have to allocate the window. */
    static boolean isWindowTooLargeForStockClient(final byte[] stream)
    {
        try
        {
            readOrThrow(ZSTD, MAGIC, stream);
            return false;
        }
        catch (final IOException refused)
        {
            return refused.getMessage().contains("too much memory");
        }
    }

    private static byte[] readOrThrow(final int codec, final int magic, final byte[] stream) throws IOException
    {
        try (InputStream in = Compression.of(NAMES[codec]).build().wrapForInput(
            ByteBuffer.wrap(stream), (byte) magic, BufferSupplier.NO_CACHING))
        {
            return in.readAllBytes();
        }
    }

    static byte[] framedSnappy(final byte[] content, final int blockLength)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new SnappyOutputStream(bytes, blockLength))
        {
            out.write(content);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return bytes.toByteArray();
    }

    static byte[] lz4(
        final byte[] content, final LZ4FrameOutputStream.BLOCKSIZE size, final LZ4FrameOutputStream.FLG.Bits... bits)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new LZ4FrameOutputStream(bytes, size, content.length, bits))
        {
            out.write(content);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return bytes.toByteArray();
    }

    static byte[] concat(final byte[]... parts)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (final byte[] part : parts)
        {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    /** Lengths are log-uniform; some content does not compress at all, some very well. */
    static byte[] content(final Random random, final int maxLength)
    {
        final int length = (int) Math.exp(random.nextDouble() * Math.log(maxLength + 1)) - 1;
        return content(random, length, random.nextInt(4));
    }

    static byte[] content(final Random random, final int length, final int kind)
    {
        final byte[] content = new byte[length];
        switch (kind)
        {
            case 0 -> random.nextBytes(content);
            case 1 -> Arrays.fill(content, (byte) random.nextInt());
            default ->
            {
                for (int i = 0; i < length; i++)
                {
                    final int back = 1 + random.nextInt(64);
                    content[i] = i >= back && random.nextInt(20) != 0 ?
                        content[i - back] : (byte) random.nextInt(kind * 16);
                }
            }
        }
        return content;
    }
}
