// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Asks a broker which versions of which APIs it speaks, versions 0 to 5.
 * <pre>
 *  RequestHeader
 *  clientSoftwareName     string           from 3
 *  clientSoftwareVersion  string           from 3
 *  clusterId              nullable string  from 5
 *  nodeId                 int32            from 5
 *  tags                                    from 3
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_ApiVersions">ApiVersions in the protocol guide</a>
 */
public final class ApiVersionsRequestEncoder
{
    /** With a null cluster id it means that the broker need not be any certain one. */
    private static final int NULL_NODE_ID = -1;

    private static final int MAX_FIXED_LENGTH = 6;

    private final byte[] clientId;
    private final byte[] softwareName;
    private final byte[] softwareVersion;
    private final WireWriter writer = new WireWriter();
    private int nodeId = NULL_NODE_ID;
    private int frameLength;
    private byte[] clusterId;
    private MutableDirectBuffer buffer;

    /**
     * @param clientId        may be null.
     * @param softwareName    letters, digits, and inside also dots and dashes: brokers refuse others.
     * @param softwareVersion likewise.
     */
    public ApiVersionsRequestEncoder(final String clientId, final String softwareName, final String softwareVersion)
    {
        this.clientId = WireWriter.encode(clientId);
        this.softwareName = WireWriter.encode(softwareName);
        this.softwareVersion = WireWriter.encode(softwareVersion);
    }

    /**
     * Which broker is expected to answer; another answers REBOOTSTRAP_REQUIRED (KIP-1242). To be set before a frame is
     * built, and sent from version 5 on.
     *
     * @param newClusterId in UTF-8, or null: then the node id is left out as well, because brokers want both or
     *                     neither.
     * @param newNodeId    of the broker.
     * @return this.
     */
    public ApiVersionsRequestEncoder expected(final byte[] newClusterId, final int newNodeId)
    {
        clusterId = newClusterId;
        nodeId = newClusterId == null ? NULL_NODE_ID : newNodeId;
        return this;
    }

    public ApiVersionsRequestEncoder build(final MutableDirectBuffer buffer, final int version)
    {
        this.buffer = buffer;
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.API_VERSIONS, version, clientId);
        if (version >= 3)
        {
            writer.string(softwareName).string(softwareVersion);
        }
        if (version >= 5)
        {
            writer.string(clusterId).int32(nodeId);
        }
        writer.noTags();
        frameLength = RequestHeaderEncoder.end(writer);
        return this;
    }

    public void correlationId(final int correlationId)
    {
        RequestHeaderEncoder.correlationId(buffer, correlationId);
    }

    public int frameLength()
    {
        return frameLength;
    }

    public int maxFrameLength()
    {
        return RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH +
            WireWriter.maxStringLength(softwareName) + WireWriter.maxStringLength(softwareVersion) +
            WireWriter.maxStringLength(clusterId);
    }
}
