// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.agrona.DirectBuffer;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.Backoff;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;
import org.odradek.protocol.control.ListOffsetsResponseFlyweight;
import org.odradek.protocol.control.OffsetForLeaderEpochRequestEncoder;
import org.odradek.protocol.control.OffsetForLeaderEpochResponseFlyweight;

import java.util.ArrayList;
import java.util.List;

/**
 * A ListOffsets or OffsetForLeaderEpoch request to one leader, with the queries that it answers.
 */
final class LeaderRequest implements ControlRequest
{
    private final PartitionTable table;
    private final Backoff backoff;
    private final ListOffsetsRequestEncoder offsetsRequest;
    private final ListOffsetsResponseFlyweight offsets = new ListOffsetsResponseFlyweight();
    private final OffsetForLeaderEpochRequestEncoder epochsRequest;
    private final OffsetForLeaderEpochResponseFlyweight epochs = new OffsetForLeaderEpochResponseFlyweight();
    private final List<LeaderQuery> queries = new ArrayList<>();
    private ApiKey apiKey = ApiKey.LIST_OFFSETS;

    LeaderRequest(
        final ControlSettings settings, final String topic, final byte isolationLevel, final PartitionTable table)
    {
        this.table = table;
        final String clientId = settings.connectionSettings().clientId();
        backoff = settings.retryBackoff();
        offsetsRequest = new ListOffsetsRequestEncoder(clientId, topic).isolationLevel(isolationLevel);
        epochsRequest = new OffsetForLeaderEpochRequestEncoder(clientId, topic);
    }

    /**
     * Add a query, unless the request is of the other API or holds a query for the same partition, which brokers
     * refuse.
     */
    void add(final LeaderQuery query)
    {
        final ApiKey queryApi = query.isValidation() ? ApiKey.OFFSET_FOR_LEADER_EPOCH : ApiKey.LIST_OFFSETS;
        if (queries.isEmpty())
        {
            apiKey = queryApi;
        }
        if (apiKey == queryApi && indexOf(query.partition()) < 0)
        {
            queries.add(query);
            query.isInFlight = true;
        }
    }

    boolean isEmpty()
    {
        return queries.isEmpty();
    }

    @Override
    public ApiKey apiKey()
    {
        return apiKey;
    }

    @Override
    public Backoff backoff()
    {
        return backoff;
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        final int count = queries.size();
        if (apiKey == ApiKey.LIST_OFFSETS)
        {
            frame.ensureCapacity(offsetsRequest.maxFrameLength(count));
            offsetsRequest.build(frame.buffer(), version, count);
            for (int i = 0; i < count; i++)
            {
                final LeaderQuery query = queries.get(i);
                offsetsRequest.entry(i, query.partition(), table.leaderEpoch(query.partition()), query.timestamp());
            }
            return offsetsRequest.frameLength();
        }
        frame.ensureCapacity(epochsRequest.maxFrameLength(count));
        epochsRequest.build(frame.buffer(), version, count);
        for (int i = 0; i < count; i++)
        {
            final LeaderQuery query = queries.get(i);
            epochsRequest.entry(
                i, query.partition(), table.leaderEpoch(query.partition()), query.requestedEpoch());
        }
        return epochsRequest.frameLength();
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        if (apiKey == ApiKey.LIST_OFFSETS)
        {
            checkOffsets(buffer, index, limit, version);
            offsets.wrap(buffer, index, limit, version);
            while (offsets.nextPartition())
            {
                onOffset(take(offsets.partition()));
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
            while (epochs.nextPartition())
            {
                onEpochEnd(take(epochs.partition()));
            }
        }
        // The response leaves these partitions out.
        for (final LeaderQuery query : queries)
        {
            query.onError(ErrorCode.UNKNOWN_SERVER_ERROR);
        }
        queries.clear();
        return true;
    }

    /** Nothing of the response is stored before all of it has been checked. */
    private void checkOffsets(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        offsets.wrap(buffer, index, limit, version);
        while (offsets.nextPartition())
        {
            if (offsets.offset() < LeaderQuery.NULL_OFFSET || offsets.leaderEpoch() < PartitionTable.NULL_EPOCH)
            {
                throw new WireFormatException("offset " + offsets.offset() + " with leader epoch " +
                    offsets.leaderEpoch() + " of partition " + offsets.partition() + " where -1 or more was expected");
            }
        }
    }

    private void onOffset(final LeaderQuery query)
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
            query.onOffset(LeaderQuery.NULL_OFFSET, -1, PartitionTable.NULL_EPOCH);
        }
        else
        {
            query.onError(errorCode);
        }
    }

    private void onEpochEnd(final LeaderQuery query)
    {
        if (query != null && epochs.partitionErrorCode() == ErrorCode.NONE)
        {
            query.onOffset(epochs.endOffset(), -1, epochs.leaderEpoch());
        }
        else if (query != null)
        {
            query.onError(epochs.partitionErrorCode());
        }
    }

    private LeaderQuery take(final int partition)
    {
        final int index = indexOf(partition);
        return index < 0 ? null : queries.remove(index);
    }

    private int indexOf(final int partition)
    {
        for (int i = 0; i < queries.size(); i++)
        {
            if (queries.get(i).partition() == partition)
            {
                return i;
            }
        }
        return -1;
    }

    @Override
    public int throttleTimeMs()
    {
        return apiKey == ApiKey.LIST_OFFSETS ? offsets.throttleTimeMs() : epochs.throttleTimeMs();
    }

    @Override
    public void onLost()
    {
        queries.forEach((query) -> query.isInFlight = false);
        queries.clear();
    }
}
