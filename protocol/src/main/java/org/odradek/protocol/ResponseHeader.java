// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * The beginning of every response frame. Header 1, that of flexible versions, adds the tags; ApiVersions never has
 * them.
 * <pre>
 *  0    size           int32   bytes after this field
 *  4    correlationId  int32
 *  8    tags           header 1 only
 * </pre>
 */
public final class ResponseHeader
{
    public static final int SIZE_FIELD_OFFSET = 0;
    public static final int CORRELATION_ID_FIELD_OFFSET = SIZE_FIELD_OFFSET + Integer.BYTES;

    /** Where a response's flyweight is wrapped: the first byte after the correlation id. */
    public static final int LENGTH = CORRELATION_ID_FIELD_OFFSET + Integer.BYTES;

    private ResponseHeader()
    {
    }

    /** @param index where the frame begins; {@link #LENGTH} bytes must be there. */
    public static int correlationId(final DirectBuffer buffer, final int index)
    {
        return buffer.getInt(index + CORRELATION_ID_FIELD_OFFSET, BIG_ENDIAN);
    }

    /**
     * Wraps the reader around what follows the correlation id and moves it over the header's tags, to the body.
     *
     * @param index first byte after the correlation id.
     */
    public static void wrapBody(
        final WireReader reader,
        final ApiKey apiKey,
        final int version,
        final DirectBuffer buffer,
        final int index,
        final int limit)
    {
        apiKey.checkVersion(version);
        reader.wrap(buffer, index, limit, apiKey.isFlexible(version));
        if (apiKey.responseHeaderVersion(version) == 1)
        {
            reader.skipTags();
        }
    }
}
