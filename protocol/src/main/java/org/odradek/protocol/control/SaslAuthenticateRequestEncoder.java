// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes SaslAuthenticate requests, versions 0 to 2, each of which carries one message of a SASL mechanism.
 * <pre>
 *  RequestHeader
 *  authBytes           bytes
 *  tags                from 2   none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_SaslAuthenticate">SaslAuthenticate in the protocol
 *     guide</a>
 */
public final class SaslAuthenticateRequestEncoder
{
    /** Length of authBytes and tag count. */
    private static final int MAX_FIXED_LENGTH = 5 + 1;

    private final byte[] clientId;
    private final WireWriter writer = new WireWriter();

    /** @param clientId may be null. */
    public SaslAuthenticateRequestEncoder(final String clientId)
    {
        this.clientId = WireWriter.encode(clientId);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int build(final MutableDirectBuffer buffer, final int version, final byte[] authBytes)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.SASL_AUTHENTICATE, version, clientId);
        writer.byteField(authBytes).noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** Largest length of a frame with this message, in any version. */
    public int maxFrameLength(final byte[] authBytes)
    {
        return RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + authBytes.length;
    }
}
