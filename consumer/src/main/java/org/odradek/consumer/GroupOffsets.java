// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.engine.PollGuard;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.group.GroupCoordinator;
import org.odradek.consumer.group.GroupReconciliation;
import org.odradek.consumer.handler.CommittedOffsets;

/**
 * Commits and fetches offsets that Kafka keeps under a group id, without joining the group. No consumer may be a member
 * of that group: while a group has members, the coordinator refuses commits of other consumers. Other tools show these
 * offsets as those of any group.
 * <p>
 * Requests are sent while the consumer is polled. Only the thread that polls may use this, also in handlers. After
 * every partition has been committed once, a commit allocates nothing. The memory budget includes the connection of a
 * group only if a {@link StartPosition} names it; otherwise a counter has the memory by which the budget is exceeded.
 */
@SuppressWarnings("try")    // a call is ended by what closes it, and not used before
public final class GroupOffsets
{
    /** The committed offset of a partition for which none was committed here. */
    public static final long NULL_OFFSET = PartitionTable.NULL_OFFSET;

    private static final int MAX_PARTITIONS = 1_000_000;

    private final PollGuard guard;
    private final PartitionTable table;
    /** Null if the consumer is a member of no group. */
    private final GroupReconciliation reconciliation;
    private final GroupCoordinator coordinator;

    GroupOffsets(
        final PollGuard guard,
        final PartitionTable table,
        final GroupReconciliation reconciliation,
        final GroupCoordinator coordinator)
    {
        this.guard = guard;
        this.table = table;
        this.reconciliation = reconciliation;
        this.coordinator = coordinator;
    }

    /** The id under which the offsets are kept. */
    public String groupId()
    {
        return coordinator.groupId();
    }

    /**
     * Commits an offset in the following polls. It replaces an offset of the same partition that has not been sent
     * yet. {@link TopicConsumer#await} with {@code offsets::isCommitted} waits for the result.
     *
     * @param partition  any of the topic.
     * @param nextOffset of the next record to process, one more than that of the last record processed; 0 or more.
     * @throws IllegalArgumentException if the partition is not from 0 to 999,999, or the offset is negative.
     */
    public void commitAsync(final int partition, final long nextOffset)
    {
        if (partition < 0 || partition >= MAX_PARTITIONS || nextOffset < 0)
        {
            throw new IllegalArgumentException("offset " + nextOffset + " of partition " + partition +
                ": an offset is 0 or more, a partition from 0 to " + (MAX_PARTITIONS - 1));
        }
        try (PollGuard.Call call = guard.beginChange())
        {
            coordinator.commits().commit(partition, nextOffset, PartitionTable.NULL_EPOCH);
        }
    }

    /**
     * Commits the next offset of every assigned partition in the following polls, also those that have not changed:
     * brokers delete an offset that was not committed again for long (offsets.retention.minutes). In a handler, the
     * current record counts as processed.
     */
    public void commitAsync()
    {
        try (PollGuard.Call call = guard.beginChange())
        {
            for (int p = 0; p < table.capacity(); p++)
            {
                if (table.isAssigned(p))
                {
                    commitNext(p, table.nextOffset(p), table.offsetEpoch(p));
                }
                else if (reconciliation != null && reconciliation.isRevoking(p))
                {
                    commitNext(p, reconciliation.nextOffset(p), reconciliation.offsetEpoch(p));
                }
            }
        }
    }

    private void commitNext(final int partition, final long nextOffset, final int offsetEpoch)
    {
        if (nextOffset != NULL_OFFSET)
        {
            coordinator.commits().commit(partition, nextOffset, offsetEpoch);
        }
    }

    /**
     * Returns true if the coordinator has responded to every commit; {@link #committedOffset} and {@link #errorCode}
     * return the results.
     */
    public boolean isCommitted()
    {
        return coordinator.commits().isIdle();
    }

    /**
     * The last offset of a partition that the coordinator has confirmed; {@link #NULL_OFFSET} if this has committed
     * none.
     */
    public long committedOffset(final int partition)
    {
        return coordinator.commits().committedOffset(partition);
    }

    /**
     * The broker's error if it has refused the last commit of a partition, otherwise 0. After a retriable error, such
     * as a coordinator that is loading or has moved, the commit is sent again and this stays 0. A partition that the
     * brokers do not know may have been created a moment ago: the commit is sent again for a minute, and then fails.
     */
    public short errorCode(final int partition)
    {
        return coordinator.commits().errorCode(partition);
    }

    /** Requests the committed offsets of all partitions. The result arrives while the consumer is polled. */
    public CommittedOffsets fetch()
    {
        try (PollGuard.Call call = guard.beginChange())
        {
            return coordinator.fetch();
        }
    }

    @Override
    public String toString()
    {
        return coordinator.toString();
    }
}
