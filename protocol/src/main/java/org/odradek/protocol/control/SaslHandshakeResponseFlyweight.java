// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireLimits;

/**
 * A view of a SaslHandshake response, versions 0 and 1: whether the broker supports the mechanism, and the mechanisms
 * that it supports. {@link #wrap} checks the whole response. The values are valid until the buffer is filled again.
 * <pre>
 *  errorCode           int16
 *  mechanisms          array of string
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_SaslHandshake">SaslHandshake in the protocol
 *     guide</a>
 */
public final class SaslHandshakeResponseFlyweight extends ResponseFlyweight
{
    private static final int MIN_MECHANISM_LENGTH = Short.BYTES;

    private int mechanismCount;
    private int nextMechanism;
    private int mechanismLength;

    /** @param index first byte after the correlation id. */
    public SaslHandshakeResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        wrapBody(ApiKey.SASL_HANDSHAKE, version, buffer, index, limit);
        errorCode = reader.int16(Field.ERROR_CODE);
        mechanismCount = reader.arrayCount(Field.MECHANISMS, MIN_MECHANISM_LENGTH, WireLimits.MAX_MECHANISMS);
        nextMechanism = 0;
        mechanismLength = 0;
        final int mechanismsIndex = reader.index();
        for (int i = 0; i < mechanismCount; i++)
        {
            reader.string(Field.MECHANISMS);
        }
        reader.index(mechanismsIndex);
        return this;
    }

    /** Moves to the next mechanism; false after the last one. */
    public boolean nextMechanism()
    {
        if (nextMechanism >= mechanismCount)
        {
            return false;
        }
        nextMechanism++;
        mechanismLength = reader.string(Field.MECHANISMS);
        return true;
    }

    /** Index of the current mechanism's first byte. */
    public int mechanismIndex()
    {
        return reader.valueIndex();
    }

    public int mechanismLength()
    {
        return mechanismLength;
    }
}
