// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.DirectBuffer;
import org.odradek.consumer.CommittedOffsets;
import org.odradek.consumer.cluster.ControlRequest;
import org.odradek.consumer.cluster.UnknownPartitionTimeout;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.TopicIdentity;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.OffsetFetchRequestEncoder;
import org.odradek.protocol.control.OffsetFetchResponseFlyweight;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The queries for the offsets that are committed under a group id, and the request that answers all that wait.
 */
final class OffsetFetches extends ControlRequest
{
    private static final class Query implements CommittedOffsets
    {
        private final String groupId;
        private boolean isDone;
        private short errorCode;
        private long unknownSinceNs = UnknownPartitionTimeout.NEVER;
        private long[] offsets = {};
        private int[] leaderEpochs = {};

        Query(final String groupId)
        {
            this.groupId = groupId;
        }

        @Override
        public String groupId()
        {
            return groupId;
        }

        @Override
        public boolean isDone()
        {
            return isDone;
        }

        @Override
        public boolean isFailed()
        {
            return errorCode != ErrorCode.NONE;
        }

        @Override
        public int partitionCount()
        {
            return offsets.length;
        }

        @Override
        public long offset(final int partition)
        {
            return isAnswered(partition) ? offsets[partition] : NULL_OFFSET;
        }

        @Override
        public int leaderEpoch(final int partition)
        {
            return isAnswered(partition) ? leaderEpochs[partition] : NULL_EPOCH;
        }

        private boolean isAnswered(final int partition)
        {
            return isDone && !isFailed() && partition >= 0 && partition < offsets.length;
        }

        @Override
        public short errorCode()
        {
            return errorCode;
        }

        @Override
        public String toString()
        {
            return "CommittedOffsets{groupId=" + groupId + ", isDone=" + isDone + ", offsets=" +
                Arrays.toString(offsets) + ", errorCode=" + errorCode + "}";
        }
    }

    private final String groupId;
    private final TopicIdentity topic;
    private final DutyClock clock;
    private final OffsetFetchRequestEncoder request;
    private final OffsetFetchResponseFlyweight response = new OffsetFetchResponseFlyweight();
    private final List<Query> waiting = new ArrayList<>();
    private final List<Query> sent = new ArrayList<>();
    private int partitionCount;
    private int leftOutPartition = -1;
    private short errorCode;

    OffsetFetches(final String groupId, final TopicIdentity topic, final Environment environment)
    {
        super(ApiKey.OFFSET_FETCH, environment.settings().retryBackoff());
        clock = environment.clock();
        this.groupId = groupId;
        this.topic = topic;
        request = new OffsetFetchRequestEncoder(environment.settings().clientId, groupId, topic.name());
    }

    CommittedOffsets query()
    {
        final Query query = new Query(groupId);
        waiting.add(query);
        return query;
    }

    /** @param count of partitions that the topic has. */
    void partitionCount(final int count)
    {
        partitionCount = count;
    }

    boolean isWaiting()
    {
        return !waiting.isEmpty() && partitionCount > 0;
    }

    @Override
    public short errorCode()
    {
        return errorCode;
    }

    @Override
    public int leftOutPartition()
    {
        return leftOutPartition;
    }

    @Override
    public int version(final int highestVersion)
    {
        return topic.version(highestVersion, OffsetFetchRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID);
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        request.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits())
            .begin(frame.ofLength(request.maxFrameLength(partitionCount)), version, partitionCount);
        for (int p = 0; p < partitionCount; p++)
        {
            request.entry(p);
        }
        for (final Query query : waiting)
        {
            query.offsets = new long[partitionCount];
            query.leaderEpochs = new int[partitionCount];
        }
        sent.addAll(waiting);
        waiting.clear();
        return request.end();
    }

    /**
     * Either all partitions are answered, or all are requested again, or the queries have failed. A query for a topic
     * that the brokers do not know is retried for a while ({@link UnknownPartitionTimeout}).
     */
    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        response.wrap(buffer, index, limit, version);
        throttleTimeMs = response.throttleTimeMs();
        final long[] offsets = new long[sent.get(0).offsets.length];
        final int[] leaderEpochs = new int[offsets.length];
        Arrays.fill(offsets, Long.MIN_VALUE);
        short firstErrorCode = ErrorCode.NONE;
        while (response.nextPartition())
        {
            final int partition = response.partition();
            if (response.committedOffset() < CommittedOffsets.NULL_OFFSET ||
                response.committedLeaderEpoch() < CommittedOffsets.NULL_EPOCH)
            {
                throw new WireFormatException("offset " + response.committedOffset() + " with leader epoch " +
                    response.committedLeaderEpoch() + " of partition " + partition + " where -1 or more was expected");
            }
            firstErrorCode = firstErrorCode == ErrorCode.NONE ? response.partitionErrorCode() : firstErrorCode;
            if (topic.isAnswered(response.topic()) && partition >= 0 && partition < offsets.length)
            {
                offsets[partition] = response.committedOffset();
                leaderEpochs[partition] = response.committedLeaderEpoch();
            }
        }
        errorCode = response.errorCode() == ErrorCode.NONE ? firstErrorCode : response.errorCode();
        leftOutPartition = errorCode == ErrorCode.NONE ? indexOf(offsets, Long.MIN_VALUE) : -1;
        end(offsets, leaderEpochs);
        return errorCode == ErrorCode.NONE && leftOutPartition < 0;
    }

    private static int indexOf(final long[] values, final long value)
    {
        for (int i = 0; i < values.length; i++)
        {
            if (values[i] == value)
            {
                return i;
            }
        }
        return -1;
    }

    private void end(final long[] offsets, final int[] leaderEpochs)
    {
        final boolean isRetried = leftOutPartition >= 0 || ControlRequest.isRetriable(errorCode);
        final long nowNs = clock.nowNs();
        for (final Query query : sent)
        {
            query.unknownSinceNs =
                UnknownPartitionTimeout.sinceNs(ErrorCode.isUnknownPartition(errorCode), query.unknownSinceNs, nowNs);
            if (isRetried && !UnknownPartitionTimeout.isGone(query.unknownSinceNs, nowNs))
            {
                waiting.add(query);
                continue;
            }
            query.offsets = offsets;
            query.leaderEpochs = leaderEpochs;
            query.errorCode = errorCode;
            query.isDone = true;
        }
        sent.clear();
    }

    @Override
    public void onLost()
    {
        waiting.addAll(sent);
        sent.clear();
    }

    /** Give up all queries that wait. */
    void fail(final short newErrorCode)
    {
        for (final Query query : waiting)
        {
            query.errorCode = newErrorCode;
            query.isDone = true;
        }
        waiting.clear();
    }
}
