/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.OffsetQuery;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds offsets: the places where partitions begin that wait for one, and the answers to what the user asks.
 * Questions go to the leader of their partition and are asked again until it answers, or says that it will not.
 */
final class OffsetResolver
{
    private final ControlSettings settings;
    private final byte isolationLevel;
    private final FetchTopic topic;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final ClusterView cluster;
    private final ConsumerEnvironment environment;
    private final List<OffsetQuery> queries = new ArrayList<>();
    private final List<OffsetQuery> starts = new ArrayList<>();
    private final List<Integer> startGenerations = new ArrayList<>();
    private final List<OffsetConnection> connections = new ArrayList<>();
    private long retryAtNs;
    private boolean isBackingOff;

    OffsetResolver(
        final ControlSettings settings,
        final byte isolationLevel,
        final FetchTopic topic,
        final PartitionTable table,
        final PartitionErrors errors,
        final ClusterView cluster,
        final ConsumerEnvironment environment)
    {
        this.settings = settings;
        this.isolationLevel = isolationLevel;
        this.topic = topic;
        this.table = table;
        this.errors = errors;
        this.cluster = cluster;
        this.environment = environment;
    }

    void ask(final OffsetQuery query)
    {
        queries.add(query);
    }

    boolean isIdle()
    {
        return queries.isEmpty() && starts.isEmpty() && connections.isEmpty();
    }

    int doWork(final boolean isLooking)
    {
        int work = 0;
        for (int i = connections.size() - 1; i >= 0; i--)
        {
            final OffsetConnection connection = connections.get(i);
            work += connection.doWork(isLooking);
            if (connection.takeAnswers(this))
            {
                work++;
                settle();
            }
            else if (connection.isIdle())
            {
                connections.remove(i).free();
            }
        }
        if (isBackingOff)
        {
            isBackingOff = retryAtNs - environment.clock().nowNs() > 0;
        }
        if (!isBackingOff && !(queries.isEmpty() && starts.isEmpty()))
        {
            work += askLeaders();
        }
        return work;
    }

    /**
     * Look for partitions that wait for a place and are not being asked about yet.
     */
    void findStarts()
    {
        for (int p = 0; p < table.capacity(); p++)
        {
            if (table.state(p) == PartitionTable.AWAITING_OFFSET && !isStartAsked(p) &&
                table.startTimestamp(p) != Conductor.SOUGHT_LATER_TIMESTAMP)
            {
                starts.add(new OffsetQuery(p, table.startTimestamp(p)));
                startGenerations.add(table.startCount(p));
            }
        }
    }

    private boolean isStartAsked(final int partition)
    {
        for (int i = 0; i < starts.size(); i++)
        {
            if (starts.get(i).partition() == partition && startGenerations.get(i) == table.startCount(partition))
            {
                return true;
            }
        }
        return false;
    }

    private int askLeaders()
    {
        int asked = 0;
        for (int i = 0; i < connections.size(); i++)
        {
            final OffsetConnection connection = connections.get(i);
            if (connection.canAsk())
            {
                addAll(starts, connection);
                addAll(queries, connection);
                connection.send(this);
                asked++;
            }
        }
        return asked + openMissing(starts) + openMissing(queries);
    }

    private void addAll(final List<OffsetQuery> list, final OffsetConnection connection)
    {
        for (int i = 0; i < list.size(); i++)
        {
            final OffsetQuery query = list.get(i);
            if (query.isPending() && leaderOf(query) == connection.nodeId())
            {
                connection.add(query);
            }
        }
    }

    private int openMissing(final List<OffsetQuery> list)
    {
        int opened = 0;
        for (int i = 0; i < list.size(); i++)
        {
            final int leaderId = leaderOf(list.get(i));
            final BrokerAddress address = cluster.address(leaderId);
            if (address != null && !isConnectedTo(leaderId, address))
            {
                connections.add(
                    new OffsetConnection(leaderId, address, settings, topic.name(), isolationLevel, environment));
                opened++;
            }
        }
        return opened;
    }

    private boolean isConnectedTo(final int nodeId, final BrokerAddress address)
    {
        for (int i = 0; i < connections.size(); i++)
        {
            if (connections.get(i).nodeId() == nodeId)
            {
                if (connections.get(i).address().isSame(address))
                {
                    return true;
                }
                connections.remove(i).free();
                return false;
            }
        }
        return false;
    }

    private int leaderOf(final OffsetQuery query)
    {
        return query.partition() < table.capacity() ? table.leaderId(query.partition()) : PartitionTable.NULL_LEADER;
    }

    int leaderEpoch(final int partition)
    {
        return table.leaderEpoch(partition);
    }

    void onError(final OffsetQuery query, final int nodeId, final short errorCode)
    {
        if (ErrorCode.invalidatesMetadata(errorCode))
        {
            table.wantMetadata();
        }
        final boolean isAuthorization = errorCode == ErrorCode.TOPIC_AUTHORIZATION_FAILED;
        if (ErrorCode.isRetriable(errorCode) || errorCode == ErrorCode.UNKNOWN_SERVER_ERROR ||
            isAuthorization && starts.contains(query))
        {
            if (isAuthorization)
            {
                errors.onBrokerError(nodeId, query.partition(), errorCode);
            }
            isBackingOff = true;
            retryAtNs = environment.clock().nowNs() + settings.retryBackoffNs();
        }
        else
        {
            query.onFailed(errorCode);
            if (starts.contains(query) && table.isAssigned(query.partition()))
            {
                errors.onBrokerError(nodeId, query.partition(), errorCode);
            }
        }
    }

    /**
     * Act on what has been answered. An answer for a partition that has been sought or assigned anew meanwhile is
     * dropped.
     */
    private void settle()
    {
        queries.removeIf((query) -> !query.isPending());
        for (int i = starts.size() - 1; i >= 0; i--)
        {
            final OffsetQuery query = starts.get(i);
            final int partition = query.partition();
            final boolean isStale = table.state(partition) != PartitionTable.AWAITING_OFFSET ||
                table.startCount(partition) != startGenerations.get(i);
            if (isStale || !query.isPending())
            {
                starts.remove(i);
                startGenerations.remove(i);
            }
            if (!isStale && query.isDone())
            {
                onStart(query);
            }
        }
    }

    private void onStart(final OffsetQuery query)
    {
        if (query.offset() >= 0)
        {
            table.seek(query.partition(), query.offset());
        }
        else
        {
            // No record is that late: what comes from now on is what was meant.
            final boolean isPaused = table.isPaused(query.partition());
            table.assignAtTimestamp(query.partition(), ListOffsetsRequestEncoder.LATEST_TIMESTAMP);
            if (isPaused)
            {
                table.pause(query.partition());
            }
        }
    }

    long nextDeadlineNs(final long otherwiseNs)
    {
        long nextNs = otherwiseNs;
        for (int i = 0; i < connections.size(); i++)
        {
            nextNs = connections.get(i).nextDeadlineNs(nextNs);
        }
        return isBackingOff && retryAtNs - nextNs < 0 ? retryAtNs : nextNs;
    }

    void free()
    {
        connections.forEach(OffsetConnection::free);
        connections.clear();
    }

    void describe(final StringBuilder text)
    {
        connections.forEach((connection) -> text.append(connection).append('\n'));
    }
}
