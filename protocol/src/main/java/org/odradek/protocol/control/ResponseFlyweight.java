// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireReader;

/** What the views of responses have in common. Their values are valid until the buffer is filled again. */
public abstract class ResponseFlyweight
{
    final WireReader reader = new WireReader();
    int throttleTimeMs;
    short errorCode;

    ResponseFlyweight()
    {
    }

    /** Moves the reader past the header. */
    final void wrapBody(
        final ApiKey apiKey, final int version, final DirectBuffer buffer, final int index, final int limit)
    {
        ResponseHeader.wrapBody(reader, apiKey, version, buffer, index, limit);
    }

    public final DirectBuffer buffer()
    {
        return reader.buffer();
    }

    /** How long the broker asks the client to send nothing; 0 if the response does not say. */
    public final int throttleTimeMs()
    {
        return throttleTimeMs;
    }

    /** The error code of the whole response; 0 if it has none. */
    public final short errorCode()
    {
        return errorCode;
    }

    /** The index of the first byte that has not been read. */
    final int index()
    {
        return reader.index();
    }
}
