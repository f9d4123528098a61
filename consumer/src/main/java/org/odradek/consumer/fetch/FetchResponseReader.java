// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.BrokerAddress;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.NodeEndpointsFlyweight;
import org.odradek.protocol.fetch.FetchResponseFlyweight;
import org.odradek.protocol.record.LegacyMessageFlyweight;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordMemory;

/**
 * Reads the fetch responses of one connection: record sets, log offsets, errors, new leaders (KIP-951) and preferred
 * replicas (KIP-392).
 */
final class FetchResponseReader
{
    private final int nodeId;
    private final ConsumerSettings settings;
    private final TopicIdentity topic;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final FetchSession session;
    private final Environment environment;
    final FetchFrame frame;
    final FetchResponseFlyweight response = new FetchResponseFlyweight();
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final LegacyMessageFlyweight message = new LegacyMessageFlyweight();
    private int version;
    private boolean hasNewLeader;
    private boolean isShort;
    final FetchSample sample = new FetchSample();

    FetchResponseReader(
        final int nodeId,
        final TopicIdentity topic,
        final PartitionErrors errors,
        final PartitionTable table,
        final FetchSession session,
        final Environment environment)
    {
        this.nodeId = nodeId;
        this.environment = environment;
        settings = environment.settings();
        this.topic = topic;
        this.errors = errors;
        this.table = table;
        this.session = session;
        frame = new FetchFrame(nodeId, topic);
    }

    /**
     * @param isNowShort true if the response is so short that more records of every partition would have fitted into
     *                   it.
     */
    FetchResponseFlyweight begin(
        final RecordMemory memory, final int index, final int limit, final boolean isNowShort, final int newVersion)
    {
        version = newVersion;
        hasNewLeader = false;
        isShort = isNowShort;
        sample.length = limit;
        sample.capacity = memory.capacity();
        sample.isMoreInLog = false;
        sample.isPlain = true;
        sample.batchCount = 0;
        frame.begin(memory, newVersion, limit);
        return response.wrap(memory.buffer(), index, limit, newVersion);
    }

    void readPartitions()
    {
        if (!session.onResponse(response.sessionId()))
        {
            environment.counters().add(ConsumerCounters.SESSION_RESETS, 1);
            sample.isPlain = false;
        }
        while (response.nextPartition())
        {
            onPartition();
        }
        if (hasNewLeader)
        {
            readEndpoints(response.nodeEndpoints());
        }
    }

    private void readEndpoints(final NodeEndpointsFlyweight endpoints)
    {
        while (endpoints.next())
        {
            if (BrokerAddress.isPossible(
                response.buffer(), endpoints.hostIndex(), endpoints.hostLength(), endpoints.port()))
            {
                table.addEndpoint(new PartitionTable.LeaderEndpoint(endpoints.nodeId(), response.buffer()
                    .getStringWithoutLengthUtf8(endpoints.hostIndex(), endpoints.hostLength()), endpoints.port()));
            }
        }
    }

    private void onPartition()
    {
        final int partition = response.partition();
        final int length = response.recordsLength();
        final boolean isRequested = topic.isNamedIn(response, version) && session.take(partition);
        if (!isRequested || !isCurrent(partition))
        {
            environment.counters().add(ConsumerCounters.BYTES_DISCARDED, length);
            sample.isPlain = false;
            if (isRequested)
            {
                onOutdated(partition);
            }
            return;
        }
        if (response.partitionErrorCode() != ErrorCode.NONE)
        {
            onError(partition, response.partitionErrorCode());
            return;
        }
        if (length == 0 && isReplicaNamed(partition))
        {
            sample.isPlain = false;
            // The failures of replicas still count, because the leader may name a replica that fails again and again.
            table.log(
                partition, response.highWatermark(), response.lastStableOffset(), response.logStartOffset());
            table.useReplica(partition, response.preferredReadReplica(),
                environment.clock().nowNs() + ClientSettings.ns(settings.metadataMaxAgeMs));
        }
        else
        {
            onProgress(partition, length);
        }
        // The log may have no batch before its end, for example if compaction has left a hole before an open
        // transaction.
        onMoreInLog(partition, isMoreInLog(partition) && (length > 0 || !isShort));
    }

    private void onProgress(final int partition, final int length)
    {
        table.progress(
            partition, response.highWatermark(), response.lastStableOffset(), response.logStartOffset());
        if (length > 0)
        {
            frame.add(partition, table.generation(partition), session.offset(partition),
                response.recordsIndex(), length);
            frame.aborted(response.abortedTransactionsIndex(), response.abortedTransactionCount());
            table.requestOffset(partition, offsetAfter(session.offset(partition)));
        }
        else
        {
            onNoRecords(partition);
        }
    }

    /**
     * Stores the log offsets of a partition whose generation has changed since the request, because in a session the
     * broker sends them again only after a change. They may be older than those of a response that another connection
     * has received for the current generation.
     */
    private void onOutdated(final int partition)
    {
        final PartitionState state = table.partition(partition);
        if (response.partitionErrorCode() == ErrorCode.NONE && table.isAssigned(partition) &&
            state.nodeId() == nodeId && state.logGeneration != table.generation(partition))
        {
            state.log(response.highWatermark(), response.lastStableOffset(), response.logStartOffset());
        }
    }

    /**
     * Returns true if the last request of a partition over this connection had the current generation of the partition.
     */
    boolean isCurrent(final int partition)
    {
        return session.holds(partition) && session.generation(partition) == table.generation(partition);
    }

    private boolean isReplicaNamed(final int partition)
    {
        return response.preferredReadReplica() >= 0 && response.preferredReadReplica() != nodeId &&
            table.leaderId(partition) == nodeId;
    }

    private void onNoRecords(final int partition)
    {
        final PartitionState state = table.partition(partition);
        final long nextOffset = table.nextOffset(partition);
        if (state.takeCaughtUp(nextOffset, settings.isReadCommitted))
        {
            environment.listener().onCaughtUp(partition, nextOffset);
        }
        if (state.connection() > 0 && (isShort || nextOffset >= state.end(settings.isReadCommitted)))
        {
            // No request with this partition is in flight.
            table.connection(partition, 0);
        }
    }

    /**
     * Partitions that the response leaves out are requested again if the request has begun a session, because it is not
     * known whether the broker's session holds them.
     */
    void onLeftOut(final int[] listed, final int count)
    {
        if (!session.isOpen())
        {
            return;
        }
        for (int i = 0; i < count; i++)
        {
            final int partition = listed[i];
            if (session.isTaken(partition) || !session.holds(partition))
            {
                continue;
            }
            if (session.isLastFull)
            {
                sample.isPlain = false;
                session.drop(partition);
                table.setDirty(partition);
            }
            else if (isCurrent(partition))
            {
                onNoRecords(partition);
                if (isShort || !isMoreInLog(partition))
                {
                    onMoreInLog(partition, false);
                }
            }
        }
    }

    /**
     * If a full response leaves out a partition whose log is known to hold more records, the response has not reached
     * the end of that log.
     */
    void onFull(final int[] partitions, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final int partition = partitions[i];
            if (isCurrent(partition) && !session.isTaken(partition) && isMoreInLog(partition))
            {
                onMoreInLog(partition, true);
            }
        }
    }

    private boolean isMoreInLog(final int partition)
    {
        return table.partition(partition).requestOffset < table.partition(partition).end(settings.isReadCommitted);
    }

    private void onMoreInLog(final int partition, final boolean isMore)
    {
        table.partition(partition).onResponse(isMore);
        session.lagging(partition, table.partition(partition).isLagging());
        sample.isMoreInLog |= isMore;
    }

    /**
     * Returns the next offset to request, from the batch headers of a record set. A malformed batch ends the search,
     * and is reported when delivery reaches the batch.
     */
    private long offsetAfter(final long fromOffset)
    {
        final int limit = response.recordsIndex() + response.recordsLength();
        int index = response.recordsIndex();
        long next = fromOffset;
        int status = batch.wrap(frame.memory, index, limit);
        while (status > RecordBatchFlyweight.CUT_OFF)
        {
            sample.batchCount++;
            if (status == RecordBatchFlyweight.COMPLETE)
            {
                next = Math.max(next, batch.lastOffset() + 1);
                index = batch.limit();
            }
            else if (message.wrap(frame.memory, index, limit) == LegacyMessageFlyweight.COMPLETE)
            {
                next = Math.max(next, message.offset() + 1);
                index = message.limit();
            }
            else
            {
                return next;
            }
            status = batch.wrap(frame.memory, index, limit);
        }
        return next;
    }

    private void onError(final int partition, final short errorCode)
    {
        sample.isPlain = false;
        if (table.partition(partition).replicaId == nodeId)
        {
            table.leaveReplica(partition);
            if (errorCode == ErrorCode.OFFSET_OUT_OF_RANGE)
            {
                // The replica may lag behind its leader, so only the leader determines which offsets are out of range.
                environment.counters().add(ConsumerCounters.PARTITION_ERRORS, 1);
                errors.backOff(partition, errorCode);
                return;
            }
        }
        if (errorCode == ErrorCode.UNKNOWN_TOPIC_ID)
        {
            topic.doubt(environment.clock().nowNs());
        }
        errors.onBrokerError(nodeId, partition, errorCode);
        final int leaderId = response.currentLeaderId();
        final int leaderEpoch = response.currentLeaderEpoch();
        if (leaderId >= 0 && leaderEpoch > table.leaderEpoch(partition))
        {
            hasNewLeader = true;
            table.leader(partition, leaderId, leaderEpoch);
            environment.counters().add(ConsumerCounters.LEADER_CHANGES, 1);
            environment.listener().onLeaderChanged(partition, leaderId, leaderEpoch);
        }
    }
}
