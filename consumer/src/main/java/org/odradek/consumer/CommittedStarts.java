// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.control.Conductor;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.status.CommittedOffsets;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.List;

/**
 * Partitions that begin at an offset stored under a group id, until the group's coordinator has told it.
 */
final class CommittedStarts
{
    private static final class Waiting
    {
        final int partition;
        final int search;
        final StartPosition position;
        CommittedOffsets query;

        Waiting(final int partition, final int search, final StartPosition position)
        {
            this.partition = partition;
            this.search = search;
            this.position = position;
        }
    }

    private final PartitionTable table;
    private final PartitionErrors errors;
    private final List<Waiting> waiting = new ArrayList<>();

    CommittedStarts(final PartitionTable table, final PartitionErrors errors)
    {
        this.table = table;
        this.errors = errors;
    }

    void add(final int partition, final StartPosition position)
    {
        table.assignAtTimestamp(partition, Conductor.SOUGHT_LATER_TIMESTAMP);
        waiting.add(new Waiting(partition, table.partition(partition).lookupId(), position));
    }

    boolean isIdle()
    {
        return waiting.isEmpty();
    }

    /**
     * Ask for those that are not asked for, and seek those that have an answer.
     */
    void doWork(final Conductor conductor, final PartitionStarts starts)
    {
        for (int i = waiting.size() - 1; i >= 0; i--)
        {
            final Waiting start = waiting.get(i);
            if (isStale(start))
            {
                waiting.remove(i);
            }
            else if (start.query == null)
            {
                ask(start, conductor);
            }
            else if (start.query.isDone() && onAnswer(start, starts))
            {
                waiting.remove(i);
            }
        }
    }

    private boolean isStale(final Waiting start)
    {
        return table.state(start.partition) != PartitionTable.AWAITING_OFFSET ||
            table.partition(start.partition).lookupId() != start.search;
    }

    /**
     * One question does for all partitions.
     */
    private void ask(final Waiting start, final Conductor conductor)
    {
        if (start.partition >= conductor.partitionCount())
        {
            return;
        }
        final String groupId = start.position.groupId();
        for (final Waiting other : waiting)
        {
            if (other.query != null && !other.query.isDone() && other.query.partitionCount() == 0 &&
                other.query.groupId().equals(groupId))
            {
                start.query = other.query;
                return;
            }
        }
        start.query = conductor.group(groupId).fetch();
    }

    /**
     * @return false if it is to be asked again.
     */
    private boolean onAnswer(final Waiting start, final PartitionStarts starts)
    {
        final CommittedOffsets query = start.query;
        start.query = null;
        if (query.isFailed())
        {
            // Rights may be granted while we ask. Whatever it is, it has been told of.
            final boolean isPassing = query.errorCode() == ErrorCode.GROUP_AUTHORIZATION_FAILED ||
                query.errorCode() == ErrorCode.TOPIC_AUTHORIZATION_FAILED;
            if (!isPassing)
            {
                errors.stop(start.partition, query.errorCode(), null);
            }
            return !isPassing;
        }
        final long offset = query.offset(start.partition);
        starts.found(start.partition, offset == CommittedOffsets.NULL_OFFSET ? start.position.otherwise() :
            StartPosition.offset(offset, query.leaderEpoch(start.partition)));
        return true;
    }
}
