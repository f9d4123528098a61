// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import com.github.luben.zstd.ZstdOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.xerial.snappy.SnappyOutputStream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;

/**
 * Compresses the records of a batch as producers do, for batches that are made up. Cold: nothing that is read needs it.
 */
public final class BatchCompressor
{
    private static final int GZIP = 1;
    private static final int SNAPPY = 2;
    private static final int LZ4 = 3;
    private static final int ZSTD = 4;

    private BatchCompressor()
    {
    }

    /**
     * @param type    of compression, as a batch's attributes have it, not none.
     * @param records of a batch, without its header.
     * @return what stands in their place.
     */
    public static byte[] compress(final int type, final byte[] records)
    {
        final ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream out = open(type, compressed))
        {
            out.write(records);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return compressed.toByteArray();
    }

    private static OutputStream open(final int type, final OutputStream out) throws IOException
    {
        switch (type)
        {
            case GZIP:
                return new GZIPOutputStream(out);
            case SNAPPY:
                return new SnappyOutputStream(out);
            case LZ4:
                return new LZ4FrameOutputStream(out);
            case ZSTD:
                return new ZstdOutputStream(out);
            default:
                throw new IllegalArgumentException("there is no codec of type " + type);
        }
    }
}
