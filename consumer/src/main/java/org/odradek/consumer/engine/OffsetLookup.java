// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.odradek.client.cluster.Brokers;
import org.odradek.client.cluster.ControlConnection;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.client.cluster.ReconnectBackoffs;
import org.odradek.client.cluster.TopicMetadata;
import org.odradek.client.core.Backoff;
import org.odradek.client.net.BrokerAddress;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionState;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Looks up offsets at the leaders: the offsets at which partitions start or to which they are reset, the validity of an
 * offset after the leader has changed (KIP-320), and the offsets that the user queries. Each leader has one connection
 * for these requests, so that none of them waits for a long fetch.
 */
final class OffsetLookup
{
    private static final long MAX_IDLE_NS = 10_000_000_000L;

    private static final int MAX_LEADERS = 1_000;

    private final class Leader
    {
        private final ControlConnection connection;
        private final LeaderRequest request = new LeaderRequest(settings, table);
        /** The backoff of the queries that the leader has answered with an error; other queries do not wait for it. */
        private final Backoff retries = settings.retryBackoff();
        private boolean isDue;

        Leader(final int nodeId, final BrokerAddress address)
        {
            connection = new ControlConnection(environment, ApiKey.LIST_OFFSETS, reconnects.of(nodeId, 0));
            connection.open(nodeId, address);
        }

        boolean canSend(final LeaderRequest.Query query, final long nowNs)
        {
            return !query.isInFlight && (!query.isRetry || retries.hasExpired(nowNs));
        }
    }

    private final ConsumerSettings settings;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final Brokers brokers;
    private final Environment environment;
    private final ReconnectBackoffs reconnects;
    private final Backoff metadataBackoff;
    private final Backoff lostLeaders;
    private final List<LeaderRequest.Query> queries = new ArrayList<>();
    /** The leaders, sorted by the ids of the brokers. */
    private final List<Leader> leaders = new ArrayList<>();
    /** The last query for the start or the validation of each partition; null before the first one. */
    private LeaderRequest.Query[] partitionQueries = {};

    OffsetLookup(
        final PartitionTable table,
        final PartitionErrors errors,
        final Brokers brokers,
        final Environment environment)
    {
        settings = environment.settings();
        this.table = table;
        this.errors = errors;
        this.brokers = brokers;
        this.environment = environment;
        reconnects = new ReconnectBackoffs(settings);
        metadataBackoff = settings.metadataBackoff();
        lostLeaders = settings.retryBackoff();
    }

    OffsetQuery query(final int partition, final long timestamp)
    {
        final LeaderRequest.Query query = LeaderRequest.Query.ofUser(partition, timestamp);
        queries.add(query);
        return query;
    }

    void findPartitions()
    {
        if (partitionQueries.length < table.capacity())
        {
            partitionQueries = Arrays.copyOf(partitionQueries, table.capacity());
        }
        for (int p = 0; p < table.capacity(); p++)
        {
            final byte state = table.state(p);
            final boolean isWaiting =
                state == PartitionTable.AWAITING_OFFSET || state == PartitionTable.AWAITING_VALIDATION;
            if (isWaiting && (partitionQueries[p] == null || partitionQueries[p].isStale(table)))
            {
                final LeaderRequest.Query query = LeaderRequest.Query.of(p, table);
                // The leader has refused the partition's last query; a new query does not end the backoff.
                query.isRetry = partitionQueries[p] != null && partitionQueries[p].isRetry;
                partitionQueries[p] = query;
                queries.add(query);
            }
        }
    }

    boolean isIdle()
    {
        return queries.isEmpty() && leaders.isEmpty();
    }

    int doWork(final boolean isPollingSocket, final TopicMetadata topic)
    {
        int work = 0;
        for (int i = leaders.size() - 1; i >= 0; i--)
        {
            final Leader leader = leaders.get(i);
            work += leader.connection.doWork(isPollingSocket);
            if (leader.connection.takeAnswered() != null)
            {
                applyResults(leader);
            }
        }
        checkLeaders();
        if (!queries.isEmpty())
        {
            removeEnded(topic);
            work += connect() + send();
        }
        assert isConsistent();
        return work;
    }

    private void checkLeaders()
    {
        final long nowNs = environment.clock().nowNs();
        leaders.forEach((leader) -> leader.isDue = false);
        for (int i = 0; i < queries.size(); i++)
        {
            final int index = indexOf(leaderId(queries.get(i)));
            if (index >= 0)
            {
                leaders.get(index).isDue = true;
            }
        }
        for (int i = leaders.size() - 1; i >= 0; i--)
        {
            final Leader leader = leaders.get(i);
            if (leader.connection.takeFailed() && leader.isDue)
            {
                table.requestMetadata(lostLeaders, nowNs);
            }
            // A connection with a backoff is kept, because a new connection to the leader would begin without the
            // backoff.
            if (!leader.isDue && leader.retries.hasExpired(nowNs) && leader.request.backoff().hasExpired(nowNs) &&
                (leader.connection.isUnused(MAX_IDLE_NS) || !leader.connection.isReady()))
            {
                leaders.remove(i).connection.free();
            }
        }
    }

    private void removeEnded(final TopicMetadata topic)
    {
        final long nowNs = environment.clock().nowNs();
        int kept = 0;
        for (int i = 0; i < queries.size(); i++)
        {
            final LeaderRequest.Query query = queries.get(i);
            if (query.isInFlight ||
                !query.isStale(table) && !query.endIfGone(topic.partitionCount(), topic.errorCode(), nowNs))
            {
                queries.set(kept++, query);
            }
        }
        queries.subList(kept, queries.size()).clear();
    }

    private void applyResults(final Leader leader)
    {
        // A partition whose query was refused and has become stale must still wait for the leader's backoff.
        findPartitions();
        boolean isComplete = true;
        int kept = 0;
        // A listener may add queries meanwhile.
        for (int i = 0; i < queries.size(); i++)
        {
            final LeaderRequest.Query query = queries.get(i);
            boolean isEnded = false;
            if (query.hasResult)
            {
                final boolean isStale = query.isStale(table);
                final boolean isSuccess = isStale ? !refuseAgain(query) : applyResult(query);
                isComplete &= isSuccess;
                isEnded = isStale || isSuccess;
            }
            if (!isEnded)
            {
                queries.set(kept++, query);
            }
        }
        queries.subList(kept, queries.size()).clear();
        if (!isComplete)
        {
            leader.retries.failed(environment.clock().nowNs());
        }
        else if (!isAnyRetried(leader))
        {
            leader.retries.succeeded();
        }
    }

    /**
     * Makes the next query of a partition wait for the backoff, if the leader has refused a stale query with the same
     * request.
     *
     * @return true if the leader has refused such a query.
     */
    private boolean refuseAgain(final LeaderRequest.Query query)
    {
        final LeaderRequest.Query next = partitionQueries[query.partition()];
        final boolean isRefused = query.resultCode != ErrorCode.NONE && next.isSameRequest(query) &&
            table.leaderId(query.partition()) == query.leaderId;
        next.isRetry |= isRefused;
        return isRefused;
    }

    private boolean isAnyRetried(final Leader leader)
    {
        return queries.stream().anyMatch((query) -> query.isRetry && leaderId(query) == leader.connection.nodeId());
    }

    /** @return false if the query must be sent again. */
    private boolean applyResult(final LeaderRequest.Query query)
    {
        final short errorCode = query.resultCode;
        if (errorCode == ErrorCode.NONE && query.isStart() && query.offset() < 0 &&
            query.timestamp() == ListOffsetsRequestEncoder.LATEST_TIMESTAMP)
        {
            // Every log has an end, so the leader does not know the end yet.
            query.retry();
            return false;
        }
        if (errorCode == ErrorCode.NONE)
        {
            metadataBackoff.succeeded();
            lostLeaders.succeeded();
            query.end();
            if (query.isValidation())
            {
                onEpochEnd(query);
            }
            else if (query.isStart())
            {
                onStart(query);
            }
            return true;
        }
        if (ErrorCode.isUnknownPartition(errorCode))
        {
            table.requestMetadata(metadataBackoff, environment.clock().nowNs());
        }
        else
        {
            errors.requestMetadataAfter(errorCode, PartitionLeaders.Need.ERROR);
        }
        final boolean isRetriable = ControlRequest.isRetriable(errorCode);
        if (query.isOfUser() && !isRetriable)
        {
            query.end();
            return true;
        }
        if (query.isValidation() || query.isStart() && !isRetriable)
        {
            // This may stop the partition, which makes the query stale.
            errors.onBrokerError(query.leaderId, query.partition(), errorCode);
        }
        query.retry();
        return false;
    }

    private int connect()
    {
        int work = 0;
        boolean hasRoom = true;
        for (int i = 0; i < queries.size(); i++)
        {
            final int nodeId = leaderId(queries.get(i));
            final BrokerAddress address = brokers.address(nodeId);
            if (address == null && queries.get(i).isOfUser())
            {
                // The last metadata may be older than the partition.
                table.requestMetadata(metadataBackoff, environment.clock().nowNs());
            }
            int index = address == null ? 0 : indexOf(nodeId);
            if (address != null && index >= 0 && !leaders.get(index).connection.address().isSame(address))
            {
                leaders.remove(index).connection.free();
                index = ~index;
            }
            if (index < 0 && hasRoom)
            {
                hasRoom =
                    leaders.size() < MAX_LEADERS && environment.budget().findRoom(settings.controlBufferLength());
                if (hasRoom)
                {
                    leaders.add(~index, new Leader(nodeId, address));
                    work++;
                }
            }
        }
        return work;
    }

    private int leaderId(final LeaderRequest.Query query)
    {
        return query.partition() < table.capacity() ? table.leaderId(query.partition()) : PartitionTable.NULL_LEADER;
    }

    private int indexOf(final int nodeId)
    {
        int low = 0;
        int high = leaders.size() - 1;
        while (low <= high)
        {
            final int middle = low + high >>> 1;
            final int found = leaders.get(middle).connection.nodeId();
            if (found == nodeId)
            {
                return middle;
            }
            low = found < nodeId ? middle + 1 : low;
            high = found < nodeId ? high : middle - 1;
        }
        return ~low;
    }

    private int send()
    {
        for (int i = 0; i < leaders.size(); i++)
        {
            final Leader leader = leaders.get(i);
            leader.isDue = leader.connection.prepare(leader.request);
        }
        addQueries(true);
        addQueries(false);
        int work = 0;
        for (int i = 0; i < leaders.size(); i++)
        {
            final Leader leader = leaders.get(i);
            if (leader.isDue && !leader.request.isEmpty())
            {
                leader.connection.send(leader.request);
                work++;
            }
        }
        return work;
    }

    private void addQueries(final boolean isValidating)
    {
        final long nowNs = environment.clock().nowNs();
        for (int i = 0; i < queries.size(); i++)
        {
            final LeaderRequest.Query query = queries.get(i);
            final int index = query.isValidation() == isValidating ? indexOf(leaderId(query)) : -1;
            final Leader leader = index < 0 ? null : leaders.get(index);
            if (leader != null && leader.isDue && leader.canSend(query, nowNs))
            {
                if (!isValidating || leader.connection.isSupported(ApiKey.OFFSET_FOR_LEADER_EPOCH))
                {
                    query.leaderId = leader.connection.nodeId();
                    leader.request.add(query);
                }
                else
                {
                    // Brokers before 2.3 do not let a consumer request the end of an epoch.
                    table.validated(query.partition());
                }
            }
        }
    }

    /**
     * The policy NEAREST looks up the beginning of the log first and then its end, if necessary, because the broker's
     * error does not say whether the requested offset is before the beginning or after the end of the log.
     */
    private void onStart(final LeaderRequest.Query query)
    {
        final int partition = query.partition();
        final PartitionState.Lookup lookup = table.partition(partition).lookup();
        final boolean isFound = query.offset() >= 0;
        if (isFound && query.timestamp() == ListOffsetsRequestEncoder.LATEST_TIMESTAMP && lookup.startTimestamp() >= 0)
        {
            table.lookUpNext(partition, lookup.startTimestamp(), query.offset(), query.leaderEpoch());
        }
        else if (isFound || lookup.endOffset() >= 0)
        {
            // If no record has that timestamp or a later one, the partition starts at the end of the log.
            onStart(query, isFound ? query.offset() : lookup.endOffset(),
                isFound ? query.leaderEpoch() : lookup.endEpoch());
        }
        else
        {
            table.lookUpNext(partition, ListOffsetsRequestEncoder.LATEST_TIMESTAMP, PartitionTable.NULL_OFFSET,
                PartitionTable.NULL_EPOCH);
        }
    }

    private void onStart(final LeaderRequest.Query query, final long offset, final int leaderEpoch)
    {
        final int partition = query.partition();
        final long fromOffset = table.nextOffset(partition);
        final boolean isNearest = settings.offsetResetPolicy.kind() == OffsetResetPolicy.Kind.NEAREST;
        if (fromOffset == PartitionTable.NULL_OFFSET)
        {
            table.seek(partition, offset, leaderEpoch);
        }
        else if (isNearest && offset <= fromOffset &&
            query.timestamp() == ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP)
        {
            // The offset is not before the beginning of the log, so it is after its end.
            table.lookUp(partition, ListOffsetsRequestEncoder.LATEST_TIMESTAMP);
        }
        else if (isNearest && offset >= fromOffset &&
            query.timestamp() == ListOffsetsRequestEncoder.LATEST_TIMESTAMP)
        {
            // The log has grown up to the offset in the meantime.
            table.validated(partition);
            errors.backOff(partition, ErrorCode.OFFSET_OUT_OF_RANGE);
        }
        else
        {
            reset(partition, fromOffset, offset, leaderEpoch);
        }
    }

    private void reset(final int partition, final long fromOffset, final long toOffset, final int offsetEpoch)
    {
        final boolean isSame = toOffset == fromOffset;
        table.seek(partition, toOffset, isSame ? PartitionTable.NULL_EPOCH : offsetEpoch);
        if (isSame)
        {
            // The leader contradicts itself, so the partition is fetched again only after a backoff.
            errors.backOff(partition, ErrorCode.OFFSET_OUT_OF_RANGE);
        }
        environment.counters().add(ConsumerCounters.RESETS, 1);
        if (toOffset > fromOffset)
        {
            environment.counters().add(ConsumerCounters.GAPS, 1);
            environment.counters().add(ConsumerCounters.OFFSETS_SKIPPED, toOffset - fromOffset);
        }
        // The events come last, because a listener may seek elsewhere.
        environment.listener().onReset(partition, fromOffset, toOffset);
        if (toOffset > fromOffset)
        {
            environment.listener().onGap(partition, fromOffset, toOffset, GapReason.OUT_OF_RANGE);
        }
    }

    /**
     * Handles the answer to a validation: the largest epoch of the leader's log up to the requested one, and the end
     * offset of that epoch, or -1 if the leader has no such epoch.
     */
    private void onEpochEnd(final LeaderRequest.Query query)
    {
        final int partition = query.partition();
        final long epochOffset = table.partition(partition).epochOffset();
        // A log without the epoch of delivered records has other records from that epoch on (KIP-279).
        final boolean isEpochMissing =
            epochOffset != PartitionTable.NULL_OFFSET && query.leaderEpoch() < table.offsetEpoch(partition);
        if (query.leaderEpoch() < 0 || query.offset() < 0)
        {
            onTruncation(query, PartitionTable.NULL_OFFSET, PartitionTable.NULL_EPOCH);
        }
        else if (isEpochMissing || query.offset() < table.nextOffset(partition))
        {
            onTruncation(query, isEpochMissing ? Math.min(epochOffset, query.offset()) : query.offset(),
                query.leaderEpoch());
        }
        else
        {
            table.validated(partition);
        }
    }

    private void onTruncation(final LeaderRequest.Query query, final long divergentOffset, final int leaderEpoch)
    {
        final int partition = query.partition();
        final long fromOffset = table.nextOffset(partition);
        final int ownershipEpoch = table.partition(partition).ownershipEpoch();
        environment.counters().add(ConsumerCounters.TRUNCATIONS, 1);
        environment.listener().onTruncation(partition, fromOffset, divergentOffset, leaderEpoch);
        // If the partition does not wait any more, the listener has sought or unassigned it. A pause changes nothing
        // here.
        final boolean isWaiting = table.state(partition) == PartitionTable.AWAITING_VALIDATION &&
            table.partition(partition).ownershipEpoch() == ownershipEpoch;
        if (isWaiting && settings.offsetResetPolicy.kind() == OffsetResetPolicy.Kind.FAIL)
        {
            errors.onTruncated(query.leaderId, partition, divergentOffset);
        }
        else if (isWaiting && divergentOffset == PartitionTable.NULL_OFFSET)
        {
            table.lookUp(partition, errors.resetTimestamp());
        }
        else if (isWaiting)
        {
            reset(partition, fromOffset, divergentOffset, leaderEpoch);
        }
    }

    long nextDeadlineNs(final long otherwiseNs)
    {
        final long nowNs = environment.clock().nowNs();
        long nextNs = otherwiseNs;
        leaders.forEach((leader) -> leader.isDue = false);
        for (int i = 0; i < queries.size(); i++)
        {
            final LeaderRequest.Query query = queries.get(i);
            final int nodeId = leaderId(query);
            final int index = query.isInFlight ? -1 : indexOf(nodeId);
            if (query.isOfUser() && brokers.address(nodeId) == null && metadataBackoff.deadlineNs() - nextNs < 0)
            {
                nextNs = metadataBackoff.deadlineNs();
            }
            if (index >= 0)
            {
                final Leader leader = leaders.get(index);
                leader.isDue |= leader.canSend(query, nowNs);
                if (!leader.isDue && leader.retries.deadlineNs() - nextNs < 0)
                {
                    nextNs = leader.retries.deadlineNs();
                }
            }
        }
        for (int i = 0; i < leaders.size(); i++)
        {
            final Leader leader = leaders.get(i);
            nextNs = leader.connection.nextDeadlineNs(leader.isDue ? leader.request : null, nextNs);
        }
        return nextNs;
    }

    void free()
    {
        leaders.forEach((leader) -> leader.connection.free());
        leaders.clear();
    }

    private boolean isConsistent()
    {
        boolean isConsistent = leaders.size() <= MAX_LEADERS;
        for (int i = 1; i < leaders.size() && isConsistent; i++)
        {
            // The binary search needs this order.
            isConsistent = leaders.get(i - 1).connection.nodeId() < leaders.get(i).connection.nodeId();
        }
        for (int i = 0; i < queries.size() && isConsistent; i++)
        {
            // Ended queries are removed, and each result is applied in the cycle in which it was read.
            isConsistent = !queries.get(i).isDone() && !queries.get(i).hasResult;
        }
        return isConsistent;
    }

    void describe(final StringBuilder text)
    {
        leaders.forEach((leader) -> text.append("offsets from ").append(leader.connection).append('\n'));
        text.append(queries.isEmpty() ? "" : "offset queries outstanding: " + queries.size() + '\n');
    }
}
