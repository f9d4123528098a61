// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireError;
import org.odradek.protocol.WireReader;

/**
 * A view of a SaslAuthenticate response, versions 0 to 2, which {@link #wrap} reads completely: one message of a SASL
 * mechanism, or an error. The values are valid until the buffer is filled again.
 * <pre>
 *  errorCode           int16
 *  errorMessage        nullable string
 *  authBytes           bytes
 *  sessionLifetimeMs   int64   from 1   0: the session does not expire
 *  tags                from 2
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_SaslAuthenticate">SaslAuthenticate in the protocol
 *     guide</a>
 */
public final class SaslAuthenticateResponseFlyweight extends ResponseFlyweight
{
    private int errorMessageIndex;
    private int errorMessageLength;
    private int authBytesIndex;
    private int authBytesLength;
    private long sessionLifetimeMs;

    /** @param index first byte after the correlation id. */
    public SaslAuthenticateResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        wrapBody(ApiKey.SASL_AUTHENTICATE, version, buffer, index, limit);
        errorCode = reader.int16(Field.ERROR_CODE);
        errorMessageLength = reader.nullableString(Field.ERROR_MESSAGE);
        errorMessageIndex = reader.valueIndex();
        final int start = reader.index();
        authBytesLength = reader.nullableBytes(Field.AUTH_BYTES);
        if (authBytesLength == WireReader.NULL_LENGTH)
        {
            throw WireError.NULL.at(Field.AUTH_BYTES, start);
        }
        authBytesIndex = reader.valueIndex();
        sessionLifetimeMs = version >= 1 ? reader.int64(Field.SESSION_LIFETIME_MS) : 0;
        reader.skipTags();
        return this;
    }

    public int errorMessageIndex()
    {
        return errorMessageIndex;
    }

    /** -1 if there is no message. */
    public int errorMessageLength()
    {
        return errorMessageLength;
    }

    public int authBytesIndex()
    {
        return authBytesIndex;
    }

    public int authBytesLength()
    {
        return authBytesLength;
    }

    /** The time until the broker requires another authentication; 0 if it requires none. */
    public long sessionLifetimeMs()
    {
        return sessionLifetimeMs;
    }
}
