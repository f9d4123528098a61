// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.consumer.net.BrokerConnection;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.control.FindCoordinatorResponseFlyweight;

/**
 * Which broker keeps the offsets of a group?
 */
final class CoordinatorQuestion extends Question<CoordinatorQuestion.Place>
{
    private static final byte GROUP_KEY_TYPE = 0;
    private static final int MAX_FIXED_LENGTH = 16;

    private final byte[] groupId;

    CoordinatorQuestion(final String clientId, final String groupId)
    {
        super(ApiKey.FIND_COORDINATOR, ApiKey.FIND_COORDINATOR.maxVersion(), clientId);
        this.groupId = WireWriter.encode(groupId);
    }

    @Override
    int maxBodyLength()
    {
        return MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId);
    }

    @Override
    void write(final WireWriter writer, final int version)
    {
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
    }

    @Override
    Place read(final BrokerConnection connection, final int version)
    {
        final FindCoordinatorResponseFlyweight response = new FindCoordinatorResponseFlyweight().wrap(
            connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(), version);
        return new Place(response.errorCode(),
            string(response.buffer(), response.hostIndex(), response.hostLength()), response.port());
    }

    record Place(short errorCode, String host, int port)
    {
    }
}
