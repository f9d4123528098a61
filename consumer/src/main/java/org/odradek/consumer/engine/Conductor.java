// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.agrona.collections.ArrayUtil;
import org.odradek.client.cluster.Brokers;
import org.odradek.client.cluster.ControlConnection;
import org.odradek.client.cluster.Metadata;
import org.odradek.client.cluster.ReconnectBackoffs;
import org.odradek.client.cluster.TopicMetadata;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.engine.Leaders;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.BrokerConnection;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.BrokerFetcher;
import org.odradek.consumer.fetch.FetchConnections;
import org.odradek.consumer.fetch.PartitionAssignment;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionState;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.group.GroupCoordinator;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireLimits;

import java.util.HashMap;
import java.util.Map;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Does the work of a duty cycle except delivery: metadata, the assignment of partitions to fetchers, offset lookups,
 * the coordinators of groups, and one {@link BrokerFetcher} for each connection to a broker from which partitions are
 * read.
 */
public final class Conductor implements PartitionAssignment.CommittedOffset
{
    private static final int MAX_GROUP_STEPS = 32;

    private final int receiveBufferLength;
    private final ConsumerSettings settings;
    /** This field is null without a handler. */
    private final FetchFrameHandler frameHandler;
    private final TopicIdentity topic;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final Environment environment;
    private final Brokers brokers;
    private final Metadata metadata;
    private final TopicMetadata topicMetadata;
    private final OffsetLookup offsets;

    private final ReconnectBackoffs reconnectBackoffs;
    /**
     * The state of the connections to each broker, by broker id. This state outlives the fetchers, because partitions
     * may leave a broker and return to it.
     */
    private final Map<Integer, FetchConnections> fetchConnections = new HashMap<>();

    private boolean isAnyWithoutFetcher;
    /** True while the connections to coordinators do their work, which a callback of this work must not start again. */
    private boolean isAtCoordinators;
    private int nextFetcher;
    private long nextCheckNs;
    /** The fetchers, sorted by the ids of the brokers and the numbers of the connections. */
    private BrokerFetcher[] fetchers = {};
    private GroupCoordinator[] groups = {};

    public Conductor(
        final BrokerAddress[] bootstrap,
        final FetchFrameHandler frameHandler,
        final TopicIdentity topic,
        final PartitionTable table,
        final PartitionErrors errors,
        final Environment environment)
    {
        settings = environment.settings();
        reconnectBackoffs = new ReconnectBackoffs(settings);
        receiveBufferLength = settings.receiveBufferLength();
        this.frameHandler = frameHandler;
        this.topic = topic;
        this.table = table;
        this.errors = errors;
        this.environment = environment;
        brokers = new Brokers(bootstrap, environment);
        metadata = new Metadata(
            brokers, new ControlConnection(environment, ApiKey.METADATA, settings.reconnectBackoff()), environment);
        topicMetadata = metadata.add(topic, table, environment.listener()::onLeaderChanged);
        offsets = new OffsetLookup(table, errors, brokers, environment);
        nextCheckNs = environment.clock().nowNs();
    }

    /** @param isPollingSocket true to read also sockets that the poller has not reported as ready. */
    public int doWork(final boolean isPollingSocket)
    {
        final long nowNs = environment.clock().nowNs();
        int work = metadata.doWork(isPollingSocket);
        if (topicMetadata.takeTopicRecreated())
        {
            errors.onTopicRecreated();
        }
        if (table.takeAssignmentChanged())
        {
            distributePartitions();
            nextCheckNs = nowNs;
            work++;
        }
        if (nextCheckNs - nowNs <= 0)
        {
            nextCheckNs = nowNs + DutyClock.INTERVAL_NS;
            table.expireReplicas(nowNs);
            if (isAnyWithoutFetcher && environment.budget().findRoom(receiveBufferLength))
            {
                table.changeAssignment();
            }
            if (table.checkWaiting(nowNs))
            {
                offsets.findPartitions();
            }
        }
        if (!offsets.isIdle())
        {
            work += offsets.doWork(isPollingSocket, topicMetadata);
        }
        isAtCoordinators = true;
        for (final GroupCoordinator group : groups)
        {
            work += group.receive(isPollingSocket, topicMetadata.partitionCount(), topicMetadata.errorCode());
        }
        isAtCoordinators = false;
        for (final BrokerFetcher fetcher : fetchers)
        {
            work += fetcher.doWork(isPollingSocket);
        }
        return work;
    }

    /** This method runs after the member has taken and given up partitions, so that a heartbeat reports the change. */
    public void sendToCoordinators()
    {
        isAtCoordinators = true;
        for (final GroupCoordinator group : groups)
        {
            advance(group);
        }
        isAtCoordinators = false;
    }

    /**
     * Receives and sends, in up to {@link #MAX_GROUP_STEPS} steps, until requests are in flight or no step is left,
     * because a handler may delay the next cycle by seconds.
     */
    private void advance(final GroupCoordinator group)
    {
        int done = 1;
        for (int step = 0; step < MAX_GROUP_STEPS && done > 0; step++)
        {
            done = group.isInFlight() ? 0 :
                group.receive(true, topicMetadata.partitionCount(), topicMetadata.errorCode());
            done += group.send();
        }
    }

    /** After an exception, the next cycle distributes the partitions again. */
    private void distributePartitions()
    {
        try
        {
            putEndpoints();
            assignFetchers();
        }
        catch (final RuntimeException | Error ex)
        {
            table.changeAssignment();
            throw ex;
        }
    }

    private void putEndpoints()
    {
        for (PartitionTable.LeaderEndpoint e = table.takeEndpoint(); e != null; e = table.takeEndpoint())
        {
            brokers.put(e.nodeId(), e.host(), e.port());
        }
    }

    private void assignFetchers()
    {
        final int capacity = table.capacity();
        isAnyWithoutFetcher = false;
        for (final BrokerFetcher fetcher : fetchers)
        {
            fetcher.clearPartitions(capacity);
        }
        for (int p = 0; p < capacity; p++)
        {
            if (table.isAssigned(p) && table.leaderId(p) != PartitionTable.NULL_LEADER)
            {
                addToFetcher(p, capacity);
            }
        }
        openConnections(capacity);
        for (int i = fetchers.length - 1; i >= 0; i--)
        {
            if (isUnused(i))
            {
                fetchers[i].free();
                fetchers = ArrayUtil.remove(fetchers, i);
            }
            else
            {
                // This follows the listing of its partitions, because a new address loses the requests in flight of
                // each of them.
                fetchers[i].address(brokers.address(fetchers[i].nodeId()));
            }
        }
        nextFetcher = 0;
        assert isConsistent();
    }

    private void addToFetcher(final int partition, final int capacity)
    {
        final PartitionState state = table.partition(partition);
        final int nodeId = state.nodeId();
        if (brokers.address(nodeId) == null)
        {
            table.invalidate(partition);
            table.requestMetadata();
            if (nodeId != table.leaderId(partition))
            {
                table.leaveReplica(partition);
                errors.backOff(partition, ErrorCode.REPLICA_NOT_AVAILABLE);
            }
            return;
        }
        int index = Leaders.indexOf(fetchers, nodeId, 0);
        if (index < 0 && !isAnyWithoutFetcher && environment.budget().findRoom(receiveBufferLength))
        {
            index = ~index;
            insertFetcher(index, 0, capacity, connectionsTo(nodeId));
        }
        if (index < 0)
        {
            isAnyWithoutFetcher = true;
            return;
        }
        final int own = Leaders.indexOf(fetchers, nodeId, state.connection());
        index = own < 0 ? index : own;
        table.joinConnection(partition, fetchers[index].number());
        fetchers[index].addPartition(partition);
    }

    /** The state of all brokers is forgotten when there are {@link WireLimits#MAX_BROKERS} broker ids. */
    private FetchConnections connectionsTo(final int nodeId)
    {
        if (fetchConnections.size() >= WireLimits.MAX_BROKERS)
        {
            fetchConnections.clear();
        }
        return fetchConnections.computeIfAbsent(nodeId, (id) -> new FetchConnections(id, table, environment));
    }

    private void openConnections(final int capacity)
    {
        for (int i = 0; i < fetchers.length; i++)
        {
            final FetchConnections connections = fetchers[i].connections();
            final int number = connections.opening();
            final int index = Leaders.indexOf(fetchers, connections.nodeId(), number);
            if (number >= 0 && index < 0 && fetchers[i].isFirst() && isReadFrom(connections.nodeId()))
            {
                if (environment.budget().findRoom(receiveBufferLength))
                {
                    insertFetcher(~index, number, capacity, connections);
                }
                else
                {
                    connections.onFailed(number, true);
                }
            }
        }
    }

    /**
     * Returns true for a fetcher without partitions, except for the first connection to a broker while there are
     * others, and for another connection that is being opened or kept while partitions are read from the broker.
     */
    private boolean isUnused(final int index)
    {
        final BrokerFetcher fetcher = fetchers[index];
        if (fetcher.partitionCount() > 0)
        {
            return false;
        }
        if (fetcher.isFirst())
        {
            return index + 1 == fetchers.length || fetchers[index + 1].nodeId() != fetcher.nodeId();
        }
        return !fetcher.connections().isKept(fetcher.number()) || !isReadFrom(fetcher.nodeId());
    }

    private boolean isReadFrom(final int nodeId)
    {
        boolean isAny = false;
        int i = Leaders.indexOf(fetchers, nodeId, 0);
        while (i < fetchers.length && fetchers[i].nodeId() == nodeId && !isAny)
        {
            isAny = fetchers[i].partitionCount() > 0;
            i++;
        }
        return isAny;
    }

    private void insertFetcher(
        final int index, final int number, final int capacity, final FetchConnections connections)
    {
        final BrokerConnection connection = new BrokerConnection(environment, receiveBufferLength, ApiKey.FETCH,
            reconnectBackoffs.of(connections.nodeId(), number), number);
        final BrokerFetcher fetcher =
            new BrokerFetcher(connections, connection, frameHandler, topic, errors, table, environment);
        fetcher.clearPartitions(capacity);
        fetchers = Leaders.insert(fetchers, index, fetcher);
    }

    /** Returns the next fetcher, in rotation, that has a response to deliver; null if there is none. */
    public BrokerFetcher nextDelivering()
    {
        for (int i = 0; i < fetchers.length; i++)
        {
            assert nextFetcher < fetchers.length;
            final BrokerFetcher fetcher = fetchers[nextFetcher];
            nextFetcher = nextFetcher + 1 < fetchers.length ? nextFetcher + 1 : 0;
            if (fetcher.isDelivering())
            {
                return fetcher;
            }
        }
        return null;
    }

    public boolean isAnyDelivering()
    {
        boolean isAny = false;
        for (int i = 0; i < fetchers.length && !isAny; i++)
        {
            isAny = fetchers[i].isDelivering();
        }
        return isAny;
    }

    public void park()
    {
        for (final BrokerFetcher fetcher : fetchers)
        {
            if (fetcher.isDelivering())
            {
                fetcher.park();
            }
        }
    }

    public boolean isReady()
    {
        for (int p = 0; p < table.capacity(); p++)
        {
            if (table.isAssigned(p) && table.state(p) != PartitionTable.STOPPED && !isReady(p))
            {
                return false;
            }
        }
        return topicMetadata.partitionCount() > 0;
    }

    private boolean isReady(final int partition)
    {
        final PartitionState state = table.partition(partition);
        final int index = Leaders.indexOf(fetchers, state.nodeId(), state.connection());
        return table.state(partition) == PartitionTable.FETCHING && index >= 0 && fetchers[index].isReady();
    }

    public OffsetQuery queryOffset(final int partition, final long timestamp)
    {
        return offsets.query(partition, timestamp);
    }

    /** Returns the coordinator of a group; the first call for a group creates it. */
    public GroupCoordinator group(final String groupId)
    {
        for (final GroupCoordinator group : groups)
        {
            if (group.groupId().equals(groupId))
            {
                return group;
            }
        }
        final GroupCoordinator group = new GroupCoordinator(groupId, topic, table, brokers, environment);
        groups = ArrayUtil.add(groups, group);
        return group;
    }

    @Override
    public CommittedOffsets request(final String groupId, final int partition)
    {
        return group(groupId).fetch(partition);
    }

    @Override
    public void cancel(final CommittedOffsets request)
    {
        group(request.groupId()).cancel(request);
    }

    public boolean isCommitted()
    {
        for (final GroupCoordinator group : groups)
        {
            if (!group.commits().isIdle())
            {
                return false;
            }
        }
        return true;
    }

    /** In a callback of the connection to a coordinator, this method does nothing. */
    public void keepAlive()
    {
        for (final GroupCoordinator group : groups)
        {
            if (group.hasMember() && !isAtCoordinators)
            {
                isAtCoordinators = true;
                group.receive(true, topicMetadata.partitionCount(), topicMetadata.errorCode());
                advance(group);
                isAtCoordinators = false;
            }
        }
    }

    /**
     * Sends the last requests to coordinators, and closes all other connections, because data that arrives on them
     * would end each wait at once.
     */
    public void sendLast()
    {
        metadata.close();
        offsets.free();
        freeFetchers();
        isAtCoordinators = true;
        for (final GroupCoordinator group : groups)
        {
            group.sendLast();
        }
    }

    /** Returns false while a coordinator has not closed the connection over which the last requests were sent. */
    public boolean drain()
    {
        boolean isDrained = true;
        for (final GroupCoordinator group : groups)
        {
            isDrained &= group.drain();
        }
        return isDrained;
    }

    /** Reports commits that wait although the consumer is being closed by a thread that cannot send them. */
    public void reportUnsent()
    {
        for (final GroupCoordinator group : groups)
        {
            group.reportUnsent();
        }
    }

    public void reportLast()
    {
        for (final GroupCoordinator group : groups)
        {
            group.reportLast();
        }
    }

    public int partitionCount()
    {
        return topicMetadata.partitionCount();
    }

    public int fetcherCount()
    {
        return fetchers.length;
    }

    public BrokerFetcher fetcher(final int index)
    {
        return fetchers[index];
    }

    public boolean isRequestingMetadata()
    {
        return metadata.isInFlight();
    }

    /** Returns true if the last response of a fetcher had 64 KiB or more. */
    public boolean isBulk()
    {
        for (final BrokerFetcher fetcher : fetchers)
        {
            if (fetcher.isBulk())
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the time of the duty clock at which there is work even if no byte arrives, or {@code otherwiseNs} if that
     * is earlier.
     */
    public long nextDeadlineNs(final long otherwiseNs)
    {
        if (table.hasChanges())
        {
            return environment.clock().nowNs();
        }
        long nextNs = offsets.nextDeadlineNs(metadata.nextDeadlineNs(otherwiseNs));
        for (final GroupCoordinator group : groups)
        {
            nextNs = group.nextDeadlineNs(nextNs);
        }
        for (final BrokerFetcher fetcher : fetchers)
        {
            nextNs = fetcher.nextDeadlineNs(nextNs);
        }
        return table.isAnyWaiting() || isAnyWithoutFetcher ? earlier(nextCheckNs, nextNs) : nextNs;
    }

    public void free()
    {
        metadata.free();
        offsets.free();
        for (final GroupCoordinator group : groups)
        {
            group.free();
        }
        groups = new GroupCoordinator[0];
        freeFetchers();
    }

    private void freeFetchers()
    {
        for (final BrokerFetcher fetcher : fetchers)
        {
            fetcher.free();
        }
        fetchers = new BrokerFetcher[0];
    }

    private boolean isConsistent()
    {
        boolean isConsistent = true;
        int readCount = 0;
        for (int i = 0; i < fetchers.length && isConsistent; i++)
        {
            // The binary search needs this order, and the first connection to a broker stays while there are others.
            isConsistent = fetchers[i].isFirst() ? i == 0 || fetchers[i - 1].nodeId() < fetchers[i].nodeId() :
                i > 0 && fetchers[i - 1].nodeId() == fetchers[i].nodeId() &&
                fetchers[i - 1].number() < fetchers[i].number();
            readCount += fetchers[i].partitionCount();
        }
        int assignedCount = 0;
        for (int p = 0; p < table.capacity(); p++)
        {
            assignedCount += table.isAssigned(p) ? 1 : 0;
        }
        // No partition is read that is not assigned, or over two connections.
        return isConsistent && readCount <= assignedCount;
    }

    public void describe(final StringBuilder text)
    {
        text.append(brokers).append('\n').append(metadata).append('\n').append(topicMetadata).append('\n');
        offsets.describe(text);
        for (final GroupCoordinator group : groups)
        {
            text.append(group).append('\n');
        }
        for (final BrokerFetcher fetcher : fetchers)
        {
            text.append("fetcher: ").append(fetcher).append('\n');
        }
    }
}
