// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.DirectBuffer;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.cluster.UnknownPartitionTimeout;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.RequestFrame;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.OffsetFetchRequestEncoder;
import org.odradek.protocol.control.OffsetFetchResponseFlyweight;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** The queries for the offsets that are committed under a group id. One request answers all queries that wait. */
final class OffsetFetches extends GroupRequest
{
    static final int ALL = -1;

    private static final class Query implements CommittedOffsets
    {
        private final String groupId;
        private final int only;
        private boolean isDone;
        private short errorCode;
        private long unknownSinceNs = UnknownPartitionTimeout.NEVER;
        private long[] offsets = {};
        private int[] leaderEpochs = {};

        Query(final String groupId, final int only)
        {
            this.groupId = groupId;
            this.only = only;
        }

        void begin(final int count)
        {
            offsets = new long[only == ALL ? count : 1];
            leaderEpochs = new int[offsets.length];
        }

        void fail(final short newErrorCode)
        {
            errorCode = newErrorCode;
            isDone = true;
        }

        int first()
        {
            return Math.max(only, 0);
        }

        int end()
        {
            return first() + offsets.length;
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
            return isAnswered(partition) ? offsets[partition - first()] : NULL_OFFSET;
        }

        @Override
        public int leaderEpoch(final int partition)
        {
            return isAnswered(partition) ? leaderEpochs[partition - first()] : NULL_EPOCH;
        }

        private boolean isAnswered(final int partition)
        {
            return isDone && !isFailed() && partition >= first() && partition < end();
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
    private final Environment environment;
    private final DutyClock clock;
    private final OffsetFetchRequestEncoder request;
    private final OffsetFetchResponseFlyweight response = new OffsetFetchResponseFlyweight();
    private final List<Query> waiting = new ArrayList<>();
    private final List<Query> sent = new ArrayList<>();
    private int partitionCount;
    private final BitSet asked = new BitSet();

    OffsetFetches(final String groupId, final TopicIdentity topic, final Environment environment)
    {
        super(ApiKey.OFFSET_FETCH, environment.settings().retryBackoff());
        this.environment = environment;
        clock = environment.clock();
        this.groupId = groupId;
        this.topic = topic;
        request = new OffsetFetchRequestEncoder(environment.settings().clientId, groupId, topic.name());
    }

    CommittedOffsets query(final int partition)
    {
        final Query query = new Query(groupId, partition);
        waiting.add(query);
        return query;
    }

    void cancel(final CommittedOffsets query)
    {
        waiting.remove(query);
        sent.remove(query);
    }

    /** Queries fail if the topic is not found for a minute. */
    void topic(final int count, final short errorCode)
    {
        partitionCount = count;
        for (int i = waiting.size() - 1; i >= 0 && count == 0; i--)
        {
            final Query query = waiting.get(i);
            query.unknownSinceNs = UnknownPartitionTimeout.sinceNs(
                errorCode != ErrorCode.NONE, query.unknownSinceNs, clock.nowNs());
            if (UnknownPartitionTimeout.isGone(query.unknownSinceNs, clock.nowNs()))
            {
                query.fail(errorCode);
                waiting.remove(i);
            }
        }
    }

    @Override
    boolean isDue()
    {
        return !waiting.isEmpty() && partitionCount > 0;
    }

    @Override
    public int version(final int highestVersion)
    {
        return topic.version(highestVersion, OffsetFetchRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID);
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        assert sent.isEmpty();
        asked.clear();
        for (final Query query : waiting)
        {
            query.begin(partitionCount);
            asked.set(query.first(), query.end());
        }
        final int count = asked.cardinality();
        request.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits())
            .begin(frame.ofLength(request.maxFrameLength(count)), version, count);
        asked.stream().forEach(request::entry);
        sent.addAll(waiting);
        waiting.clear();
        return request.end();
    }

    /**
     * Ends the queries, except those that must be sent again because a partition was left out or an error is retriable.
     */
    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        response.wrap(buffer, index, limit, version);
        throttleTimeMs = response.throttleTimeMs();
        final long[] offsets = new long[asked.length()];
        final int[] leaderEpochs = new int[offsets.length];
        final short[] errorCodes = new short[offsets.length];
        Arrays.fill(offsets, Long.MIN_VALUE);
        while (response.nextPartition())
        {
            final int partition = response.partition();
            if (topic.isAnswered(response.topic()) && partition >= 0 && partition < offsets.length)
            {
                reportUnsound(partition);
                offsets[partition] = Math.max(CommittedOffsets.NULL_OFFSET, response.committedOffset());
                leaderEpochs[partition] = Math.max(CommittedOffsets.NULL_EPOCH, response.committedLeaderEpoch());
                errorCodes[partition] = response.partitionErrorCode();
            }
        }
        errorCode = response.errorCode();
        leftOutPartition = -1;
        for (final Query query : sent)
        {
            end(query, offsets, leaderEpochs, errorCodes);
        }
        sent.clear();
        leftOutPartition = errorCode == ErrorCode.NONE ? leftOutPartition : -1;
        return errorCode == ErrorCode.NONE && leftOutPartition < 0;
    }

    /** Reports an impossible offset or leader epoch, because brokers store these without a check. */
    private void reportUnsound(final int partition)
    {
        if (response.committedOffset() < CommittedOffsets.NULL_OFFSET ||
            response.committedLeaderEpoch() < CommittedOffsets.NULL_EPOCH)
        {
            environment.error("Group " + groupId + " has committed offset " + response.committedOffset() +
                " with leader epoch " + response.committedLeaderEpoch() + " of partition " + partition +
                " where -1 or more was expected; a number below -1 is taken as -1, for none.");
        }
    }

    private void end(final Query query, final long[] offsets, final int[] leaderEpochs, final short[] errorCodes)
    {
        short queryCode = response.errorCode();
        int leftOut = -1;
        for (int p = query.first(); p < query.end() && queryCode == ErrorCode.NONE; p++)
        {
            queryCode = errorCodes[p];
            leftOut = leftOut < 0 && offsets[p] == Long.MIN_VALUE ? p : leftOut;
        }
        final boolean isLeftOut = leftOut >= 0 && queryCode == ErrorCode.NONE;
        errorCode = errorCode == ErrorCode.NONE ? queryCode : errorCode;
        leftOutPartition = isLeftOut && leftOutPartition < 0 ? leftOut : leftOutPartition;
        final long nowNs = clock.nowNs();
        query.unknownSinceNs =
            UnknownPartitionTimeout.sinceNs(ErrorCode.isUnknownPartition(queryCode), query.unknownSinceNs, nowNs);
        if ((isLeftOut || ControlRequest.isRetriable(queryCode)) &&
            !UnknownPartitionTimeout.isGone(query.unknownSinceNs, nowNs))
        {
            waiting.add(query);
            return;
        }
        query.errorCode = queryCode;
        System.arraycopy(offsets, query.first(), query.offsets, 0, query.offsets.length);
        System.arraycopy(leaderEpochs, query.first(), query.leaderEpochs, 0, query.leaderEpochs.length);
        query.isDone = true;
    }

    @Override
    public void onLost()
    {
        waiting.addAll(sent);
        sent.clear();
    }

    @Override
    void fail(final ApiKey failed, final short newErrorCode)
    {
        for (final Query query : waiting)
        {
            query.fail(newErrorCode);
        }
        waiting.clear();
    }
}
