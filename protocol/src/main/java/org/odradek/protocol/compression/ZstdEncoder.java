// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import com.github.luben.zstd.ZstdCompressCtx;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/** Compresses with zstd into one frame, whose window is not longer than its content. */
final class ZstdEncoder implements CodecEncoder
{
    static final int LEVEL_OF_KAFKA = 3;

    private final ZstdCompressCtx context = new ZstdCompressCtx();

    ZstdEncoder(final int level)
    {
        context.setLevel(level == DEFAULT_LEVEL ? LEVEL_OF_KAFKA : level);
    }

    @Override
    public int compress(
        final ByteBuffer source, final int index, final int length, final ByteBuffer output, final UnsafeBuffer view)
    {
        return context.compressDirectByteBuffer(output, 0, output.capacity(), source, index, length);
    }

    @Override
    public void close()
    {
        context.close();
    }
}
