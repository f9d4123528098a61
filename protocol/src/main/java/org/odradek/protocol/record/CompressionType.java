// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

/** The numbers of the codecs, as in the three low bits of the attributes of a batch. */
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
     * @param type the number of a codec, such as {@link StoredBatch#compressionType()} returns.
     * @return the name that Kafka uses, or "unknown codec N".
     */
    public static String name(final int type)
    {
        return type >= 0 && type < NAMES.length ? NAMES[type] : "unknown codec " + type;
    }
}
