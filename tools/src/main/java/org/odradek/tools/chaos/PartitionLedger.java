// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.Arrays;

/**
 * What happened to each offset of one partition since the last comparison with its log: acknowledged to the producer,
 * delivered, or named by a gap event. Told by the producer's thread and the consumer's, asked by the run's.
 */
final class PartitionLedger
{
    static final long NONE = -1;
    private static final long GAP = -2;
    private static final int INITIAL_LENGTH = 1024;

    private final boolean mayTruncate;
    private final ChaosTally tally = new ChaosTally();
    private long[] acked = filled(INITIAL_LENGTH);
    private long[] delivered = filled(INITIAL_LENGTH);
    /** The first offset not compared yet; those of the arrays count from it. */
    private long base;
    /** No delivery may have a lower offset. */
    private long next;
    private long deliveries;

    /**
     * @param mayTruncate whether the log may lose records that were acknowledged, so that going back is no mistake.
     */
    PartitionLedger(final boolean mayTruncate)
    {
        this.mayTruncate = mayTruncate;
    }

    synchronized void onAcked(final long offset, final long sequence)
    {
        if (offset < base)
        {
            tally.clusterLost++;
            return;
        }
        acked = ensureLength(acked, offset);
        acked[index(offset)] = sequence;
    }

    synchronized void onDelivered(final long offset, final long sequence)
    {
        deliveries++;
        if (offset < base)
        {
            tally.repeated++;
            return;
        }
        delivered = ensureLength(delivered, offset);
        final long before = delivered[index(offset)];
        if (before == NONE || before == GAP)
        {
            delivered[index(offset)] = sequence;
            tally.outOfOrder += offset < next ? 1 : 0;
            tally.falseEvents += before == GAP ? 1 : 0;
        }
        else
        {
            tally.repeated++;
            tally.wrong += before == sequence ? 0 : 1;
        }
        next = Math.max(next, offset + 1);
    }

    /**
     * The consumer was told to go on elsewhere; what it delivered from there on comes once more.
     */
    synchronized void onSeek(final long offset)
    {
        if (offset < next)
        {
            clearFrom(offset);
        }
        next = offset;
    }

    synchronized void onGap(final long from, final long to)
    {
        tally.gaps++;
        tally.falseEvents += from == next && from < to ? 0 : 1;
        delivered = ensureLength(delivered, to);
        for (long offset = Math.max(from, base); offset < to; offset++)
        {
            if (delivered[index(offset)] == NONE)
            {
                delivered[index(offset)] = GAP;
            }
            else
            {
                tally.falseEvents++;
            }
        }
        next = Math.max(next, to);
    }

    /**
     * The consumer goes on elsewhere. Forward, the gap event that follows is what counts; back is right only where the
     * log was truncated, and what was delivered from there on is void.
     */
    synchronized void onReset(final long from, final long to)
    {
        if (to >= from)
        {
            return;
        }
        if (!mayTruncate || from != next || to < base)
        {
            tally.falseEvents++;
            return;
        }
        tally.truncated += clearFrom(to);
        next = to;
    }

    /** Comes before the reset that it leads to. */
    synchronized void onTruncation(final long nextOffset)
    {
        tally.truncations++;
        tally.falseEvents += mayTruncate && nextOffset == next ? 0 : 1;
    }

    private long clearFrom(final long offset)
    {
        long cleared = 0;
        for (int i = index(Math.max(offset, base)); i < delivered.length; i++)
        {
            cleared += delivered[i] >= 0 ? 1 : 0;
            delivered[i] = NONE;
        }
        return cleared;
    }

    /**
     * Something came that should not have: of a paused partition, or one that had stopped.
     */
    synchronized void onFalseEvent()
    {
        tally.falseEvents++;
    }

    /**
     * Compares everything up to the end of the slice with the log, and forgets it.
     *
     * @param log from {@link #base()} on.
     * @return whether nothing was found wrong so far.
     */
    synchronized boolean compare(final LogSlice log)
    {
        acked = ensureLength(acked, log.to());
        delivered = ensureLength(delivered, log.to());
        for (long offset = base; offset < log.to(); offset++)
        {
            compare(log.sequenceAt(offset), delivered[index(offset)], acked[index(offset)], offset < log.startOffset());
        }
        final int done = index(log.to());
        // What lies behind the end of the log was acknowledged or delivered, and is not there.
        for (int i = done; i < delivered.length; i++)
        {
            tally.wrong += delivered[i] == NONE ? 0 : 1;
        }
        for (int i = done; i < acked.length; i++)
        {
            tally.clusterLost += acked[i] == NONE || mayTruncate ? 0 : 1;
        }
        acked = filled(INITIAL_LENGTH);
        delivered = filled(INITIAL_LENGTH);
        base = log.to();
        next = Math.max(next, base);
        return tally.isClean();
    }

    private void compare(final long inLog, final long got, final long promised, final boolean isDeleted)
    {
        if (inLog != NONE && promised != NONE && inLog != promised || inLog == NONE && promised != NONE && !isDeleted)
        {
            tally.clusterLost++;
        }
        final long truth = inLog == NONE && isDeleted ? promised : inLog;
        if (got == GAP)
        {
            tally.gapped += isDeleted && inLog == NONE ? 1 : 0;
            tally.falseEvents += isDeleted || inLog != NONE ? 0 : 1;
            tally.lost += inLog == NONE ? 0 : 1;
        }
        else if (got != NONE)
        {
            tally.right += got == truth ? 1 : 0;
            tally.wrong += got == truth ? 0 : 1;
        }
        else if (inLog != NONE)
        {
            tally.lost++;
        }
        else if (isDeleted)
        {
            tally.unaccounted++;
        }
    }

    synchronized long base()
    {
        return base;
    }

    /** The lowest offset that may come next: everything before was delivered or skipped. */
    synchronized long next()
    {
        return next;
    }

    /** Calls of the handler, whatever they brought. */
    synchronized long deliveries()
    {
        return deliveries;
    }

    synchronized long gaps()
    {
        return tally.gaps;
    }

    synchronized void addTo(final ChaosTally sum)
    {
        sum.add(tally);
    }

    private int index(final long offset)
    {
        return (int) (offset - base);
    }

    private long[] ensureLength(final long[] values, final long offset)
    {
        final int needed = Math.addExact(index(offset), 1);
        if (needed <= values.length)
        {
            return values;
        }
        final long[] longer = Arrays.copyOf(values, Math.max(needed, values.length * 2));
        Arrays.fill(longer, values.length, longer.length, NONE);
        return longer;
    }

    private static long[] filled(final int length)
    {
        final long[] values = new long[length];
        Arrays.fill(values, NONE);
        return values;
    }
}
