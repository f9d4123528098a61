// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;

/**
 * Records what was acknowledged, delivered and reported for each offset of a topic, and compares it with the log.
 */
final class ChaosLedger
{
    static final long NONE = -1;
    private static final long GAP = -2;
    private static final int INITIAL_LENGTH = 1024;

    private final boolean mayTruncate;
    private final Tally absorbed = new Tally();
    private final ConcurrentMap<Integer, Partition> partitions = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Integer> stopped = new ConcurrentLinkedQueue<>();

    /**
     * @param mayTruncate whether the log may lose acknowledged records, so that a consumer may go back.
     */
    ChaosLedger(final boolean mayTruncate)
    {
        this.mayTruncate = mayTruncate;
    }

    Partition partition(final int partition)
    {
        return partitions.computeIfAbsent(partition, (id) -> new Partition(mayTruncate));
    }

    void onAcked(final int partition, final long offset, final long sequence)
    {
        partition(partition).onAcked(offset, sequence);
    }

    /** Adds a sentence for the verdict. */
    void onError(final String sentence)
    {
        errors.add(sentence);
    }

    void onStopped(final int partition)
    {
        stopped.add(partition);
    }

    List<String> errors()
    {
        return List.copyOf(errors);
    }

    int stoppedCount()
    {
        return stopped.size();
    }

    long deliveries()
    {
        return partitions.values().stream().mapToLong(Partition::deliveries).sum();
    }

    /** Adds the findings of another topic. */
    void absorb(final ChaosLedger other)
    {
        absorbed.add(other.tally());
        errors.addAll(other.errors);
        stopped.addAll(other.stopped);
    }

    Tally tally()
    {
        final Tally sum = new Tally();
        sum.add(absorbed);
        partitions.values().forEach((partition) -> partition.addTo(sum));
        return sum;
    }

    /**
     * What happened to each offset of one partition since the last comparison. The threads of the producer and of the
     * consumer write it; the thread of the run reads it.
     */
    static final class Partition
    {
        private final boolean mayTruncate;
        private final Tally tally = new Tally();
        private long[] acked = filled(INITIAL_LENGTH);
        private long[] delivered = filled(INITIAL_LENGTH);
        /** The first offset not compared yet, which is at index 0 of the arrays. */
        private long base;
        /** No delivery may have a lower offset. */
        private long next;
        private long deliveries;

        private Partition(final boolean mayTruncate)
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

        /** The consumer was sought to an offset; records from there on are delivered again. */
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
         * The consumer was reset. A reset forward is followed by a gap event, which is judged instead. A reset backward
         * is right only if the log was truncated; then the deliveries from there on are void.
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

        /** Is reported before the reset that it causes. */
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

        /** A record was delivered from a partition that was paused or had stopped. */
        synchronized void onFalseEvent()
        {
            tally.falseEvents++;
        }

        /**
         * Compares everything up to the end of the slice with the log, and forgets it.
         *
         * @param log from {@link #base()} on.
         * @return whether nothing wrong has been found so far.
         */
        synchronized boolean compare(final Slice log)
        {
            acked = ensureLength(acked, log.to());
            delivered = ensureLength(delivered, log.to());
            for (long offset = base; offset < log.to(); offset++)
            {
                final int i = index(offset);
                compare(log.sequenceAt(offset), delivered[i], acked[i], offset < log.startOffset());
            }
            final int done = index(log.to());
            // Offsets after the end of the log were acknowledged or delivered, but the log does not hold them.
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
            if (promised != NONE && (inLog == NONE ? !isDeleted : inLog != promised))
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

        /** The lowest offset that may be delivered next: all offsets before it were delivered or skipped. */
        synchronized long next()
        {
            return next;
        }

        /** Calls of the handler. */
        synchronized long deliveries()
        {
            return deliveries;
        }

        synchronized long gaps()
        {
            return tally.gaps;
        }

        synchronized void addTo(final Tally sum)
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

    /**
     * Part of a partition's log, as a stock client has read it.
     *
     * @param startOffset first offset that the log holds now, or its end if it holds none.
     * @param from        first offset of the slice.
     * @param to          first offset after the slice.
     * @param sequences   of the records at {@code from + i}; {@link #NONE} where the log holds no record.
     */
    record Slice(long startOffset, long from, long to, long[] sequences)
    {
        long sequenceAt(final long offset)
        {
            return sequences[(int) (offset - from)];
        }
    }

    /**
     * The findings of a comparison of deliveries and events with the log. Each number counts offsets, unless it counts
     * events.
     */
    static final class Tally
    {
        /** Delivered, and equal to the log or, if deleted since then, to the record the producer had acknowledged. */
        long right;
        /** In the log, but not delivered. */
        long lost;
        /** Delivered again without a seek, reset or truncation. */
        long repeated;
        /** Delivered for the first time, but after a higher offset of its partition. */
        long outOfOrder;
        /** Delivered with other bytes than the log holds, or at an offset that the log never held. */
        long wrong;
        /** Deleted before delivery, and reported by a gap event. */
        long gapped;
        /** Deleted before delivery, and not reported. */
        long unaccounted;
        /** Delivered, then removed from the log, and reported by a truncation event. */
        long truncated;
        /** Gap events. */
        long gaps;
        /** Truncation events. */
        long truncations;
        /** Events that report something that did not happen. */
        long falseEvents;
        /** Acknowledged by the cluster, but then not in its log. The consumer cannot be judged by such a log. */
        long clusterLost;

        void add(final Tally other)
        {
            right += other.right;
            lost += other.lost;
            repeated += other.repeated;
            outOfOrder += other.outOfOrder;
            wrong += other.wrong;
            gapped += other.gapped;
            unaccounted += other.unaccounted;
            truncated += other.truncated;
            gaps += other.gaps;
            truncations += other.truncations;
            falseEvents += other.falseEvents;
            clusterLost += other.clusterLost;
        }

        boolean isClean()
        {
            return lost + repeated + outOfOrder + wrong + unaccounted + falseEvents + clusterLost == 0;
        }

        @Override
        public String toString()
        {
            return right + " delivered, " + lost + " lost, " + repeated + " repeated, " + outOfOrder +
                " out of order, " + wrong + " wrong; " + gaps + " gaps with " + gapped + " offsets accounted for, " +
                unaccounted + " unaccounted; " + truncations + " truncations with " + truncated +
                " records taken back; " + falseEvents + " false events" +
                (clusterLost == 0 ? "" : "; " + clusterLost + " lost by the cluster");
        }
    }
}
