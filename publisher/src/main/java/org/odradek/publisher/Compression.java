// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.protocol.record.CompressionType;

/** Determines how the records of a batch are compressed. A batch that would not become shorter is sent uncompressed. */
public enum Compression
{
    /** Records are not compressed. */
    NONE(CompressionType.NONE, 0, 0),
    /** Gzip has levels 1 to 9; the default level is 6. */
    GZIP(CompressionType.GZIP, 1, 9),
    /** Snappy has no levels. */
    SNAPPY(CompressionType.SNAPPY, 0, 0),
    /** LZ4 has levels 1 to 17. By default the fast compressor of LZ4 is used, which has no level. */
    LZ4(CompressionType.LZ4, 1, 17),
    /** Zstandard has levels 1 to 22; the default level is 3. Brokers before 2.1 do not support Zstandard. */
    ZSTD(CompressionType.ZSTD, 1, 22);

    final int codec;
    final int minLevel;
    final int maxLevel;

    Compression(final int codec, final int minLevel, final int maxLevel)
    {
        this.codec = codec;
        this.minLevel = minLevel;
        this.maxLevel = maxLevel;
    }

    boolean hasLevels()
    {
        return maxLevel > 0;
    }
}
