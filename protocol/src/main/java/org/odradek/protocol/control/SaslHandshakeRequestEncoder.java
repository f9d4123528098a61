// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes SaslHandshake requests, versions 0 and 1, which tell a broker the mechanism of the authentication that
 * follows. After version 0 the messages of the mechanism follow without Kafka's headers; after version 1 they are in
 * SaslAuthenticate requests.
 * <pre>
 *  RequestHeader
 *  mechanism           string
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_SaslHandshake">SaslHandshake in the protocol
 *     guide</a>
 */
public final class SaslHandshakeRequestEncoder
{
    private final byte[] clientId;
    private final byte[] mechanism;
    private final WireWriter writer = new WireWriter();

    /**
     * @param clientId  may be null.
     * @param mechanism such as PLAIN.
     */
    public SaslHandshakeRequestEncoder(final String clientId, final String mechanism)
    {
        this.clientId = WireWriter.encode(clientId);
        this.mechanism = WireWriter.encode(mechanism);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int build(final MutableDirectBuffer buffer, final int version)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.SASL_HANDSHAKE, version, clientId);
        writer.string(mechanism);
        return RequestHeaderEncoder.end(writer);
    }

    /** Largest length of a frame, in any version. */
    public int maxFrameLength()
    {
        return RequestHeaderEncoder.maxLength(clientId) + WireWriter.maxStringLength(mechanism);
    }
}
