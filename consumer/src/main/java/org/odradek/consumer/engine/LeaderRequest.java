// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.agrona.DirectBuffer;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.cluster.UnknownPartitionTimeout;
import org.odradek.client.net.RequestFrame;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;
import org.odradek.protocol.control.ListOffsetsResponseFlyweight;
import org.odradek.protocol.control.OffsetForLeaderEpochRequestEncoder;
import org.odradek.protocol.control.OffsetForLeaderEpochResponseFlyweight;
import org.odradek.protocol.fetch.FetchRequestEncoder;

import java.util.LinkedHashMap;
import java.util.Map;

/** A ListOffsets or OffsetForLeaderEpoch request to one leader, and the queries whose results it requests. */
final class LeaderRequest extends ControlRequest
{
    /**
     * A query of the user, the lookup of the offset at which a partition starts or continues after a reset, or the
     * validation of an offset (KIP-320).
     */
    static final class Query implements OffsetQuery
    {
        private enum Kind
        {
            USER, START, VALIDATION
        }

        private final Kind kind;
        private final int partition;
        /** The id of the lookup, or the generation of the partition, for which the query was created. */
        private final int stamp;
        /** The leader epoch whose end offset a validation requests. */
        private final int requestedEpoch;
        private final long timestamp;

        boolean isInFlight;
        /** True from an answer of the leader until a retry. */
        boolean hasResult;
        /** True if the query is sent only after the backoff of its leader. */
        boolean isRetry;
        int leaderId;
        short resultCode;
        private long unknownSinceNs = UnknownPartitionTimeout.NEVER;
        private boolean isDone;
        private int leaderEpoch = PartitionTable.NULL_EPOCH;
        private long offset = NULL_OFFSET;
        private long offsetTimestamp = -1;

        private Query(
            final Kind kind,
            final int partition,
            final int stamp,
            final int requestedEpoch,
            final long timestamp)
        {
            this.kind = kind;
            this.partition = partition;
            this.stamp = stamp;
            this.requestedEpoch = requestedEpoch;
            this.timestamp = timestamp;
        }

        static Query ofUser(final int partition, final long timestamp)
        {
            return new Query(Kind.USER, partition, 0, 0, timestamp);
        }

        static Query of(final int partition, final PartitionTable table)
        {
            return table.state(partition) == PartitionTable.AWAITING_OFFSET ?
                new Query(Kind.START, partition, table.partition(partition).lookup().id(), 0,
                    table.partition(partition).lookup().timestamp()) :
                new Query(Kind.VALIDATION, partition, table.generation(partition), table.offsetEpoch(partition), 0);
        }

        boolean isStale(final PartitionTable table)
        {
            switch (kind)
            {
                case START:
                    return table.state(partition) != PartitionTable.AWAITING_OFFSET ||
                        table.partition(partition).lookup().id() != stamp;
                case VALIDATION:
                    return table.state(partition) != PartitionTable.AWAITING_VALIDATION ||
                        table.generation(partition) != stamp;
                default:
                    return false;
            }
        }

        boolean isSameRequest(final Query other)
        {
            return kind == other.kind && timestamp == other.timestamp && requestedEpoch == other.requestedEpoch;
        }

        /** Ends a query of the user with an error if the brokers have not known its partition for a minute. */
        boolean endIfGone(final int partitionCount, final short topicErrorCode, final long nowNs)
        {
            final boolean isTopicMissing = partitionCount == 0 && topicErrorCode != ErrorCode.NONE;
            final boolean isMissing = isTopicMissing || partitionCount > 0 && partition >= partitionCount;
            unknownSinceNs = UnknownPartitionTimeout.sinceNs(
                isMissing || ErrorCode.isUnknownPartition(resultCode), unknownSinceNs, nowNs);
            if (kind != Kind.USER || !UnknownPartitionTimeout.isGone(unknownSinceNs, nowNs))
            {
                return false;
            }
            resultCode = isTopicMissing ? topicErrorCode : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
            end();
            return true;
        }

        boolean isOfUser()
        {
            return kind == Kind.USER;
        }

        boolean isStart()
        {
            return kind == Kind.START;
        }

        boolean isValidation()
        {
            return kind == Kind.VALIDATION;
        }

        void onOffset(final long newOffset, final long newOffsetTimestamp, final int newLeaderEpoch)
        {
            offset = newOffset;
            offsetTimestamp = newOffsetTimestamp;
            leaderEpoch = newLeaderEpoch;
            onResult(ErrorCode.NONE);
        }

        void onResult(final short errorCode)
        {
            isInFlight = false;
            hasResult = true;
            resultCode = errorCode;
        }

        void retry()
        {
            hasResult = false;
            isRetry = true;
        }

        void end()
        {
            isDone = true;
            isRetry = false;
        }

        @Override
        public int partition()
        {
            return partition;
        }

        @Override
        public long timestamp()
        {
            return timestamp;
        }

        @Override
        public boolean isDone()
        {
            return isDone;
        }

        @Override
        public boolean isFailed()
        {
            return isDone && resultCode != ErrorCode.NONE;
        }

        @Override
        public long offset()
        {
            return offset;
        }

        @Override
        public long offsetTimestamp()
        {
            return offsetTimestamp;
        }

        @Override
        public int leaderEpoch()
        {
            return leaderEpoch;
        }

        @Override
        public short errorCode()
        {
            return isDone ? resultCode : ErrorCode.NONE;
        }

        @Override
        public String toString()
        {
            return "OffsetQuery{partition=" + partition + ", timestamp=" + timestamp + ", isDone=" + isDone +
                ", offset=" + offset + ", errorCode=" + errorCode() + "}";
        }
    }

    private final PartitionTable table;
    private final ListOffsetsRequestEncoder offsetsRequest;
    private final ListOffsetsResponseFlyweight offsets = new ListOffsetsResponseFlyweight();
    private final OffsetForLeaderEpochRequestEncoder epochsRequest;
    private final OffsetForLeaderEpochResponseFlyweight epochs = new OffsetForLeaderEpochResponseFlyweight();
    private final Map<Integer, Query> queries = new LinkedHashMap<>();

    LeaderRequest(final ConsumerSettings settings, final PartitionTable table)
    {
        super(ApiKey.LIST_OFFSETS, settings.retryBackoff());
        this.table = table;
        final String clientId = settings.clientId;
        final String topic = settings.topic;
        offsetsRequest = new ListOffsetsRequestEncoder(clientId, topic).isolationLevel(settings.isReadCommitted ?
            FetchRequestEncoder.READ_COMMITTED : FetchRequestEncoder.READ_UNCOMMITTED);
        epochsRequest = new OffsetForLeaderEpochRequestEncoder(clientId, topic);
    }

    /** Adds a query, unless the request has queries of another API or a query for the same partition. */
    void add(final Query query)
    {
        assert !query.isInFlight && !query.hasResult && !query.isDone;
        final ApiKey queryApi = query.isValidation() ? ApiKey.OFFSET_FOR_LEADER_EPOCH : ApiKey.LIST_OFFSETS;
        if (queries.isEmpty())
        {
            apiKey = queryApi;
        }
        if (apiKey == queryApi && queries.putIfAbsent(query.partition(), query) == null)
        {
            query.isInFlight = true;
        }
    }

    boolean isEmpty()
    {
        return queries.isEmpty();
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        final int count = queries.size();
        if (apiKey == ApiKey.LIST_OFFSETS)
        {
            offsetsRequest.begin(frame.ofLength(offsetsRequest.maxFrameLength(count)), version, count);
            for (final Query query : queries.values())
            {
                offsetsRequest.entry(query.partition(), table.leaderEpoch(query.partition()), query.timestamp());
            }
            return offsetsRequest.end();
        }
        epochsRequest.begin(frame.ofLength(epochsRequest.maxFrameLength(count)), version, count);
        for (final Query query : queries.values())
        {
            epochsRequest.entry(query.partition(), table.leaderEpoch(query.partition()), query.requestedEpoch);
        }
        return epochsRequest.end();
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        if (apiKey == ApiKey.LIST_OFFSETS)
        {
            checkOffsets(buffer, index, limit, version);
            offsets.wrap(buffer, index, limit, version);
            throttleTimeMs = offsets.throttleTimeMs();
            while (offsets.nextPartition())
            {
                onOffset(queries.remove(offsets.partition()));
            }
        }
        else
        {
            epochs.wrap(buffer, index, limit, version);
            while (epochs.nextPartition())
            {
                continue;
            }
            epochs.wrap(buffer, index, limit, version);
            throttleTimeMs = epochs.throttleTimeMs();
            while (epochs.nextPartition())
            {
                onEpochEnd(queries.remove(epochs.partition()));
            }
        }
        // The response leaves these partitions out.
        for (final Query query : queries.values())
        {
            query.onResult(ErrorCode.UNKNOWN_SERVER_ERROR);
        }
        queries.clear();
        return true;
    }

    private void checkOffsets(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        offsets.wrap(buffer, index, limit, version);
        while (offsets.nextPartition())
        {
            if (offsets.offset() < Query.NULL_OFFSET || offsets.leaderEpoch() < PartitionTable.NULL_EPOCH)
            {
                throw new WireFormatException("offset " + offsets.offset() + " with leader epoch " +
                    offsets.leaderEpoch() + " of partition " + offsets.partition() + " where -1 or more was expected");
            }
        }
    }

    private void onOffset(final Query query)
    {
        final short errorCode = offsets.partitionErrorCode();
        if (query == null)
        {
            return;
        }
        if (errorCode == ErrorCode.NONE)
        {
            query.onOffset(offsets.offset(), offsets.timestamp(), offsets.leaderEpoch());
        }
        else if (errorCode == ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT)
        {
            query.onOffset(Query.NULL_OFFSET, -1, PartitionTable.NULL_EPOCH);
        }
        else
        {
            query.onResult(errorCode);
        }
    }

    private void onEpochEnd(final Query query)
    {
        if (query != null && epochs.partitionErrorCode() == ErrorCode.NONE)
        {
            query.onOffset(epochs.endOffset(), -1, epochs.leaderEpoch());
        }
        else if (query != null)
        {
            query.onResult(epochs.partitionErrorCode());
        }
    }

    @Override
    public void onLost()
    {
        queries.values().forEach((query) -> query.isInFlight = false);
        queries.clear();
    }
}
