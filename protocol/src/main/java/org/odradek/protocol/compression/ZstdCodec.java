// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;

/**
 * Decompresses zstd frames, one after the other, with or without the length of their content. This length is never
 * trusted: the output grows only when it has been filled. The streaming call is not used because a frame can make it
 * allocate a window of any size.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8878">RFC 8878</a>
 */
final class ZstdCodec implements Codec
{
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private final long outputTooSmall = Zstd.errDstSizeTooSmall();

    @Override
    public int decompress(final CompressedInput input, final OutputBuffer output, final int magic)
    {
        while (true)
        {
            try
            {
                return context.decompressDirectByteBuffer(
                    output.byteBuffer().clear(),
                    0,
                    output.capacity(),
                    input.byteBuffer(),
                    input.index(),
                    input.remaining());
            }
            catch (final ZstdException ex)
            {
                if (ex.getErrorCode() != outputTooSmall)
                {
                    throw input.flaw(CodecFlaw.ZSTD_DATA, ex.getMessage());
                }
            }
            makeRoom(input, output);
        }
    }

    @Override
    public void close()
    {
        context.close();
    }

    private static void makeRoom(final CompressedInput input, final OutputBuffer output)
    {
        final long claimedLength =
            Zstd.getDirectByteBufferFrameContentSize(input.byteBuffer(), input.index(), input.remaining());
        if (claimedLength > output.maxLength())
        {
            throw output.claimPastCap(claimedLength);
        }
        output.grow(0);
    }
}
