// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.common;

/**
 * An offset that a group stores for a partition.
 *
 * @param offset    the offset of the next message to read.
 * @param metadata  any text; null means an empty text.
 * @param timestamp ignored.
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
