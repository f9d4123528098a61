// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.DirectMemory;

import java.nio.ByteBuffer;

/**
 * Compresses the records of batches with one codec, one batch at a time, into one buffer in direct memory, in the
 * framing of Kafka's producer. It allocates in its constructor only.
 */
public final class Compressor implements AutoCloseable
{
    /** Stands for the level that Kafka's producer uses by default. */
    public static final int DEFAULT_LEVEL = CodecEncoder.DEFAULT_LEVEL;
    /** Result of {@link #compress}: the compressed records would not be shorter. */
    public static final int NOT_SHORTER = CodecEncoder.NOT_SHORTER;

    private final int codec;
    private final int maxLength;
    private final CodecEncoder encoder;
    private final ByteBuffer output;
    private final UnsafeBuffer view;

    /**
     * @param codec     1 gzip, 2 snappy, 3 lz4, 4 zstd.
     * @param level     of gzip, lz4 and zstd, or {@link #DEFAULT_LEVEL}.
     * @param maxLength of the records of a batch, in bytes.
     * @throws CodecUnavailableException if the library of the codec cannot be used.
     */
    public Compressor(final int codec, final int level, final int maxLength)
    {
        this.codec = codec;
        this.maxLength = maxLength;
        encoder = Codecs.encoder(codec, level);
        output = ByteBuffer.allocateDirect(maxOutputLength(maxLength));
        view = new UnsafeBuffer(output);
    }

    /**
     * The length of the output that no codec exceeds: snappy adds most, a sixth and 36 bytes for each block of 32 KiB.
     *
     * @param length of the records, in bytes.
     */
    public static int maxOutputLength(final int length)
    {
        return Math.toIntExact(length + length / 6L + 64L * (length / SnappyEncoder.BLOCK_LENGTH + 2));
    }

    /**
     * The memory that the library of a codec takes for itself at most, besides the JVM's heap and direct memory.
     *
     * @param codec     1 gzip, 2 snappy, 3 lz4, 4 zstd.
     * @param level     of gzip, lz4 and zstd, or {@link #DEFAULT_LEVEL}.
     * @param maxLength of the records of a batch, in bytes.
     * @return its length in bytes.
     */
    public static int stateLength(final int codec, final int level, final int maxLength)
    {
        return CodecState.length(codec, level, maxLength);
    }

    /**
     * Compresses the records of a batch.
     *
     * @param source direct memory; its position and limit are restored before this returns.
     * @param index  of the first byte of the records.
     * @param length of the records, at most the maximum.
     * @return the number of bytes in the {@link #output()}, from index 0, or {@link #NOT_SHORTER}.
     */
    public int compress(final ByteBuffer source, final int index, final int length)
    {
        if (length > maxLength)
        {
            throw Codecs.tooLong(length, maxLength);
        }
        final int sourcePosition = source.position();
        final int sourceLimit = source.limit();
        try
        {
            source.limit(index + length).position(index);
            final int compressedLength = encoder.compress(source, index, length, output.clear(), view);
            return compressedLength < length ? compressedLength : NOT_SHORTER;
        }
        finally
        {
            source.limit(sourceLimit).position(sourcePosition);
        }
    }

    /** The direct memory with the last batch, until the next one is compressed. */
    public DirectBuffer output()
    {
        return view;
    }

    /** The codec, as numbered by the three low bits of the attributes of a batch. */
    public int codec()
    {
        return codec;
    }

    /** Frees the memory at once. */
    @Override
    public void close()
    {
        encoder.close();
        DirectMemory.free(output);
    }
}
