// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.DirectBuffer;
import org.odradek.consumer.cluster.ControlRequest;
import org.odradek.consumer.cluster.UnknownPartition;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.OffsetCommitRequestEncoder;
import org.odradek.protocol.control.OffsetCommitResponseFlyweight;

import java.util.Arrays;

/**
 * The offsets to commit under a group id and the request that commits them. It holds, of each partition, the offset
 * that waits, the one in flight, and the one that the coordinator has confirmed. An offset that waits is replaced by a
 * newer one. Nothing is allocated once all partitions have been committed.
 * <p>
 * An offset of a partition that the brokers do not know is retried for a while ({@link UnknownPartition}).
 * <p>
 * As a member of the group, it sends the member's epoch. When the coordinator refuses that, the offsets wait until a
 * heartbeat has shown whether the member still owns the partitions.
 */
final class OffsetCommits extends ControlRequest
{
    private static final long NULL_OFFSET = -1;

    private final FetchTopic topic;
    private final DutyClock clock;
    private final OffsetCommitRequestEncoder request;
    private final OffsetCommitResponseFlyweight response = new OffsetCommitResponseFlyweight();
    /** Null without a member. */
    private String memberId;
    private int waitingCount;
    private int sentCount;
    private int leftOutPartition = -1;
    private int gonePartition = -1;
    /** Of the topic whose offsets these are. */
    private int seenRecreations;
    private short errorCode;
    private long[] waiting = {};
    private int[] waitingEpochs = {};
    private long[] sent = {};
    private int[] sentEpochs = {};
    private long[] committed = {};
    private long[] unknownSinceNs = {};
    private short[] errorCodes = {};

    OffsetCommits(final String groupId, final FetchTopic topic, final Environment environment)
    {
        super(ApiKey.OFFSET_COMMIT, environment.settings().retryBackoff());
        this.topic = topic;
        clock = environment.clock();
        seenRecreations = topic.recreations();
        request = new OffsetCommitRequestEncoder(environment.settings().clientId, groupId, topic.name());
    }

    /**
     * Must be set before the request is sent, if there is a member.
     *
     * @param instanceId null for a dynamic member.
     */
    void member(final String newMemberId, final String instanceId)
    {
        if (!newMemberId.equals(memberId))
        {
            memberId = newMemberId;
            request.member(newMemberId, instanceId);
        }
    }

    /** Must be set before the request is sent, if there is a member. */
    void memberEpoch(final int epoch)
    {
        request.memberEpoch(epoch);
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

    private void ensureCapacity(final int needed)
    {
        final int before = waiting.length;
        final int count = Math.max(needed, before + (before >> 1));
        waiting = Arrays.copyOf(waiting, count);
        waitingEpochs = Arrays.copyOf(waitingEpochs, count);
        sent = Arrays.copyOf(sent, count);
        sentEpochs = Arrays.copyOf(sentEpochs, count);
        committed = Arrays.copyOf(committed, count);
        unknownSinceNs = Arrays.copyOf(unknownSinceNs, count);
        errorCodes = Arrays.copyOf(errorCodes, count);
        Arrays.fill(unknownSinceNs, before, count, UnknownPartition.NEVER);
        Arrays.fill(waiting, before, count, NULL_OFFSET);
        Arrays.fill(sent, before, count, NULL_OFFSET);
        Arrays.fill(committed, before, count, NULL_OFFSET);
    }

    /** Gives up the offsets of a topic that was deleted and created again: they mean other records now. */
    void checkTopic()
    {
        if (topic.recreations() != seenRecreations)
        {
            seenRecreations = topic.recreations();
            for (int p = 0; p < waiting.length; p++)
            {
                final boolean isRefused = isOutstanding(p);
                discard(p);
                errorCodes[p] = isRefused ? ErrorCode.INCONSISTENT_TOPIC_ID : ErrorCode.NONE;
            }
        }
    }

    boolean isWaiting()
    {
        return waitingCount > 0;
    }

    boolean isIdle()
    {
        return waitingCount == 0 && sentCount == 0;
    }

    /** Whether an offset of a partition waits or is in flight. */
    boolean isOutstanding(final int partition)
    {
        return partition < waiting.length && (waiting[partition] != NULL_OFFSET || sent[partition] != NULL_OFFSET);
    }

    /** The offset of a partition that waits, or else is in flight, or else was confirmed last; -1 for none. */
    long newestOffset(final int partition)
    {
        if (!isOutstanding(partition))
        {
            return committedOffset(partition);
        }
        return waiting[partition] == NULL_OFFSET ? sent[partition] : waiting[partition];
    }

    /** Forgets a partition: what waits is not sent, and the answer to what is in flight is ignored. */
    void discard(final int partition)
    {
        if (partition < waiting.length)
        {
            waitingCount -= waiting[partition] == NULL_OFFSET ? 0 : 1;
            sentCount -= sent[partition] == NULL_OFFSET ? 0 : 1;
            waiting[partition] = NULL_OFFSET;
            sent[partition] = NULL_OFFSET;
            committed[partition] = NULL_OFFSET;
            unknownSinceNs[partition] = UnknownPartition.NEVER;
            errorCodes[partition] = ErrorCode.NONE;
        }
    }

    long committedOffset(final int partition)
    {
        return partition >= 0 && partition < committed.length ? committed[partition] : NULL_OFFSET;
    }

    short errorCode(final int partition)
    {
        return partition >= 0 && partition < errorCodes.length ? errorCodes[partition] : ErrorCode.NONE;
    }

    /** The first error of the response that was read last. */
    short errorCode()
    {
        return errorCode;
    }

    /** A partition whose offset was given up because of the response that was read last, or -1. */
    int gonePartition()
    {
        return gonePartition;
    }

    /** A partition that the response that was read last leaves out, or -1. */
    int leftOutPartition()
    {
        return leftOutPartition;
    }

    @Override
    public int version(final int highestVersion)
    {
        return topic.version(highestVersion, OffsetCommitRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID);
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        frame.ensureCapacity(request.maxFrameLength(waitingCount));
        request.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits())
            .begin(frame.buffer(), version, waitingCount);
        for (int p = 0; p < waiting.length; p++)
        {
            if (waiting[p] != NULL_OFFSET)
            {
                request.entry(p, waiting[p], waitingEpochs[p]);
                sent[p] = waiting[p];
                sentEpochs[p] = waitingEpochs[p];
                waiting[p] = NULL_OFFSET;
            }
        }
        sentCount = waitingCount;
        waitingCount = 0;
        return request.end();
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        response.wrap(buffer, index, limit, version);
        while (response.nextPartition())
        {
            continue;
        }
        errorCode = ErrorCode.NONE;
        leftOutPartition = -1;
        gonePartition = -1;
        int known = 0;
        response.wrap(buffer, index, limit, version);
        while (response.nextPartition())
        {
            final int partition = response.partition();
            known += ErrorCode.isUnknownPartition(response.partitionErrorCode()) ? 0 : 1;
            if (topic.isAnswered(response.topic()) && partition >= 0 && partition < sent.length &&
                sent[partition] != NULL_OFFSET)
            {
                onPartition(partition, response.partitionErrorCode());
            }
        }
        for (int p = 0; p < sent.length && sentCount > 0 && leftOutPartition < 0; p++)
        {
            leftOutPartition = sent[p] == NULL_OFFSET ? -1 : p;
        }
        onLost();
        if (known == 0 && ErrorCode.isUnknownPartition(errorCode))
        {
            topic.doubt(clock.nowNs());
        }
        return errorCode == ErrorCode.NONE && leftOutPartition < 0;
    }

    private void onPartition(final int partition, final short partitionErrorCode)
    {
        final long nowNs = clock.nowNs();
        unknownSinceNs[partition] = UnknownPartition.sinceNs(
            ErrorCode.isUnknownPartition(partitionErrorCode), unknownSinceNs[partition], nowNs);
        if (UnknownPartition.isGone(unknownSinceNs[partition], nowNs))
        {
            unknownSinceNs[partition] = UnknownPartition.NEVER;
            errorCodes[partition] = partitionErrorCode;
            waitingCount -= waiting[partition] == NULL_OFFSET ? 0 : 1;
            waiting[partition] = NULL_OFFSET;
            gonePartition = partition;
        }
        else if (partitionErrorCode == ErrorCode.NONE)
        {
            committed[partition] = sent[partition];
        }
        else if (ControlRequest.isRetriable(partitionErrorCode) ||
            memberId != null && GroupErrors.isOfMembership(partitionErrorCode))
        {
            waitAgain(partition);
        }
        else
        {
            errorCodes[partition] = partitionErrorCode;
        }
        errorCode = errorCode == ErrorCode.NONE ? partitionErrorCode : errorCode;
        sent[partition] = NULL_OFFSET;
        sentCount--;
    }

    /** An offset that was in flight may or may not have been committed: it waits again, unless a newer one does. */
    @Override
    public void onLost()
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

    /** Give up all offsets that wait. */
    void fail(final short newErrorCode)
    {
        for (int p = 0; p < waiting.length; p++)
        {
            if (waiting[p] != NULL_OFFSET)
            {
                waiting[p] = NULL_OFFSET;
                errorCodes[p] = newErrorCode;
            }
        }
        waitingCount = 0;
    }

    @Override
    public int throttleTimeMs()
    {
        return response.throttleTimeMs();
    }
}
