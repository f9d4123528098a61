// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/**
 * How far each partition has been delivered and asked for, and under which generation, in arrays indexed by partition
 * id.
 */
final class PartitionOffsets
{
    private final PartitionSources sources;
    private int[] generations = {};
    private long[] nextOffsets = {};
    private long[] requestOffsets = {};
    private int[] epochs = {};

    PartitionOffsets(final PartitionSources sources)
    {
        this.sources = sources;
    }

    void ensureCapacity(final int from, final int to)
    {
        generations = Arrays.copyOf(generations, to);
        nextOffsets = Arrays.copyOf(nextOffsets, to);
        requestOffsets = Arrays.copyOf(requestOffsets, to);
        epochs = Arrays.copyOf(epochs, to);
        for (int p = from; p < to; p++)
        {
            clear(p);
        }
    }

    void clear(final int partition)
    {
        set(partition, PartitionTable.NULL_OFFSET, PartitionTable.NULL_EPOCH);
        requestOffsets[partition] = PartitionTable.NULL_OFFSET;
    }

    /**
     * Deliver from another offset; it is asked for once what is on its way has been {@link #invalidate invalidated}.
     */
    void set(final int partition, final long nextOffset, final int epoch)
    {
        nextOffsets[partition] = nextOffset;
        epochs[partition] = epoch;
    }

    /** What is on its way is no longer wanted; ask again from the next offset to deliver. */
    void invalidate(final int partition)
    {
        generations[partition]++;
        requestOffsets[partition] = nextOffsets[partition];
        sources.changed(partition);
    }

    /** A batch has been delivered to its end. */
    void delivered(final int partition, final long nextOffset, final int leaderEpoch)
    {
        set(partition, nextOffset, leaderEpoch);
        request(partition, Math.max(requestOffsets[partition], nextOffset));
    }

    /**
     * A record or batch was refused: it is the next to deliver again, unless its handler has gone elsewhere.
     *
     * @param nextOffset behind it.
     * @param generation under which it was delivered: if it is over, the record has to be asked for again.
     * @return true if it is still there to be delivered.
     */
    boolean refuse(final int partition, final long offset, final long nextOffset, final int generation)
    {
        if (nextOffsets[partition] != nextOffset)
        {
            return false;
        }
        nextOffsets[partition] = offset;
        if (generations[partition] != generation)
        {
            request(partition, offset);
        }
        return true;
    }

    void request(final int partition, final long offset)
    {
        if (requestOffsets[partition] != offset)
        {
            requestOffsets[partition] = offset;
            sources.changed(partition);
        }
    }

    /** The next offset to ask for: ahead of the next to deliver by what has arrived and is being delivered. */
    long request(final int partition)
    {
        return requestOffsets[partition];
    }

    long next(final int partition)
    {
        return nextOffsets[partition];
    }

    /** All next offsets; stale once room has been made for more. */
    long[] next()
    {
        return nextOffsets;
    }

    int generation(final int partition)
    {
        return generations[partition];
    }

    /** All generations; stale once room has been made for more. */
    int[] generations()
    {
        return generations;
    }

    int epoch(final int partition)
    {
        return epochs[partition];
    }

    void epoch(final int partition, final int leaderEpoch)
    {
        epochs[partition] = leaderEpoch;
    }
}
