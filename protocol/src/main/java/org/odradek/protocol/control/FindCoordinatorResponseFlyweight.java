// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireError;

/**
 * A view of a FindCoordinator response, versions 0 to 6, which {@link #wrap} reads completely. From version 4 on the
 * response is a list, of which the first entry is used, because requests ask for one group. The values are valid until
 * the buffer is filled again.
 * <pre>
 *  throttleTimeMs      int32   from 1
 *  up to 3:                                  from 4: array coordinators
 *    errorCode         int16                   key           string
 *    errorMessage      nullable, from 1        nodeId        int32
 *    nodeId            int32                   host          string
 *    host              string                  port          int32
 *    port              int32                   errorCode     int16
 *                                              errorMessage  nullable string
 *                                              tags
 *  tags                from 3
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_FindCoordinator">FindCoordinator in the protocol
 *     guide</a>
 */
public final class FindCoordinatorResponseFlyweight extends ResponseFlyweight
{
    private static final int MIN_COORDINATOR_LENGTH = 14;

    private int nodeId;
    private int port;
    private int hostIndex;
    private int hostLength;

    /** @param index first byte after the correlation id. */
    public FindCoordinatorResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        wrapBody(ApiKey.FIND_COORDINATOR, version, buffer, index, limit);
        throttleTimeMs = version >= 1 ? reader.int32(Field.THROTTLE_TIME_MS) : 0;
        if (version >= 4)
        {
            readList();
        }
        else
        {
            errorCode = reader.int16(Field.ERROR_CODE);
            if (version >= 1)
            {
                reader.nullableString(Field.ERROR_MESSAGE);
            }
            readAddress();
        }
        reader.skipTags();
        return this;
    }

    private void readList()
    {
        final int count = reader.arrayCount(Field.COORDINATORS, MIN_COORDINATOR_LENGTH);
        if (0 == count)
        {
            throw WireError.EMPTY.at(Field.COORDINATORS, reader.index());
        }
        readCoordinator();
        final short firstErrorCode = errorCode;
        final int firstNodeId = nodeId;
        final int firstPort = port;
        final int firstHostIndex = hostIndex;
        final int firstHostLength = hostLength;
        for (int i = 1; i < count; i++)
        {
            readCoordinator();
        }
        errorCode = firstErrorCode;
        nodeId = firstNodeId;
        port = firstPort;
        hostIndex = firstHostIndex;
        hostLength = firstHostLength;
    }

    private void readCoordinator()
    {
        reader.string(Field.KEY);
        readAddress();
        errorCode = reader.int16(Field.ERROR_CODE);
        reader.nullableString(Field.ERROR_MESSAGE);
        reader.skipTags();
    }

    private void readAddress()
    {
        nodeId = reader.int32(Field.NODE_ID);
        hostLength = reader.string(Field.HOST);
        hostIndex = reader.valueIndex();
        port = reader.int32(Field.PORT);
    }

    /** -1 with an error. */
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
