// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.control.GroupCoordinator;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.status.CommittedOffsets;

/**
 * Offsets in Kafka under a group id, without being a member of the group: nobody assigns partitions, and nobody must
 * share the group id with consumers that are members, whose coordinator refuses such commits. Other tools see the
 * offsets as those of any group.
 * <p>
 * A group that no {@link StartPosition} names is not in the memory budget; what its connection takes beyond it is
 * counted.
 * <p>
 * Nothing is sent but while the consumer is polled. Once every partition has been committed, a commit allocates
 * nothing. To be used as the consumer itself, on the thread that polls; from a handler, too, the waiting apart.
 */
public final class GroupOffsets
{
    public static final long NULL_OFFSET = PartitionTable.NULL_OFFSET;

    private static final int MAX_PARTITIONS = 1_000_000;

    private final PollGuard guard;
    private final PartitionTable table;
    private final GroupCoordinator coordinator;

    GroupOffsets(
        final PollGuard guard,
        final PartitionTable table,
        final GroupCoordinator coordinator)
    {
        this.guard = guard;
        this.table = table;
        this.coordinator = coordinator;
    }

    public String groupId()
    {
        return coordinator.groupId();
    }

    /**
     * Have an offset stored with the polls that come. One that still waits for the same partition is overtaken by it.
     *
     * @param partition  any of the topic.
     * @param nextOffset of the next record wanted: one more than that of the last one dealt with.
     */
    public void commit(final int partition, final long nextOffset)
    {
        if (partition < 0 || partition >= MAX_PARTITIONS || nextOffset < 0)
        {
            throw new IllegalArgumentException("offset " + nextOffset + " of partition " + partition +
                ": an offset is 0 or more, a partition from 0 to " + (MAX_PARTITIONS - 1));
        }
        final boolean isOutermost = guard.beginChange();
        try
        {
            coordinator.commit(partition, nextOffset, PartitionTable.NULL_EPOCH);
        }
        finally
        {
            guard.endChange(isOutermost);
        }
    }

    /**
     * Have the next offset of every assigned partition stored, unless it is what the coordinator has confirmed last.
     * From a handler this counts the record that it was given as dealt with.
     */
    public void commit()
    {
        final boolean isOutermost = guard.beginChange();
        try
        {
            for (int p = 0; p < table.capacity(); p++)
            {
                final long nextOffset = table.isAssigned(p) ? table.nextOffset(p) : NULL_OFFSET;
                if (nextOffset != NULL_OFFSET && (nextOffset != coordinator.committedOffset(p) || !isCommitted()))
                {
                    coordinator.commit(p, nextOffset, table.offsetEpoch(p));
                }
            }
        }
        finally
        {
            guard.endChange(isOutermost);
        }
    }

    /**
     * Whether every commit has been answered: see {@link #committedOffset} and {@link #errorCode}.
     */
    public boolean isCommitted()
    {
        return coordinator.isCommitted();
    }

    /**
     * What the coordinator has confirmed last of the offsets committed here.
     *
     * @param partition any.
     * @return the offset, or {@link #NULL_OFFSET} if there is none.
     */
    public long committedOffset(final int partition)
    {
        return coordinator.committedOffset(partition);
    }

    /**
     * The broker's error with which the last commit of a partition was given up; 0 if it was not. Errors that pass
     * (a coordinator that loads or moves) are not seen here: the commit waits and is sent again.
     *
     * @param partition any.
     * @return the code.
     */
    public short errorCode(final int partition)
    {
        return coordinator.errorCode(partition);
    }

    /**
     * Ask for the offsets of all partitions that are stored under the group id. The answer comes while the consumer is
     * polled.
     *
     * @return where it will be.
     */
    public CommittedOffsets fetch()
    {
        final boolean isOutermost = guard.beginChange();
        try
        {
            return coordinator.fetch();
        }
        finally
        {
            guard.endChange(isOutermost);
        }
    }

    @Override
    public String toString()
    {
        return coordinator.toString();
    }
}
