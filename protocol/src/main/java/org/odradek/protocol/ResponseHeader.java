// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Reads the header at the beginning of every response frame. Header version 1, of flexible versions, adds tags.
 * ApiVersions responses never have them, because a client reads them before it knows the broker's versions.
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

    /** Length up to the correlation id; response flyweights are wrapped at the index after it. */
    public static final int LENGTH = CORRELATION_ID_FIELD_OFFSET + Integer.BYTES;

    private ResponseHeader()
    {
    }

    /** @param index of the frame, of which at least {@link #LENGTH} bytes must have been received. */
    public static int correlationId(final DirectBuffer buffer, final int index)
    {
        return buffer.getInt(index + CORRELATION_ID_FIELD_OFFSET, BIG_ENDIAN);
    }

    /**
     * Wraps the reader around the bytes after the correlation id and moves it past the tags of the header, to the body.
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
