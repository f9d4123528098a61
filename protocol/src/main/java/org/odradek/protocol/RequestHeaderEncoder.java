// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.MutableDirectBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Writes the header at the beginning of every request frame. Header version 2, of flexible versions, adds tags but
 * keeps the int16 length of the client id.
 * <pre>
 *  0    size           int32   bytes after this field
 *  4    apiKey         int16
 *  6    apiVersion     int16
 *  8    correlationId  int32
 * 12    clientId       nullable string, int16 length
 *       tags           header 2 only
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#protocol_messages">Headers in the protocol guide</a>
 */
public final class RequestHeaderEncoder
{
    private static final int SIZE_FIELD_OFFSET = 0;
    private static final int API_KEY_FIELD_OFFSET = SIZE_FIELD_OFFSET + Integer.BYTES;
    private static final int API_VERSION_FIELD_OFFSET = API_KEY_FIELD_OFFSET + Short.BYTES;
    private static final int CORRELATION_ID_FIELD_OFFSET = API_VERSION_FIELD_OFFSET + Short.BYTES;
    private static final int CLIENT_ID_FIELD_OFFSET = CORRELATION_ID_FIELD_OFFSET + Integer.BYTES;

    private RequestHeaderEncoder()
    {
    }

    /** Begins a frame at index 0 of the buffer and leaves the writer at the beginning of the body. */
    public static void begin(
        final WireWriter writer,
        final MutableDirectBuffer buffer,
        final ApiKey apiKey,
        final int version,
        final byte[] clientId)
    {
        apiKey.checkVersion(version);
        writer.wrap(buffer, 0, apiKey.isFlexible(version))
            .int32(0)
            .int16(apiKey.key())
            .int16(version)
            .int32(0)
            .classicString(clientId)
            .noTags();
    }

    /**
     * Stores the size at the beginning of a complete frame.
     *
     * @return length of the whole frame.
     */
    public static int end(final WireWriter writer)
    {
        final int frameLength = writer.index();
        writer.buffer().putInt(SIZE_FIELD_OFFSET, frameLength - API_KEY_FIELD_OFFSET, BIG_ENDIAN);
        return frameLength;
    }

    public static void correlationId(final MutableDirectBuffer frame, final int correlationId)
    {
        frame.putInt(CORRELATION_ID_FIELD_OFFSET, correlationId, BIG_ENDIAN);
    }

    public static int maxLength(final byte[] clientId)
    {
        return CLIENT_ID_FIELD_OFFSET + WireWriter.maxStringLength(clientId);
    }
}
