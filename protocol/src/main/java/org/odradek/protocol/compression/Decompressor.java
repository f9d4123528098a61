// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * Decompresses batches, one at a time, into one buffer in direct memory. A consumer creates one at its start. It
 * allocates only when a codec is used for the first time, when the output grows, and for errors. Any bytes may be
 * passed to it: the result is a length or an exception, and nothing outside of source and output is accessed.
 */
public final class Decompressor implements AutoCloseable
{
    private static final int MIN_MAGIC_OF_ZSTD = 2;

    private final Codec[] codecs = new Codec[Codecs.ZSTD + 1];
    private final CompressedInput input = new CompressedInput();
    private final OutputBuffer output;

    /**
     * @param initialLength of the output, in bytes.
     * @param maxLength     largest length of the output, in bytes; no batch may decompress to more.
     */
    public Decompressor(final int initialLength, final int maxLength)
    {
        this(initialLength, maxLength, (length) -> true);
    }

    /**
     * @param initialLength of the output, in bytes.
     * @param maxLength     largest length of the output, in bytes; no batch may decompress to more.
     * @param room          returns true if so many bytes can be allocated; asked before the output grows.
     */
    public Decompressor(final int initialLength, final int maxLength, final IntPredicate room)
    {
        this(allocate(initialLength, maxLength), maxLength, room);
    }

    Decompressor(final ByteBuffer output, final int maxLength)
    {
        this(output, maxLength, (length) -> true);
    }

    private Decompressor(final ByteBuffer output, final int maxLength, final IntPredicate room)
    {
        this.output = new OutputBuffer(output, maxLength, room);
    }

    /**
     * Decompresses a whole batch.
     *
     * @param codec  the three low bits of the attributes: 1 gzip, 2 snappy, 3 lz4, 4 zstd.
     * @param magic  of the batch or message, 0 to 2.
     * @param source direct memory; its position and limit are restored before this returns.
     * @param index  of the first compressed byte.
     * @param length of the compressed bytes.
     * @return the number of bytes in the {@link #output()}, from index 0.
     * @throws org.odradek.protocol.WireFormatException if the bytes are malformed or decompress to more than the limit.
     * @throws CodecUnavailableException if the library of the codec cannot be used, or there is no room for the output.
     */
    public int decompress(final int codec, final int magic, final ByteBuffer source, final int index, final int length)
    {
        final int sourcePosition = source.position();
        final int sourceLimit = source.limit();
        try
        {
            source.limit(index + length).position(index);
            final Codec decoder = codec(codec, magic);
            input.wrap(codec, source, index, length);
            return decoder.decompress(input, output, magic);
        }
        finally
        {
            source.limit(sourceLimit).position(sourcePosition);
            output.byteBuffer().clear();
        }
    }

    /**
     * The direct memory that holds the last batch. It is replaced whenever {@link #growthCount()} increases, even in a
     * call that fails: the old one is freed then, and no view of it may be used again.
     */
    public ByteBuffer output()
    {
        return output.byteBuffer();
    }

    /** The number of times that the output has been replaced by a larger one. */
    public long growthCount()
    {
        return output.growthCount();
    }

    /** Frees the memory at once. Neither this nor any view of the output may be used again. */
    @Override
    public void close()
    {
        for (final Codec codec : codecs)
        {
            if (null != codec)
            {
                codec.close();
            }
        }
        output.free();
    }

    private Codec codec(final int codec, final int magic)
    {
        if (codec < Codecs.GZIP || codec > Codecs.ZSTD)
        {
            throw CodecFlaw.CODEC.exception(codec);
        }
        if (Codecs.ZSTD == codec && magic < MIN_MAGIC_OF_ZSTD)
        {
            throw CodecFlaw.ZSTD_WITH_OLD_MAGIC.exception(magic);
        }
        if (null == codecs[codec])
        {
            codecs[codec] = Codecs.load(codec);
        }
        return codecs[codec];
    }

    private static ByteBuffer allocate(final int initialLength, final int maxLength)
    {
        if (initialLength < 1 || initialLength > maxLength)
        {
            throw Codecs.wrongLength(initialLength, maxLength);
        }
        return ByteBuffer.allocateDirect(initialLength);
    }
}
