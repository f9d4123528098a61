// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.protocol.record.CompressionType;

/** How the records of a batch are compressed. A batch that would not become shorter is sent as it is. */
public enum Compression
{
    /** Not at all. */
    NONE(CompressionType.NONE, 0, 0),
    /** Levels 1 to 9; 6 unless set. It takes by far the most CPU time of all. */
    GZIP(CompressionType.GZIP, 1, 9),
    /** Has no levels. */
    SNAPPY(CompressionType.SNAPPY, 0, 0),
    /** Levels 1 to 17; the fastest one, which has no number, unless set. */
    LZ4(CompressionType.LZ4, 1, 17),
    /** Levels 1 to 22; 3 unless set. Brokers before 2.1 refuse it. */
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
