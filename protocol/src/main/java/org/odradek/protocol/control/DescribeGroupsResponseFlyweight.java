// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireError;

/**
 * A view of a DescribeGroups response, versions 5 and 6, up to the number of members of its first group. The members,
 * whose metadata can be large, are not read, so the first part of a response that does not fit into its buffer is
 * enough. The values are valid until the buffer is filled again.
 * <pre>
 *  throttleTimeMs         int32
 *  groups                 array
 *    errorCode            int16           from 6: 69 if there is no such group, or it is not a classic one
 *    errorMessage         nullable string from 6
 *    groupId              string
 *    groupState           string          in 5 it is Dead instead of that error
 *    protocolType         string          consumer, or that of another kind of client
 *    protocolData         string          the assignor
 *    members              array
 *    ...                                  not read from here on
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_DescribeGroups">DescribeGroups in the protocol
 *     guide</a>
 */
public final class DescribeGroupsResponseFlyweight extends ResponseFlyweight
{
    private static final int FIRST_WITH_ERROR_MESSAGE = 6;

    private int groupStateIndex;
    private int groupStateLength;
    private int protocolTypeIndex;
    private int protocolTypeLength;
    private int memberCount;

    /** @param index first byte after the correlation id. */
    public DescribeGroupsResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        wrapBody(ApiKey.DESCRIBE_GROUPS, version, buffer, index, limit);
        throttleTimeMs = reader.int32(Field.THROTTLE_TIME_MS);
        if (reader.nullableLength(Field.GROUPS) <= 0)
        {
            throw WireError.EMPTY.at(Field.GROUPS, reader.index());
        }
        errorCode = reader.int16(Field.ERROR_CODE);
        if (version >= FIRST_WITH_ERROR_MESSAGE)
        {
            reader.nullableString(Field.ERROR_MESSAGE);
        }
        reader.string(Field.GROUP_ID);
        groupStateLength = reader.string(Field.GROUP_STATE);
        groupStateIndex = reader.valueIndex();
        protocolTypeLength = reader.string(Field.PROTOCOL_TYPE);
        protocolTypeIndex = reader.valueIndex();
        reader.string(Field.PROTOCOL_DATA);
        memberCount = Math.max(0, reader.nullableLength(Field.MEMBERS));
        return this;
    }

    public int groupStateIndex()
    {
        return groupStateIndex;
    }

    public int groupStateLength()
    {
        return groupStateLength;
    }

    public int protocolTypeIndex()
    {
        return protocolTypeIndex;
    }

    public int protocolTypeLength()
    {
        return protocolTypeLength;
    }

    /** 0 or more. It is not compared with the bytes that are left, so it must bound no loop and no allocation. */
    public int memberCount()
    {
        return memberCount;
    }
}
