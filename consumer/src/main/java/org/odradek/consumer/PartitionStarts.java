/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer;

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
    private int seenCount;

    PartitionStarts(final ConsumerContext context, final PartitionTable table, final ConsumerListener listener)
    {
        this.context = context;
        this.table = table;
        this.listener = listener;
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
        table.ensureCapacity(partition + 1);
        if (position.isOffset())
        {
            table.assignAtOffset(partition, position.value());
        }
        else
        {
            table.assignAtTimestamp(partition, position.value());
        }
    }

    /**
     * The topic has so many partitions: if all are read, assign those that are new.
     */
    void onPartitionCount(final int count)
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
            if (!table.isAssigned(p))
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
