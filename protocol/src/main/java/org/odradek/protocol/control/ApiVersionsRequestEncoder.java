// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes ApiVersions requests, versions 0 to 5, which ask a broker for the versions that it supports of each API.
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
    /** With a null cluster id: any broker may respond. */
    private static final int NULL_NODE_ID = -1;

    private static final int MAX_FIXED_LENGTH = 6;

    private final byte[] clientId;
    private final byte[] softwareName;
    private final byte[] softwareVersion;
    private final WireWriter writer = new WireWriter();
    private int nodeId = NULL_NODE_ID;
    private byte[] clusterId;

    /**
     * @param clientId        may be null.
     * @param softwareName    letters, digits, and in the middle also dots and dashes; brokers refuse others.
     * @param softwareVersion as softwareName.
     */
    public ApiVersionsRequestEncoder(final String clientId, final String softwareName, final String softwareVersion)
    {
        this.clientId = WireWriter.encode(clientId);
        this.softwareName = WireWriter.encode(softwareName);
        this.softwareVersion = WireWriter.encode(softwareVersion);
    }

    /**
     * Sets the expected broker; any other responds with REBOOTSTRAP_REQUIRED (KIP-1242). Must be set before
     * {@link #build}, and is sent from version 5 on.
     *
     * @param newClusterId in UTF-8, or null; then the node id is not sent either, because brokers require both or none.
     * @param newNodeId    node id of the broker.
     * @return this.
     */
    public ApiVersionsRequestEncoder expected(final byte[] newClusterId, final int newNodeId)
    {
        clusterId = newClusterId;
        nodeId = newClusterId == null ? NULL_NODE_ID : newNodeId;
        return this;
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int build(final MutableDirectBuffer buffer, final int version)
    {
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
        return RequestHeaderEncoder.end(writer);
    }

    public int maxFrameLength()
    {
        return RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH +
            WireWriter.maxStringLength(softwareName) + WireWriter.maxStringLength(softwareVersion) +
            WireWriter.maxStringLength(clusterId);
    }
}
