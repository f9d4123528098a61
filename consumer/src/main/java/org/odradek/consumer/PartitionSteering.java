// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.control.Conductor;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.status.OffsetQuery;

/**
 * What is said to a consumer of single partitions, and asked about them: refused if it is wrong, or if the wrong thread
 * does so, or at the wrong time.
 */
final class PartitionSteering
{
    private final ConsumerContext context;
    private final PartitionTable table;
    private final PartitionStarts starts;
    private final Conductor conductor;
    private final PollGuard guard;

    PartitionSteering(final ConsumerContext context, final ConsumerParts parts, final PollGuard guard)
    {
        this.context = context;
        this.guard = guard;
        table = parts.table;
        starts = parts.starts;
        conductor = parts.conductor;
    }

    void assign(final int partition, final StartPosition position)
    {
        guard.checkUse();
        guard.checkNotPolling();
        checkPartition(partition);
        guard.noteChange();
        starts.assign(partition, position);
    }

    void unassign(final int partition)
    {
        checkAssigned(partition);
        guard.noteChange();
        table.unassign(partition);
    }

    void seek(final int partition, final long offset)
    {
        checkAssigned(partition);
        guard.noteChange();
        if (offset < 0)
        {
            throw new IllegalArgumentException("offset " + offset + " is negative");
        }
        table.seek(partition, offset);
    }

    void pause(final int partition)
    {
        checkAssigned(partition);
        guard.noteChange();
        table.pause(partition);
    }

    void resume(final int partition)
    {
        checkAssigned(partition);
        guard.noteChange();
        table.resume(partition);
    }

    private void checkAssigned(final int partition)
    {
        guard.checkUse();
        if (!table.isAssigned(partition))
        {
            throw new IllegalStateException(
                "partition " + partition + " of topic " + context.topic + " is not assigned");
        }
    }

    private static void checkPartition(final int partition)
    {
        if (partition < 0)
        {
            throw new IllegalArgumentException("partition " + partition + " is negative");
        }
    }

    boolean isAssigned(final int partition)
    {
        return table.isAssigned(partition);
    }

    boolean isPaused(final int partition)
    {
        checkAssigned(partition);
        return table.isPaused(partition);
    }

    long nextOffset(final int partition)
    {
        checkAssigned(partition);
        return table.nextOffset(partition);
    }

    long highWatermark(final int partition)
    {
        checkAssigned(partition);
        return table.partition(partition).highWatermark();
    }

    long lastStableOffset(final int partition)
    {
        checkAssigned(partition);
        return table.partition(partition).lastStableOffset();
    }

    long lag(final int partition)
    {
        final long end = context.isReadCommitted() ? lastStableOffset(partition) : highWatermark(partition);
        final long next = table.nextOffset(partition);
        return end < 0 || next < 0 ? -1 : Math.max(0, end - next);
    }

    OffsetQuery query(final int partition, final long timestamp)
    {
        guard.checkUse();
        checkPartition(partition);
        guard.noteChange();
        return conductor.queryOffset(partition, timestamp);
    }

    void store(final OffsetFile file)
    {
        guard.checkUse();
        StartPosition.checkTopic(file, context.topic);
        for (int p = 0; p < table.capacity(); p++)
        {
            if (table.isAssigned(p) && table.nextOffset(p) >= 0)
            {
                file.store(p, table.nextOffset(p), table.offsetEpoch(p));
            }
        }
    }
}
