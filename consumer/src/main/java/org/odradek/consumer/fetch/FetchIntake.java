// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.fetch.FetchResponseFlyweight;
import org.odradek.protocol.fetch.NodeEndpointsFlyweight;
import org.odradek.protocol.record.LegacyMessageFlyweight;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordMemory;

/**
 * Takes in one response of one broker: notes where the record sets lie and from where to ask next, and what the broker
 * says beside them: of the log, of errors, of other leaders (KIP-951) and of replicas nearer by (KIP-392).
 */
final class FetchIntake
{
    private final int nodeId;
    private final FetchSettings settings;
    private final FetchTopic topic;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final FetchSession session;
    private final ConsumerEnvironment environment;
    private final FetchFrame frame = new FetchFrame();
    private final FetchResponseFlyweight response = new FetchResponseFlyweight();
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final LegacyMessageFlyweight message = new LegacyMessageFlyweight();
    private int version;
    private boolean isLeaderTold;
    private boolean isMoreInLog;

    FetchIntake(
        final int nodeId,
        final FetchSettings settings,
        final FetchTopic topic,
        final PartitionErrors errors,
        final PartitionTable table,
        final FetchSession session)
    {
        this.nodeId = nodeId;
        this.settings = settings;
        this.topic = topic;
        this.errors = errors;
        this.table = table;
        this.session = session;
        environment = errors.environment();
    }

    /**
     * Read as far as the first partition.
     */
    FetchResponseFlyweight begin(
        final RecordMemory memory, final int index, final int limit, final int newVersion)
    {
        version = newVersion;
        isLeaderTold = false;
        isMoreInLog = false;
        frame.begin(memory, newVersion);
        return response.wrap(memory.buffer(), index, limit, newVersion);
    }

    /**
     * Read the rest of a response without error.
     */
    void readPartitions()
    {
        if (!session.answered(response.sessionId()))
        {
            environment.counters().add(ConsumerCounters.SESSION_RESETS, 1);
        }
        while (response.nextPartition())
        {
            onPartition();
        }
        if (isLeaderTold)
        {
            onEndpoints(response.nodeEndpoints());
        }
    }

    /**
     * One that cannot be an address is left out: then metadata is waited for.
     */
    private void onEndpoints(final NodeEndpointsFlyweight endpoints)
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
        if (!topic.isNamedIn(response, version) || !session.take(partition) ||
            session.generation(partition) != table.generation(partition))
        {
            environment.counters().add(ConsumerCounters.BYTES_DISCARDED, length);
            return;
        }
        if (response.partitionErrorCode() != ErrorCode.NONE)
        {
            onError(partition, response.partitionErrorCode());
            return;
        }
        table.progress(
            partition, response.highWatermark(), response.lastStableOffset(), response.logStartOffset());
        if (length > 0)
        {
            frame.add(partition, table.generation(partition), response.recordsIndex(), length);
            frame.aborted(response.abortedTransactionsIndex(), response.abortedTransactionCount());
            table.requestOffset(partition, offsetAfter(session.offset(partition)));
        }
        else if (isOtherNamed(partition))
        {
            table.useReplica(partition, response.preferredReadReplica(),
                environment.clock().nowNs() + settings.replicaMaxAgeNs());
        }
        else
        {
            onNothingNew(partition);
        }
        isMoreInLog |= table.requestOffset(partition) <
            table.partition(partition).end(settings.isReadCommitted());
    }

    /**
     * The leader has no records for us, because a replica in our rack has them.
     */
    private boolean isOtherNamed(final int partition)
    {
        return response.preferredReadReplica() >= 0 && response.preferredReadReplica() != nodeId &&
            table.leaderId(partition) == nodeId;
    }

    private void onNothingNew(final int partition)
    {
        final long nextOffset = table.nextOffset(partition);
        if (table.partition(partition).takeCaughtUp(nextOffset, settings.isReadCommitted()))
        {
            environment.listener().onCaughtUp(partition, nextOffset);
        }
    }

    /**
     * What an incremental request listed, and its answer left out, has nothing new. After a full request that began a
     * session it may be that the broker's holds it, or not: it is asked for as if new.
     */
    void onUnanswered(final FetchRequests requests)
    {
        if (!session.isOpen())
        {
            return;
        }
        for (int slot = 0; slot < requests.listedCount(); slot++)
        {
            final int partition = requests.listed(slot);
            if (session.isTaken(partition) || !session.holds(partition))
            {
                continue;
            }
            if (session.isLastFull())
            {
                session.drop(partition);
                table.setDirty(partition);
            }
            else if (session.generation(partition) == table.generation(partition))
            {
                onNothingNew(partition);
            }
        }
    }

    /**
     * Walk the batches of a record set to the offset to ask for next. What is wrong with them is found again, and
     * told, when they are delivered.
     */
    private long offsetAfter(final long fromOffset)
    {
        final int limit = response.recordsIndex() + response.recordsLength();
        int index = response.recordsIndex();
        long next = fromOffset;
        int status = batch.wrap(frame.memory(), index, limit);
        while (status > RecordBatchFlyweight.CUT_OFF)
        {
            if (status == RecordBatchFlyweight.COMPLETE)
            {
                next = Math.max(next, batch.lastOffset() + 1);
                index = batch.limit();
            }
            else if (message.wrap(frame.memory(), index, limit) == LegacyMessageFlyweight.COMPLETE)
            {
                next = Math.max(next, message.offset() + 1);
                index = message.limit();
            }
            else
            {
                return next;
            }
            status = batch.wrap(frame.memory(), index, limit);
        }
        return next;
    }

    private void onError(final int partition, final short errorCode)
    {
        if (table.isReplica(partition, nodeId))
        {
            table.leaveReplica(partition, errorCode, environment.clock().nowNs() + settings.retryBackoffNs());
            if (errorCode == ErrorCode.OFFSET_OUT_OF_RANGE)
            {
                // Of the replica, which may be behind its leader: only what the leader says of that counts.
                environment.counters().add(ConsumerCounters.PARTITION_ERRORS, 1);
                return;
            }
        }
        errors.onBrokerError(nodeId, partition, errorCode);
        final int leaderId = response.currentLeaderId();
        final int leaderEpoch = response.currentLeaderEpoch();
        if (leaderId >= 0 && leaderEpoch > table.leaderEpoch(partition))
        {
            isLeaderTold = true;
            table.leader(partition, leaderId, leaderEpoch);
            environment.counters().add(ConsumerCounters.LEADER_CHANGES, 1);
            environment.listener().onLeaderChanged(partition, leaderId, leaderEpoch);
        }
    }

    /**
     * Whether of some partition in the response there are records behind those it brought.
     */
    boolean isMoreInLog()
    {
        return isMoreInLog;
    }

    FetchResponseFlyweight response()
    {
        return response;
    }

    FetchFrame frame()
    {
        return frame;
    }
}
