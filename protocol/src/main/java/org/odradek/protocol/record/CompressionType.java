// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

/** The three low bits of a batch's attributes. */
public final class CompressionType
{
    public static final int NONE = 0;
    public static final int GZIP = 1;
    public static final int SNAPPY = 2;
    public static final int LZ4 = 3;
    public static final int ZSTD = 4;

    private static final String[] NAMES = {"none", "gzip", "snappy", "lz4", "zstd"};

    private CompressionType()
    {
    }

    /**
     * @param type as {@link RecordBatchFlyweight#compressionType()} gives it.
     * @return Kafka's name of it, or "unknown codec N".
     */
    public static String name(final int type)
    {
        return type >= 0 && type < NAMES.length ? NAMES[type] : "unknown codec " + type;
    }
}
