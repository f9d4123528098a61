// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;

/**
 * A view of the beginning of a Heartbeat response, versions 3 and 4, or of a LeaveGroup response, versions 3 to 5,
 * which is the same. The rest of a LeaveGroup response only repeats that the coordinator does not know the member any
 * more.
 * <pre>
 *  throttleTimeMs   int32
 *  errorCode        int16
 *  ...                       not read from here on
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_Heartbeat">Heartbeat in the protocol guide</a>
 */
public final class GroupErrorFlyweight extends ResponseFlyweight
{
    private final ApiKey apiKey;

    /** @param apiKey HEARTBEAT or LEAVE_GROUP. */
    public GroupErrorFlyweight(final ApiKey apiKey)
    {
        this.apiKey = apiKey;
    }

    /** @param index first byte after the correlation id. */
    public GroupErrorFlyweight wrap(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        wrapBody(apiKey, version, buffer, index, limit);
        throttleTimeMs = reader.int32(Field.THROTTLE_TIME_MS);
        errorCode = reader.int16(Field.ERROR_CODE);
        return this;
    }
}
