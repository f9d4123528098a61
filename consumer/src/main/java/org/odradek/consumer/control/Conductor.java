// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.BrokerFetcher;
import org.odradek.consumer.fetch.FetchSettings;
import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.OffsetQuery;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.fetch.FetchRequestEncoder;

import java.util.Arrays;

/**
 * Keeps the fetchers in step with the cluster: bootstrap, metadata, places to begin, one fetcher for each broker that a
 * partition is read from. Looks for the marks that fetching leaves in the {@link PartitionTable}.
 */
public final class Conductor
{
    /**
     * How often to look at what only time changes.
     */
    public static final long INTERVAL_NS = 10_000_000L;

    /**
     * Stands for a place that is not to be asked of a leader: who assigned the partition will seek it there.
     */
    public static final long SOUGHT_LATER_TIMESTAMP = Long.MIN_VALUE;

    private final int receiveBufferLength;
    private final ControlSettings settings;
    private final FetchSettings fetchSettings;
    private final FetchTopic topic;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final ConsumerEnvironment environment;
    private final ClusterView cluster;
    private final MetadataRefresher metadata;
    private final OffsetResolver offsets;
    private final GroupCoordinators groups;

    private int nextFetcher;
    private long lookAgainNs;
    private BrokerFetcher[] fetchers = {};

    /**
     * @param settings            of control.
     * @param fetchSettings       of fetching.
     * @param receiveBufferLength of a fetching connection in bytes, at the start.
     * @param topic               that is read.
     * @param table               of its partitions.
     * @param errors              what to do with a partition in error.
     * @param environment         shared.
     */
    public Conductor(
        final ControlSettings settings,
        final FetchSettings fetchSettings,
        final int receiveBufferLength,
        final FetchTopic topic,
        final PartitionTable table,
        final PartitionErrors errors,
        final ConsumerEnvironment environment)
    {
        this.settings = settings;
        this.fetchSettings = fetchSettings;
        this.receiveBufferLength = receiveBufferLength;
        this.topic = topic;
        this.table = table;
        this.errors = errors;
        this.environment = environment;
        cluster = new ClusterView(settings.resolver(), environment.counters());
        metadata = new MetadataRefresher(settings, topic, table, errors, cluster, environment);
        final byte isolationLevel = fetchSettings.isReadCommitted() ?
            FetchRequestEncoder.READ_COMMITTED : FetchRequestEncoder.READ_UNCOMMITTED;
        offsets = new OffsetResolver(settings, isolationLevel, topic, table, errors, cluster, environment);
        groups = new GroupCoordinators(settings, topic, table, cluster, environment);
        lookAgainNs = environment.clock().nowNs();
    }

    /**
     * One duty cycle: everything but delivery.
     *
     * @param isLooking true: read sockets even if the poller has not marked them.
     * @return amount of work done; 0 means idle.
     */
    public int doWork(final boolean isLooking)
    {
        final long nowNs = environment.clock().nowNs();
        int work = metadata.doWork(isLooking);
        if (table.takeAssignmentChanged())
        {
            learnEndpoints();
            assignFetchers();
            lookAgainNs = nowNs;
            work++;
        }
        if (lookAgainNs - nowNs <= 0)
        {
            lookAgainNs = nowNs + INTERVAL_NS;
            table.expireReplicas(nowNs);
            if (table.checkWaiting(nowNs))
            {
                offsets.findQuestions();
            }
        }
        if (!offsets.isIdle())
        {
            work += offsets.doWork(isLooking);
        }
        work += groups.doWork(isLooking, metadata.partitionCount());
        for (final BrokerFetcher fetcher : fetchers)
        {
            work += fetcher.doWork(isLooking);
        }
        return work;
    }

    private void learnEndpoints()
    {
        PartitionTable.LeaderEndpoint endpoint = table.takeEndpoint();
        while (endpoint != null)
        {
            cluster.learn(endpoint.nodeId(), endpoint.host(), endpoint.port());
            endpoint = table.takeEndpoint();
        }
    }

    private void assignFetchers()
    {
        final int capacity = table.capacity();
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
        for (int i = fetchers.length - 1; i >= 0; i--)
        {
            if (fetchers[i].partitionCount() == 0)
            {
                fetchers[i].free();
                fetchers[i] = fetchers[fetchers.length - 1];
                fetchers = Arrays.copyOf(fetchers, fetchers.length - 1);
            }
            else
            {
                // After its partitions are listed: what was on its way of each of them is lost with the connection.
                fetchers[i].address(cluster.address(fetchers[i].nodeId()));
            }
        }
        nextFetcher = 0;
    }

    private void addToFetcher(final int partition, final int capacity)
    {
        final int nodeId = table.partition(partition).nodeId();
        if (cluster.address(nodeId) == null)
        {
            table.invalidate(partition);
            table.requestMetadata();
            if (nodeId != table.leaderId(partition))
            {
                table.leaveReplica(partition, ErrorCode.REPLICA_NOT_AVAILABLE,
                    environment.clock().nowNs() + fetchSettings.retryBackoffNs());
            }
            return;
        }
        BrokerFetcher fetcher = fetcherOf(nodeId);
        if (fetcher == null)
        {
            fetcher = new BrokerFetcher(
                nodeId, receiveBufferLength, settings.connectionSettings(), fetchSettings, topic, errors, table);
            fetcher.clearPartitions(capacity);
            fetchers = Arrays.copyOf(fetchers, fetchers.length + 1);
            fetchers[fetchers.length - 1] = fetcher;
        }
        fetcher.addPartition(partition);
    }

    private BrokerFetcher fetcherOf(final int nodeId)
    {
        for (final BrokerFetcher fetcher : fetchers)
        {
            if (fetcher.nodeId() == nodeId)
            {
                return fetcher;
            }
        }
        return null;
    }

    /**
     * The next fetcher, in turn, that has a response to deliver.
     *
     * @return the fetcher, or null if none has.
     */
    public BrokerFetcher nextDelivering()
    {
        for (int i = 0; i < fetchers.length; i++)
        {
            final BrokerFetcher fetcher = fetchers[nextFetcher];
            nextFetcher = nextFetcher + 1 < fetchers.length ? nextFetcher + 1 : 0;
            if (fetcher.isDelivering())
            {
                return fetcher;
            }
        }
        return null;
    }

    /**
     * Stop polling the sockets of fetchers that hold a response. A response that arrives meanwhile would otherwise end
     * every wait at once, because a poller reports a socket for as long as it has unread bytes.
     */
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

    /**
     * Whether every partition that is assigned is being read or has stopped, over a connection that stands.
     *
     * @return false while something is still being made ready.
     */
    public boolean isReady()
    {
        for (int p = 0; p < table.capacity(); p++)
        {
            if (table.isAssigned(p) && table.state(p) != PartitionTable.STOPPED && !isReady(p))
            {
                return false;
            }
        }
        return metadata.partitionCount() > 0;
    }

    private boolean isReady(final int partition)
    {
        final BrokerFetcher fetcher = fetcherOf(table.partition(partition).nodeId());
        return table.state(partition) == PartitionTable.FETCHING && fetcher != null && fetcher.isReady();
    }

    /**
     * Look an offset up.
     *
     * @param partition any.
     * @param timestamp as ListOffsets takes it.
     * @return the query, which is answered while the duty cycle runs.
     */
    public OffsetQuery queryOffset(final int partition, final long timestamp)
    {
        final LeaderQuery query = new LeaderQuery(partition, timestamp);
        offsets.ask(query);
        return query;
    }

    /**
     * Where offsets are stored under a group id.
     *
     * @param groupId of the group.
     * @return the same for the same group.
     */
    public GroupCoordinator group(final String groupId)
    {
        return groups.get(groupId);
    }

    /**
     * Partitions the topic has, 0 until it has been found.
     */
    public int partitionCount()
    {
        return metadata.partitionCount();
    }

    /**
     * Sockets that are read in each duty cycle.
     */
    public int fetcherCount()
    {
        return fetchers.length;
    }

    /**
     * Whether responses are so large that the next one is likely to be on its way already.
     */
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
     * When there is something to do without a byte arriving.
     *
     * @param otherwiseNs what to return if there is nothing before.
     * @return the time, as the duty cycle tells it.
     */
    public long nextDeadlineNs(final long otherwiseNs)
    {
        if (table.hasChanges())
        {
            return environment.clock().nowNs();
        }
        long nextNs = groups.nextDeadlineNs(
            offsets.nextDeadlineNs(metadata.nextDeadlineNs(otherwiseNs)), metadata.partitionCount());
        for (final BrokerFetcher fetcher : fetchers)
        {
            nextNs = fetcher.nextDeadlineNs(nextNs);
        }
        return table.isAnyWaiting() && lookAgainNs - nextNs < 0 ? lookAgainNs : nextNs;
    }

    /**
     * Close all connections and give their memory back.
     */
    public void free()
    {
        metadata.free();
        offsets.free();
        groups.free();
        for (final BrokerFetcher fetcher : fetchers)
        {
            fetcher.free();
        }
        fetchers = new BrokerFetcher[0];
    }

    /**
     * The whole state in lines of text.
     *
     * @param text to append to.
     */
    public void describe(final StringBuilder text)
    {
        text.append(cluster).append('\n').append(metadata).append('\n');
        offsets.describe(text);
        groups.describe(text);
        for (final BrokerFetcher fetcher : fetchers)
        {
            text.append("fetcher: ").append(fetcher).append('\n');
        }
    }
}
