// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/**
 * What the brokers' answers have told of the log of each partition, in arrays indexed by partition id.
 */
public final class PartitionLogs
{
    private long[] highWatermarks = {};
    private long[] lastStableOffsets = {};
    private long[] startOffsets = {};
    private boolean[] catchingUp = {};

    void ensureCapacity(final int from, final int to)
    {
        highWatermarks = Arrays.copyOf(highWatermarks, to);
        lastStableOffsets = Arrays.copyOf(lastStableOffsets, to);
        startOffsets = Arrays.copyOf(startOffsets, to);
        catchingUp = Arrays.copyOf(catchingUp, to);
        for (int p = from; p < to; p++)
        {
            clear(p);
        }
    }

    void clear(final int partition)
    {
        set(partition, PartitionTable.NULL_OFFSET, PartitionTable.NULL_OFFSET, PartitionTable.NULL_OFFSET);
    }

    void set(final int partition, final long highWatermark, final long lastStableOffset, final long startOffset)
    {
        highWatermarks[partition] = highWatermark;
        lastStableOffsets[partition] = lastStableOffset;
        startOffsets[partition] = startOffset;
    }

    /**
     * From another place it is to be read to the end of its log.
     */
    void beginCatchUp(final int partition)
    {
        catchingUp[partition] = true;
    }

    /**
     * Whether the end that was told of has been reached, once for each {@link #beginCatchUp}.
     */
    boolean takeCaughtUp(final int partition, final long nextOffset, final boolean isReadCommitted)
    {
        if (!catchingUp[partition])
        {
            return false;
        }
        catchingUp[partition] =
            end(partition, isReadCommitted) < 0 || isBeforeEnd(partition, nextOffset, isReadCommitted);
        return !catchingUp[partition];
    }

    /**
     * Whether the end that was told of is known, and behind an offset.
     */
    boolean isBeforeEnd(final int partition, final long offset, final boolean isReadCommitted)
    {
        return offset < end(partition, isReadCommitted);
    }

    private long end(final int partition, final boolean isReadCommitted)
    {
        return isReadCommitted ? lastStableOffsets[partition] : highWatermarks[partition];
    }

    /**
     * The offset behind the last record that all in-sync replicas have, or {@link PartitionTable#NULL_OFFSET}.
     */
    public long highWatermark(final int partition)
    {
        return highWatermarks[partition];
    }

    /**
     * The offset before which every transaction has been decided, or {@link PartitionTable#NULL_OFFSET}.
     */
    public long lastStableOffset(final int partition)
    {
        return lastStableOffsets[partition];
    }

    /**
     * The first offset of the log, or {@link PartitionTable#NULL_OFFSET}.
     */
    public long startOffset(final int partition)
    {
        return startOffsets[partition];
    }
}
