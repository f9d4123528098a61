// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes FindCoordinator requests, versions 0 to 6, which ask any broker for the coordinator of a group.
 * {@link #build} writes a frame at index 0 of a buffer and allocates nothing.
 * <pre>
 *  RequestHeader
 *  key                 string  up to 3
 *  keyType             int8    from 1   0: a group
 *  coordinatorKeys     array   from 4   of one string
 *  tags                from 3           none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_FindCoordinator">FindCoordinator in the protocol
 *     guide</a>
 */
public final class FindCoordinatorRequestEncoder
{
    private static final byte GROUP_KEY_TYPE = 0;

    /** keyType, the count of keys, tag count. */
    private static final int MAX_FIXED_LENGTH = 1 + 4 + 1;

    private final byte[] clientId;
    private final byte[] groupId;
    private final WireWriter writer = new WireWriter();

    /** @param clientId may be null. */
    public FindCoordinatorRequestEncoder(final String clientId, final String groupId)
    {
        this.clientId = WireWriter.encode(clientId);
        this.groupId = WireWriter.encodeGroupId(groupId);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int build(final MutableDirectBuffer buffer, final int version)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.FIND_COORDINATOR, version, clientId);
        if (version <= 3)
        {
            writer.string(groupId);
        }
        if (version >= 1)
        {
            writer.int8(GROUP_KEY_TYPE);
        }
        if (version >= 4)
        {
            writer.arrayCount(1).string(groupId);
        }
        writer.noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** Largest length of a frame, in any version. */
    public int maxFrameLength()
    {
        return RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId);
    }
}
