// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.MemoryBudget;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.OffsetFetchRequestEncoder;
import org.odradek.protocol.control.OffsetFetchResponseFlyweight;

import java.util.ArrayList;
import java.util.List;

/**
 * Questions for the offsets that are stored under a group id; all that wait are answered by one request.
 */
final class GroupFetches
{

    private final FetchTopic topic;
    private final OffsetFetchRequestEncoder request;
    private final OffsetFetchResponseFlyweight response = new OffsetFetchResponseFlyweight();
    private final RequestFrame requestFrame;
    private final List<GroupQuery> waiting = new ArrayList<>();
    private final List<GroupQuery> sent = new ArrayList<>();
    private int requestVersion;
    private int throttleTimeMs;

    GroupFetches(final String clientId, final String groupId, final FetchTopic topic, final MemoryBudget budget)
    {
        this.topic = topic;
        request = new OffsetFetchRequestEncoder(clientId, groupId, topic.name());
        requestFrame = new RequestFrame(budget, request.maxFrameLength(1));
    }

    void ask(final GroupQuery query)
    {
        waiting.add(query);
    }

    boolean isWaiting()
    {
        return !waiting.isEmpty();
    }

    void send(final BrokerConnection connection, final int partitionCount)
    {
        final int common = connection.version(ApiKey.OFFSET_FETCH);
        requestVersion = topic.hasId() ? common :
            Math.min(common, OffsetFetchRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID - 1);
        requestFrame.ensureCapacity(request.maxFrameLength(partitionCount));
        request.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits())
            .build(requestFrame.buffer(), requestVersion, partitionCount)
            .correlationId(connection.nextCorrelationId());
        for (int p = 0; p < partitionCount; p++)
        {
            request.entry(p, p);
        }
        waiting.forEach((query) -> query.onAsked(partitionCount));
        sent.addAll(waiting);
        waiting.clear();
        connection.send(requestFrame, request.frameLength());
    }

    /**
     * Take the answer in: either all partitions have theirs, or all are asked about again, or the questions have
     * failed.
     *
     * @param coordinator to be told of errors.
     */
    void read(final BrokerConnection connection, final GroupCoordinator coordinator)
    {
        response.wrap(connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(),
            requestVersion);
        throttleTimeMs = ApiKey.OFFSET_FETCH.isThrottledByClient(requestVersion) ? response.throttleTimeMs() : 0;
        short errorCode = ErrorCode.NONE;
        while (response.nextPartition())
        {
            final short partitionErrorCode = response.partitionErrorCode();
            if (partitionErrorCode != ErrorCode.NONE)
            {
                errorCode = partitionErrorCode;
            }
            else if (topic.isAnswered(response.topic()))
            {
                sent.forEach((query) -> query.onOffset(
                    response.partition(), response.committedOffset(), response.committedLeaderEpoch()));
            }
        }
        finish(response.groupErrorCode() == ErrorCode.NONE ? errorCode : response.groupErrorCode(), coordinator);
    }

    private void finish(final short errorCode, final GroupCoordinator coordinator)
    {
        if (errorCode == ErrorCode.NONE)
        {
            sent.forEach(GroupQuery::onAnswered);
            sent.clear();
            coordinator.onStored();
        }
        else if (coordinator.onError(errorCode))
        {
            onLost();
        }
        else
        {
            sent.forEach((query) -> query.onFailed(errorCode));
            sent.clear();
        }
    }

    void onLost()
    {
        waiting.addAll(sent);
        sent.clear();
    }

    void fail(final short errorCode)
    {
        waiting.forEach((query) -> query.onFailed(errorCode));
        waiting.clear();
    }

    /**
     * How long the broker asks to be left alone, as of the last answer.
     */
    int throttleTimeMs()
    {
        return throttleTimeMs;
    }

    void free()
    {
        requestFrame.free();
    }
}
