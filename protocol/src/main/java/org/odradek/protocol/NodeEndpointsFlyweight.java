// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;

/**
 * A cursor over the addresses of leaders (KIP-951) at the end of a Fetch response of version 16 or later, or of a
 * Produce response of version 10 or later. It is valid as long as the frame.
 * <pre>
 *  nodeId              int32
 *  host                string
 *  port                int32
 *  rack                nullable string
 *  tags
 * </pre>
 */
public final class NodeEndpointsFlyweight
{
    private static final int MIN_LENGTH = 11;

    private final WireReader reader = new WireReader();
    private int entriesLeft;
    private int nodeId;
    private int hostIndex;
    private int hostLength;
    private int port;

    /** Makes this a cursor over no addresses. */
    public NodeEndpointsFlyweight clear()
    {
        entriesLeft = 0;
        return this;
    }

    /** @param index of the array's count. */
    public NodeEndpointsFlyweight wrap(final DirectBuffer buffer, final int index, final int limit)
    {
        entriesLeft = 0;
        reader.wrap(buffer, index, limit, true);
        entriesLeft = reader.arrayCount(Field.NODE_ENDPOINTS, MIN_LENGTH, WireLimits.MAX_BROKERS);
        return this;
    }

    /**
     * Reads all addresses.
     *
     * @param index of the array's count.
     * @return the index after the array.
     */
    public int end(final DirectBuffer buffer, final int index, final int limit)
    {
        wrap(buffer, index, limit);
        while (next())
        {
            continue;
        }
        return reader.index();
    }

    public boolean next()
    {
        if (0 == entriesLeft)
        {
            return false;
        }
        entriesLeft--;
        final int start = reader.index();
        nodeId = reader.int32(Field.NODE_ID);
        if (nodeId < 0)
        {
            throw WireError.NEGATIVE.at(Field.NODE_ID, start, nodeId);
        }
        hostLength = reader.string(Field.HOST);
        hostIndex = reader.valueIndex();
        port = reader.int32(Field.PORT);
        reader.nullableString(Field.RACK);
        reader.skipTags();
        return true;
    }

    public int nodeId()
    {
        return nodeId;
    }

    public int hostIndex()
    {
        return hostIndex;
    }

    public int hostLength()
    {
        return hostLength;
    }

    public int port()
    {
        return port;
    }
}
