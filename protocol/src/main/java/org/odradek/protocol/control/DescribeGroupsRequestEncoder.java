// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes DescribeGroups requests, versions 5 and 6, which ask a coordinator for one classic group. {@link #build}
 * writes a frame at index 0 of a buffer.
 * <pre>
 *  RequestHeader
 *  groups                       array   of one string
 *  includeAuthorizedOperations  bool    false
 *  tags                                 none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_DescribeGroups">DescribeGroups in the protocol
 *     guide</a>
 */
public final class DescribeGroupsRequestEncoder
{
    /** The count of groups, includeAuthorizedOperations, tag count. */
    private static final int MAX_FIXED_LENGTH = 4 + 1 + 1;

    private final byte[] clientId;
    private final byte[] groupId;
    private final WireWriter writer = new WireWriter();

    /** @param clientId may be null. */
    public DescribeGroupsRequestEncoder(final String clientId, final String groupId)
    {
        this.clientId = WireWriter.encode(clientId);
        this.groupId = WireWriter.encodeGroupId(groupId);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int build(final MutableDirectBuffer buffer, final int version)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.DESCRIBE_GROUPS, version, clientId);
        writer.arrayCount(1).string(groupId).bool(false).noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** Largest length of a frame. */
    public int maxFrameLength()
    {
        return RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId);
    }
}
