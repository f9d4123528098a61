// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import com.github.luben.zstd.ZstdOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.odradek.protocol.record.CompressionType;
import org.xerial.snappy.SnappyOutputStream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;

/**
 * Compresses the records of a built-in batch. This is a class of its own, because a program may exclude the libraries
 * of codecs that it does not use.
 */
final class BatchCompressor
{
    private BatchCompressor()
    {
    }

    static byte[] compress(final int codec, final byte[] records)
    {
        final ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream out = open(codec, compressed))
        {
            out.write(records);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return compressed.toByteArray();
    }

    private static OutputStream open(final int codec, final OutputStream out) throws IOException
    {
        switch (codec)
        {
            case CompressionType.GZIP:
                return new GZIPOutputStream(out);
            case CompressionType.SNAPPY:
                return new SnappyOutputStream(out);
            case CompressionType.LZ4:
                return new LZ4FrameOutputStream(out);
            case CompressionType.ZSTD:
                return new ZstdOutputStream(out);
            default:
                throw new IllegalArgumentException("there is no codec " + codec);
        }
    }
}
