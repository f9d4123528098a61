// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.common;

/**
 * An offset to be stored by a group for a partition.
 *
 * @param offset    of the next message to read.
 * @param metadata  any text; null means none.
 * @param timestamp ignored: brokers use their own time.
 */
public record OffsetAndMetadata(long offset, String metadata, long timestamp)
{
    public OffsetAndMetadata(final long offset, final String metadata)
    {
        this(offset, metadata, InvalidTime());
    }

    public OffsetAndMetadata(final long offset)
    {
        this(offset, NoMetadata(), InvalidTime());
    }

    public static long InvalidOffset()
    {
        return -1;
    }

    public static String NoMetadata()
    {
        return "";
    }

    public static long InvalidTime()
    {
        return -1;
    }
}
