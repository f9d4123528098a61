// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.TopicPartition;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.harness.model.GroupOffsets.Committed;
import org.odradek.harness.model.ModelTopic;

import java.util.ArrayList;
import java.util.List;

/** The user's offset queries and commits, and the checks of their results. */
final class UserOffsets
{
    static final String GROUP = "user";

    private static final String QUERY = "offset query";
    private static final String COMMIT = "commit";
    private static final int MAX_QUERIES = 8;

    private record Query(OffsetQuery query, Expected expected, long low, long askedNs)
    {
    }

    /** Whether the seed has a group. */
    final boolean isGrouped;
    private final World world;
    private final List<Query> queries = new ArrayList<>();
    private final List<Expected> committing = new ArrayList<>();
    private final List<Long> committed = new ArrayList<>();
    private long commitNs;
    /** The topic of the last commit; null while there was none. */
    private ModelTopic committedTopic;
    private TopicConsumer consumer;
    private GroupOffsets group;

    UserOffsets(final World world)
    {
        this.world = world;
        isGrouped = world.scenario.isOn(FaultKind.OFFSETS_COMMITTED);
    }

    void onOpen(final TopicConsumer newConsumer)
    {
        consumer = newConsumer;
        group = null;
        queries.clear();
        committing.clear();
        committed.clear();
    }

    void query(final Expected expected, final Draw draw)
    {
        if (queries.size() < MAX_QUERIES)
        {
            final boolean isStart = draw.oneIn(2);
            queries.add(new Query(isStart ? consumer.queryBeginningOffset(expected.partition) :
                consumer.queryEndOffset(expected.partition), expected,
                isStart ? expected.log.startOffset() : world.oracles.deliveries.isEndStale ? 0 :
                    world.oracles.deliveries.endOf(expected), world.clock.nowNs()));
        }
    }

    boolean isQuerying(final int partition)
    {
        for (final Query query : queries)
        {
            if (query.query.partition() == partition)
            {
                return true;
            }
        }
        return false;
    }

    /** Returns whether nothing is outstanding. What concerns a partition that is gone is outstanding for ever. */
    boolean isIdle()
    {
        return queries.isEmpty() && committing.isEmpty();
    }

    /** Commits the next offset of a partition, unless the last commit is outstanding. Returns whether it does. */
    boolean commit(final Expected expected)
    {
        if (!isGrouped || !committing.isEmpty() || expected.next < 0)
        {
            return false;
        }
        if (group == null)
        {
            group = consumer.groupOffsets(GROUP);
        }
        group.commitAsync(expected.partition, expected.next);
        committing.add(expected);
        committed.add(expected.next);
        committedTopic = world.cluster.topic(Scenario.TOPIC);
        commitNs = world.clock.nowNs();
        return true;
    }

    /** A partition begins at its committed offset. */
    void lookUpCommitted(final Expected expected)
    {
        expected.lookUp(Expected.COMMITTED, world.oracles.deliveries.isReadCommitted, world.clock.nowNs());
        expected.committed = committed(expected.partition);
    }

    /** Returns the offset that the coordinator holds, or -1. */
    long committed(final int partition)
    {
        final Committed stored =
            world.cluster.groupOffsets().committed(GROUP).get(new TopicPartition(Scenario.TOPIC, partition));
        return stored == null ? -1 : stored.offset();
    }

    /** Returns whether each query is answered whose partition has not gone, whoever leads that now. */
    boolean isAnswered()
    {
        return queries.stream().noneMatch((asked) -> isThere(asked.expected));
    }

    private boolean isThere(final Expected expected)
    {
        return expected.partition < world.partitions().size() && !expected.isRecreated;
    }

    /** Each query and commit is answered in a time, also if its partition is not assigned and its leader is gone. */
    void checkLiveness(final long sinceNs, final long maxNs)
    {
        for (final Query asked : queries)
        {
            if (isThere(asked.expected) && world.clock.nowNs() - Math.max(sinceNs, asked.askedNs) > maxNs)
            {
                throw world.oracles.failure(QUERY, "an answer to the query of an offset of partition " +
                    asked.query.partition() + " within " + maxNs / 1e9 + " s after the last fault");
            }
        }
        if (!committing.isEmpty() && isThere(committing.get(0)) &&
            world.clock.nowNs() - Math.max(sinceNs, commitNs) > maxNs)
        {
            throw world.oracles.failure(COMMIT, "an answer to the commit of partition " +
                committing.get(0).partition + " within " + maxNs / 1e9 + " s after the last fault");
        }
    }

    /** Compares the results that have arrived with the logs and the coordinator. */
    void check()
    {
        for (int i = queries.size() - 1; i >= 0; i--)
        {
            if (queries.get(i).query.isDone())
            {
                check(queries.remove(i));
            }
        }
        if (!committing.isEmpty() && group.areCommitsDone())
        {
            checkCommit(committing.remove(0), committed.remove(0));
        }
    }

    private void check(final Query asked)
    {
        final OffsetQuery query = asked.query;
        final long high = query.timestamp() == Expected.EARLIEST ?
            asked.expected.log.startOffset() : asked.expected.log.endOffset();
        world.trace.event("query", query.partition(), query.offset());
        if (!query.isFailed() && !asked.expected.isRewritten && high >= asked.low &&
            (query.offset() < asked.low || query.offset() > high))
        {
            throw world.oracles.failure(QUERY, "offset " + asked.low + " to " + high + " for timestamp " +
                query.timestamp() + " in partition " + query.partition() + ", but found " + query.offset());
        }
    }

    private void checkCommit(final Expected expected, final long offset)
    {
        final Committed stored = world.cluster.groupOffsets().committed(GROUP)
            .get(new TopicPartition(Scenario.TOPIC, expected.partition));
        final boolean isAccepted = group.errorCode(expected.partition) == 0;
        // The coordinator forgets the offsets of a topic that is created again.
        final boolean isTopic = committedTopic != null && world.cluster.topic(Scenario.TOPIC) == committedTopic &&
            !expected.isRecreated;
        if (isAccepted && isTopic && (stored == null || stored.offset() != offset ||
            group.committedOffset(expected.partition) != offset))
        {
            throw world.oracles.failure(COMMIT, "offset " + offset + " of partition " + expected.partition +
                " to be committed, but the coordinator holds " + stored + " and the consumer reports " +
                group.committedOffset(expected.partition));
        }
    }
}
