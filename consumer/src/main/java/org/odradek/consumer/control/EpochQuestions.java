// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.OffsetForLeaderEpochRequestEncoder;
import org.odradek.protocol.control.OffsetForLeaderEpochResponseFlyweight;

import java.util.ArrayList;
import java.util.List;

/**
 * What one leader is asked in one OffsetForLeaderEpoch request.
 */
final class EpochQuestions
{
    private final OffsetForLeaderEpochRequestEncoder request;
    private final OffsetForLeaderEpochResponseFlyweight response = new OffsetForLeaderEpochResponseFlyweight();
    private final List<PositionCheck> asked = new ArrayList<>();
    private int version;

    EpochQuestions(final String clientId, final String topic)
    {
        request = new OffsetForLeaderEpochRequestEncoder(clientId, topic);
    }

    int maxFrameLength(final int count)
    {
        return request.maxFrameLength(count);
    }

    List<PositionCheck> asked()
    {
        return asked;
    }

    /**
     * @return the length of the request in bytes.
     */
    int build(final RequestFrame frame, final int newVersion, final int correlationId, final PartitionTable table)
    {
        version = newVersion;
        frame.ensureCapacity(maxFrameLength(asked.size()));
        request.build(frame.buffer(), version, asked.size());
        for (int i = 0; i < asked.size(); i++)
        {
            final PositionCheck check = asked.get(i);
            request.entry(i, check.partition(), table.leaderEpoch(check.partition()), check.offsetEpoch());
        }
        request.correlationId(correlationId);
        return request.frameLength();
    }

    /**
     * Give the answers to who asked.
     */
    void read(final BrokerConnection connection, final PositionValidator validator)
    {
        response.wrap(connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX,
            connection.responseLimit(), version);
        while (response.nextPartition())
        {
            final PositionCheck check = take(response.partition());
            if (check != null && response.partitionErrorCode() == ErrorCode.NONE)
            {
                validator.onAnswer(check, connection.nodeId(), response.leaderEpoch(), response.endOffset());
            }
            else if (check != null)
            {
                validator.onError(check, connection.nodeId(), response.partitionErrorCode());
            }
        }
        // To ask again at once for what was left out would be as fast as the broker answers.
        for (final PositionCheck check : asked)
        {
            validator.onError(check, connection.nodeId(), ErrorCode.UNKNOWN_SERVER_ERROR);
        }
        connection.throttle(response.throttleTimeMs());
    }

    private PositionCheck take(final int partition)
    {
        for (int i = 0; i < asked.size(); i++)
        {
            if (asked.get(i).partition() == partition)
            {
                return asked.remove(i);
            }
        }
        return null;
    }
}
