// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.control.Conductor;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerListener;

/**
 * Which partitions are read, and where each begins.
 */
final class PartitionStarts
{
    private final ConsumerContext context;
    private final PartitionTable table;
    private final ConsumerListener listener;
    private final CommittedStarts committed;
    private int seenCount;

    PartitionStarts(
        final ConsumerContext context,
        final PartitionTable table,
        final PartitionErrors errors,
        final ConsumerListener listener)
    {
        this.context = context;
        this.table = table;
        this.listener = listener;
        committed = new CommittedStarts(table, errors);
    }

    /**
     * Assign the partitions that the context names.
     */
    void assignNamed()
    {
        if (context.partitions != null)
        {
            for (final int partition : context.partitions)
            {
                assign(partition, startPosition(partition));
            }
        }
    }

    void assign(final int partition, final StartPosition position)
    {
        final StartPosition place = position.at(partition, context.topic);
        table.ensureCapacity(partition + 1);
        if (place.isCommitted())
        {
            committed.add(partition, place);
        }
        else if (place.isOffset())
        {
            table.assignAtOffset(partition, place.value());
            // With an epoch, a leader found later is asked whether its log holds what was read (KIP-320).
            table.seek(partition, place.value(), place.leaderEpoch());
        }
        else
        {
            table.assignAtTimestamp(partition, place.value());
        }
    }

    /**
     * The place of a partition that waits for one has been found; a pause of it stays.
     */
    void found(final int partition, final StartPosition position)
    {
        final boolean isPaused = table.isPaused(partition);
        assign(partition, position);
        if (isPaused)
        {
            table.pause(partition);
        }
    }

    void doWork(final Conductor conductor)
    {
        onPartitionCount(conductor.partitionCount());
        if (!committed.isIdle())
        {
            committed.doWork(conductor, this);
        }
    }

    /**
     * The topic has so many partitions: if all are read, or a share of all, assign those that are new.
     */
    private void onPartitionCount(final int count)
    {
        if (count > seenCount)
        {
            if (context.partitions == null)
            {
                assignFound(count);
            }
            seenCount = count;
        }
    }

    /**
     * Partitions that are added while we read are read from their beginning, so that nothing written to them is missed.
     */
    private void assignFound(final int count)
    {
        for (int p = seenCount; p < count; p++)
        {
            if (!table.isAssigned(p) && (context.shard == null || context.shard.holds(p)))
            {
                assign(p, seenCount == 0 ? startPosition(p) :
                    context.startPositions.getOrDefault(p, StartPosition.earliest()));
                listener.onPartitionAdded(p);
            }
        }
    }

    private StartPosition startPosition(final int partition)
    {
        return context.startPositions.getOrDefault(partition, context.startPosition);
    }
}
