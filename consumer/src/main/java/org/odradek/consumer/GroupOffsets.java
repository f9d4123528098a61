// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.engine.PollGuard;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.group.GroupCoordinator;
import org.odradek.consumer.group.GroupReconciliation;
import org.odradek.consumer.handler.CommittedOffsets;

/**
 * Commits and fetches offsets that Kafka keeps under a group id, without joining the group. While the group has
 * members, the coordinator refuses these commits.
 * <p>
 * Requests are sent while the consumer is polled. Only the polling thread may use this object, also inside handlers.
 */
@SuppressWarnings("try")    // a call is ended by what closes it, and not used before
public final class GroupOffsets
{
    /** The value of {@link #committedOffset} if no commit of the partition was confirmed. */
    public static final long NULL_OFFSET = PartitionTable.NULL_OFFSET;

    private static final int MAX_PARTITIONS = 1_000_000;

    private final PollGuard guard;
    private final PartitionTable table;
    /** This field is null if the consumer is a member of no group. */
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

    /** Returns the id under which the offsets are kept. */
    public String groupId()
    {
        return coordinator.groupId();
    }

    /**
     * Commits an offset of a partition in the following polls. {@link TopicConsumer#await} with {@code
     * offsets::areCommitsDone} waits for the result.
     *
     * @param partition  the id of a partition, which need not be assigned, from 0 to 999,999.
     * @param nextOffset the offset of the next record to process, which is usually one more than that of the last
     *                   processed record; 0 or more.
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
     * Commits the next offset of every assigned partition whose next offset is known, in the following polls. Offsets
     * that have not changed are committed, too; those of a topic that was deleted and created again are not, until the
     * partition is sought. In a handler, the current record counts as processed.
     */
    public void commitAsync()
    {
        try (PollGuard.Call call = guard.beginChange())
        {
            for (int p = 0; p < table.capacity(); p++)
            {
                if (table.isAssigned(p) && !table.partition(p).isOfDeletedTopic())
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

    /** Returns true if no commit waits or is in flight; {@link #errorCode} shows whether one has failed. */
    public boolean areCommitsDone()
    {
        return coordinator.commits().isIdle();
    }

    /**
     * Returns the offset of a partition that the coordinator has confirmed last; {@link #NULL_OFFSET} if there is none.
     */
    public long committedOffset(final int partition)
    {
        return coordinator.commits().committedOffset(partition);
    }

    /**
     * Returns Kafka's error code if the last commit of a partition has failed, otherwise 0. After a retriable error the
     * commit is sent again and the error code stays 0. If the brokers do not know the partition, the commit is sent
     * again for about a minute, and then fails.
     */
    public short errorCode(final int partition)
    {
        return coordinator.commits().errorCode(partition);
    }

    /**
     * Requests the committed offsets of all partitions; the returned object receives them while the consumer is polled.
     */
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
