// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds offsets: the places where partitions begin that wait for one, and the answers to what the user asks.
 * Questions go to the leader of their partition and are asked again until it answers, or says that it will not.
 */
final class OffsetResolver
{
    private final ControlSettings settings;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final ConsumerEnvironment environment;
    private final List<LeaderQuery> queries = new ArrayList<>();
    private final List<LeaderQuery> starts = new ArrayList<>();
    private final List<Integer> startSearches = new ArrayList<>();
    /** The search of each partition that is asked about, or was. */
    private int[] askedSearches = {};
    private final OffsetConnections connections;
    private final PositionResets resets;
    private final PositionValidator validator;
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
        this.table = table;
        this.errors = errors;
        this.environment = environment;
        connections = new OffsetConnections(settings, topic.name(), isolationLevel, cluster, environment);
        resets = new PositionResets(settings.retryBackoffNs(), table, errors, environment);
        validator = new PositionValidator(table, errors, resets, environment);
    }

    void ask(final LeaderQuery query)
    {
        queries.add(query);
    }

    boolean isIdle()
    {
        return hasNoQuestions() && connections.count() == 0;
    }

    private boolean hasNoQuestions()
    {
        return queries.isEmpty() && starts.isEmpty() && validator.isIdle();
    }

    int doWork(final boolean isLooking)
    {
        int work = 0;
        for (int i = connections.count() - 1; i >= 0; i--)
        {
            final OffsetConnection connection = connections.get(i);
            work += connection.doWork(isLooking);
            if (connection.takeAnswers(this, validator))
            {
                work++;
                settle();
            }
            else if (connection.isIdle())
            {
                connections.close(i);
            }
        }
        if (isBackingOff)
        {
            isBackingOff = retryAtNs - environment.clock().nowNs() > 0;
        }
        return hasNoQuestions() ? work : work + askLeaders();
    }

    /**
     * Look for partitions that wait for an answer and are not being asked about yet.
     */
    void findQuestions()
    {
        validator.find();
        if (askedSearches.length < table.capacity())
        {
            askedSearches = Arrays.copyOf(askedSearches, table.capacity());
        }
        for (int p = 0; p < table.capacity(); p++)
        {
            final int search = table.partition(p).lookupId();
            if (table.state(p) == PartitionTable.AWAITING_OFFSET && askedSearches[p] != search &&
                table.partition(p).lookupTimestamp() != Conductor.SOUGHT_LATER_TIMESTAMP)
            {
                askedSearches[p] = search;
                starts.add(new LeaderQuery(p, table.partition(p).lookupTimestamp()));
                startSearches.add(search);
            }
        }
    }

    private int askLeaders()
    {
        int asked = 0;
        validator.dropStale();
        for (int i = 0; i < connections.count(); i++)
        {
            final OffsetConnection connection = connections.get(i);
            if (connection.canAsk())
            {
                validator.addTo(connection);
                if (!isBackingOff)
                {
                    addAll(starts, connection);
                    addAll(queries, connection);
                }
                asked += connection.send(table);
            }
        }
        return asked + openMissing(starts) + openMissing(queries) + validator.openMissing(connections);
    }

    private void addAll(final List<LeaderQuery> list, final OffsetConnection connection)
    {
        for (int i = 0; i < list.size(); i++)
        {
            final LeaderQuery query = list.get(i);
            if (!query.isDone() && leaderOf(query) == connection.nodeId())
            {
                connection.add(query);
            }
        }
    }

    private int openMissing(final List<LeaderQuery> list)
    {
        int opened = 0;
        for (int i = 0; i < list.size(); i++)
        {
            opened += connections.open(leaderOf(list.get(i)));
        }
        return opened;
    }

    private int leaderOf(final LeaderQuery query)
    {
        return query.partition() < table.capacity() ? table.leaderId(query.partition()) : PartitionTable.NULL_LEADER;
    }

    void onError(final LeaderQuery query, final int nodeId, final short errorCode)
    {
        if (ErrorCode.invalidatesMetadata(errorCode))
        {
            table.requestMetadata();
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
        queries.removeIf(LeaderQuery::isDone);
        for (int i = starts.size() - 1; i >= 0; i--)
        {
            final LeaderQuery query = starts.get(i);
            final int partition = query.partition();
            final boolean isStale = table.state(partition) != PartitionTable.AWAITING_OFFSET ||
                table.partition(partition).lookupId() != startSearches.get(i);
            if (isStale || query.isDone())
            {
                starts.remove(i);
                startSearches.remove(i);
            }
            if (!isStale && query.isDone() && !query.isFailed())
            {
                resets.onFound(query);
            }
            else if (!isStale && query.isFailed())
            {
                // Unless it has stopped it is to be asked about again.
                askedSearches[partition] = 0;
            }
        }
    }

    long nextDeadlineNs(final long otherwiseNs)
    {
        final long nextNs = connections.nextDeadlineNs(otherwiseNs);
        return isBackingOff && retryAtNs - nextNs < 0 ? retryAtNs : nextNs;
    }

    void free()
    {
        connections.free();
    }

    void describe(final StringBuilder text)
    {
        connections.describe(text);
    }
}
