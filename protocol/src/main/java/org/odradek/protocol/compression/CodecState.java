// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

/** How much memory the libraries of codecs take for their tables, which is neither heap nor the JVM's direct memory. */
final class CodecState
{
    /** With the window and the memory level of the JDK 128 KiB twice, and a few KiB (zconf.h of zlib). */
    private static final int GZIP_LENGTH = (1 << 18) + (1 << 14);
    /** While a block of 32 KiB is compressed: a table, a copy of the block, and its output. */
    private static final int SNAPPY_LENGTH = 1 << 18;
    /** While a block is compressed: 16 KiB, or with a level 256 KiB and a few bytes (lz4.h and lz4hc.h). */
    private static final int LZ4_LENGTH = (1 << 18) + (1 << 10);
    /** The binary logarithms of the entries of two tables of each level, for long content (clevels.h of zstd). */
    private static final byte[] ZSTD_HASH_LOGS =
        {14, 16, 17, 18, 19, 19, 20, 20, 21, 22, 22, 23, 22, 23, 23, 22, 22, 22, 22, 23, 24, 25};
    private static final byte[] ZSTD_CHAIN_LOGS =
        {13, 15, 16, 18, 18, 18, 19, 19, 20, 21, 21, 22, 22, 22, 23, 22, 23, 23, 24, 25, 26, 27};
    /** What zstd has besides: the sequences of a block, and small tables of high levels. */
    private static final int ZSTD_REST_LENGTH = 3 << 19;

    private CodecState()
    {
    }

    /** @return the most bytes, for records of at most {@code maxLength} bytes. */
    static int length(final int codec, final int level, final int maxLength)
    {
        return switch (codec)
        {
            case Codecs.GZIP -> GZIP_LENGTH;
            case Codecs.SNAPPY -> SNAPPY_LENGTH;
            case Codecs.LZ4 -> LZ4_LENGTH;
            default -> zstdLength(level == CodecEncoder.DEFAULT_LEVEL ? ZstdEncoder.LEVEL_OF_KAFKA : level, maxLength);
        };
    }

    /** A table has at most twice as many entries as the content has bytes, rounded up to a power of two. */
    private static int zstdLength(final int level, final int maxLength)
    {
        final int mostLog = Integer.SIZE - Integer.numberOfLeadingZeros(maxLength - 1) + 1;
        return ZSTD_REST_LENGTH + (Integer.BYTES << Math.min(ZSTD_HASH_LOGS[level - 1], mostLog)) +
            (Integer.BYTES << Math.min(ZSTD_CHAIN_LOGS[level - 1], mostLog));
    }
}
