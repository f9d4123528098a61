// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.MemoryBudget;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.OffsetCommitRequestEncoder;
import org.odradek.protocol.control.OffsetCommitResponseFlyweight;

import java.util.Arrays;

/**
 * Offsets that are to be stored under a group id: of each partition the newest that waits, the one that is on its way,
 * and the one that is stored. What waits is overtaken by what comes after it. Makes nothing once it has seen all
 * partitions.
 */
final class GroupCommits
{
    private static final long NULL_OFFSET = -1;

    private final FetchTopic topic;
    private final OffsetCommitRequestEncoder request;
    private final OffsetCommitResponseFlyweight response = new OffsetCommitResponseFlyweight();
    private final RequestFrame requestFrame;
    private int requestVersion;
    private int waitingCount;
    private int sentCount;
    private int throttleTimeMs;
    private long[] waiting = {};
    private int[] waitingEpochs = {};
    private long[] sent = {};
    private int[] sentEpochs = {};
    private long[] stored = {};
    private short[] errorCodes = {};

    GroupCommits(final String clientId, final String groupId, final FetchTopic topic, final MemoryBudget budget)
    {
        this.topic = topic;
        request = new OffsetCommitRequestEncoder(clientId, groupId, topic.name());
        requestFrame = new RequestFrame(budget, request.maxFrameLength(1));
    }

    void commit(final int partition, final long nextOffset, final int leaderEpoch)
    {
        if (partition >= waiting.length)
        {
            ensureCapacity(partition + 1);
        }
        waitingCount += waiting[partition] == NULL_OFFSET ? 1 : 0;
        waiting[partition] = nextOffset;
        waitingEpochs[partition] = leaderEpoch;
        errorCodes[partition] = ErrorCode.NONE;
    }

    private void ensureCapacity(final int count)
    {
        final int before = waiting.length;
        waiting = Arrays.copyOf(waiting, count);
        waitingEpochs = Arrays.copyOf(waitingEpochs, count);
        sent = Arrays.copyOf(sent, count);
        sentEpochs = Arrays.copyOf(sentEpochs, count);
        stored = Arrays.copyOf(stored, count);
        errorCodes = Arrays.copyOf(errorCodes, count);
        Arrays.fill(waiting, before, count, NULL_OFFSET);
        Arrays.fill(sent, before, count, NULL_OFFSET);
        Arrays.fill(stored, before, count, NULL_OFFSET);
    }

    boolean isWaiting()
    {
        return waitingCount > 0;
    }

    boolean isIdle()
    {
        return waitingCount == 0 && sentCount == 0;
    }

    long storedOffset(final int partition)
    {
        return partition < stored.length ? stored[partition] : NULL_OFFSET;
    }

    short errorCode(final int partition)
    {
        return partition < errorCodes.length ? errorCodes[partition] : ErrorCode.NONE;
    }

    /**
     * Send all that waits.
     */
    void send(final BrokerConnection connection)
    {
        final int common = connection.version(ApiKey.OFFSET_COMMIT);
        requestVersion = topic.hasId() ? common :
            Math.min(common, OffsetCommitRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID - 1);
        requestFrame.ensureCapacity(request.maxFrameLength(waitingCount));
        request.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits())
            .build(requestFrame.buffer(), requestVersion, waitingCount)
            .correlationId(connection.nextCorrelationId());
        int slot = 0;
        for (int p = 0; p < waiting.length; p++)
        {
            if (waiting[p] != NULL_OFFSET)
            {
                request.entry(slot++, p, waiting[p], waitingEpochs[p]);
                sent[p] = waiting[p];
                sentEpochs[p] = waitingEpochs[p];
                waiting[p] = NULL_OFFSET;
            }
        }
        sentCount = waitingCount;
        waitingCount = 0;
        connection.send(requestFrame, request.frameLength());
    }

    /**
     * Take the answer in.
     *
     * @param coordinator to be told of errors.
     */
    void read(final BrokerConnection connection, final GroupCoordinator coordinator)
    {
        response.wrap(connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(),
            requestVersion);
        throttleTimeMs = ApiKey.OFFSET_COMMIT.isThrottledByClient(requestVersion) ? response.throttleTimeMs() : 0;
        while (response.nextPartition())
        {
            final int partition = response.partition();
            if (topic.isAnswered(response.topic()) && partition >= 0 && partition < sent.length &&
                sent[partition] != NULL_OFFSET)
            {
                onAnswer(partition, response.partitionErrorCode(), coordinator);
            }
        }
        // Of what the broker has left out nothing is known.
        onLost();
    }

    private void onAnswer(final int partition, final short errorCode, final GroupCoordinator coordinator)
    {
        if (errorCode == ErrorCode.NONE)
        {
            stored[partition] = sent[partition];
            coordinator.onStored();
        }
        else if (coordinator.onError(errorCode))
        {
            waitAgain(partition);
        }
        else
        {
            errorCodes[partition] = errorCode;
        }
        sent[partition] = NULL_OFFSET;
        sentCount--;
    }

    /**
     * What was on its way may or may not be stored: it waits again, unless something newer does.
     */
    void onLost()
    {
        for (int p = 0; p < sent.length && sentCount > 0; p++)
        {
            if (sent[p] != NULL_OFFSET)
            {
                waitAgain(p);
                sent[p] = NULL_OFFSET;
                sentCount--;
            }
        }
    }

    private void waitAgain(final int partition)
    {
        if (waiting[partition] == NULL_OFFSET)
        {
            waiting[partition] = sent[partition];
            waitingEpochs[partition] = sentEpochs[partition];
            waitingCount++;
        }
    }

    /**
     * Nothing of what waits can be stored.
     */
    void fail(final short errorCode)
    {
        for (int p = 0; p < waiting.length; p++)
        {
            if (waiting[p] != NULL_OFFSET)
            {
                waiting[p] = NULL_OFFSET;
                errorCodes[p] = errorCode;
            }
        }
        waitingCount = 0;
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
