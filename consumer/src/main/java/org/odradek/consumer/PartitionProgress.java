// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.control.Conductor;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.ConsumerEnvironment;

import java.util.Arrays;

/**
 * Writes into the counters file how far each partition is, where that has changed. A duty cycle looks at up to {@link
 * #LOOKS} partitions, one after the other, so that a topic of many costs it no more; an idle one looks at all of them,
 * at most every {@link Conductor#INTERVAL_NS}.
 */
final class PartitionProgress
{
    static final int LOOKS = 64;

    private final boolean isReadCommitted;
    private final PartitionTable table;
    private final CountersFile file;
    private final ConsumerEnvironment environment;
    private int nextPartition;
    private long lookAgainNs;
    private boolean isFull;
    private long[] nextOffsets = {};
    private long[] highWatermarks = {};
    private long[] ends = {};

    PartitionProgress(
        final boolean isReadCommitted,
        final PartitionTable table,
        final CountersFile file,
        final ConsumerEnvironment environment)
    {
        this.isReadCommitted = isReadCommitted;
        this.table = table;
        this.file = file;
        this.environment = environment;
    }

    /**
     * @param isIdle nothing was delivered, so that there is time for all.
     * @param nowNs  of the duty cycle.
     */
    void write(final boolean isIdle, final long nowNs)
    {
        final int capacity = table.capacity();
        if (isIdle && (lookAgainNs == 0 || lookAgainNs - nowNs <= 0))
        {
            lookAgainNs = nowNs + Conductor.INTERVAL_NS;
            write(capacity);
        }
        else
        {
            write(Math.min(capacity, LOOKS));
        }
    }

    void writeAll()
    {
        write(table.capacity());
    }

    private void write(final int count)
    {
        final int capacity = table.capacity();
        if (capacity > nextOffsets.length)
        {
            ensureCapacity(capacity);
        }
        int partition = nextPartition;
        for (int i = 0; i < count; i++)
        {
            look(partition);
            partition = partition + 1 < capacity ? partition + 1 : 0;
        }
        nextPartition = partition;
    }

    private void look(final int partition)
    {
        final long nextOffset = table.nextOffset(partition);
        final long highWatermark = table.partition(partition).highWatermark();
        final long end = isReadCommitted ? table.partition(partition).lastStableOffset() : highWatermark;
        if (nextOffsets[partition] != nextOffset || highWatermarks[partition] != highWatermark ||
            ends[partition] != end)
        {
            nextOffsets[partition] = nextOffset;
            highWatermarks[partition] = highWatermark;
            ends[partition] = end;
            final long lag = end < 0 || nextOffset < 0 ? -1 : Math.max(0, end - nextOffset);
            if (!file.setPartition(partition, nextOffset, highWatermark, lag))
            {
                onFull(partition);
            }
        }
    }

    private void onFull(final int partition)
    {
        if (!isFull)
        {
            isFull = true;
            environment.error("The counters file has no room for partition " + partition +
                " and those told of after it; they are read all the same.");
        }
    }

    private void ensureCapacity(final int capacity)
    {
        nextOffsets = grown(nextOffsets, capacity);
        highWatermarks = grown(highWatermarks, capacity);
        ends = grown(ends, capacity);
    }

    private static long[] grown(final long[] values, final int capacity)
    {
        final long[] larger = Arrays.copyOf(values, capacity);
        Arrays.fill(larger, values.length, capacity, PartitionTable.NULL_OFFSET);
        return larger;
    }
}
