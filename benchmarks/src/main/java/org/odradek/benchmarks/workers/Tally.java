// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.workers;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Keys;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the handlers of an arm do and have done in a turn: the same for all arms, on any number of threads. */
final class Tally
{
    private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);
    /** Two cache lines before and after the counts of a thread, so that threads share none. */
    private static final int PADDING = 16;
    private static final int RECORDS = PADDING;
    private static final int NUMBERS = PADDING + 1;
    private static final int OTHERS = PADDING + 2;
    private static final int LENGTH = 2 * PADDING + 3;
    private static final int TIMES = 1 << 16;
    private static final long FACTOR = 6364136223846793005L;

    private final List<Share> shares = new CopyOnWriteArrayList<>();
    /** When records were polled, by their numbers; null unless delays are measured. */
    private final long[] polledNs;
    /** The last number of each key; null unless order is checked. */
    private final long[] last;
    private final Keys keys;
    private int steps;

    /**
     * @param steps   of the busy work of each record.
     * @param isTimed whether delays from the poll are measured.
     * @param keys    by which the order is checked, or null.
     */
    Tally(final int steps, final boolean isTimed, final Keys keys)
    {
        this.steps = steps;
        this.keys = keys;
        polledNs = isTimed ? new long[TIMES] : null;
        last = keys == null ? null : new long[Keys.COUNT];
        if (last != null)
        {
            Arrays.fill(last, -1);
        }
    }

    /** So many steps of which each needs the result of the one before, a few cycles each. */
    static long busy(final int steps, final long seed)
    {
        long value = seed;
        for (int i = 0; i < steps; i++)
        {
            value = value * FACTOR + 1;
        }
        return value;
    }

    /** The handler's side of one thread. */
    final class Share
    {
        private final long[] counts = new long[LENGTH];
        private final Histogram delays = polledNs == null ? null : Usage.histogram();

        /** Handles a record: its number is the first of the three longs of its value. */
        void onRecord(final long number, final long others)
        {
            if (delays != null)
            {
                delays.recordValue(
                    Math.max(Usage.LEAST_NS, System.nanoTime() - polledNs[(int)number & TIMES - 1]));
            }
            counts[OTHERS] += busy(steps, others);
            counts[NUMBERS] += number;
            if (last != null)
            {
                checkOrder(number);
            }
            COUNTS.setRelease(counts, RECORDS, counts[RECORDS] + 1);
        }

        private void checkOrder(final long number)
        {
            final int key = keys.key(number);
            if (last[key] >= number)
            {
                throw new IllegalStateException("Record " + number + " of key " + key + " came after " + last[key]);
            }
            last[key] = number;
        }
    }

    /** Returns the side of a new thread. */
    Share share()
    {
        final Share share = new Share();
        shares.add(share);
        return share;
    }

    boolean isTimed()
    {
        return polledNs != null;
    }

    /** Only if delays are measured. */
    void onPolled(final long number)
    {
        polledNs[(int)number & TIMES - 1] = System.nanoTime();
    }

    /** Lets the rest be handled without busy work. */
    void hurry()
    {
        steps = 0;
    }

    long records()
    {
        long sum = 0;
        for (int i = 0; i < shares.size(); i++)
        {
            sum += (long)COUNTS.getAcquire(shares.get(i).counts, RECORDS);
        }
        return sum;
    }

    /** Delays from the poll to the handler, encoded. */
    String delays()
    {
        final Histogram all = Usage.histogram();
        shares.forEach((share) -> all.add(share.delays));
        return Usage.encode(all);
    }

    /** Throws unless exactly the first records of the log were handled, the whole log perhaps several times before. */
    void check(final long recordsOfLog)
    {
        final long records = records();
        final long numbers = shares.stream().mapToLong((share) -> share.counts[NUMBERS]).sum();
        final long expected = records / recordsOfLog * sumBelow(recordsOfLog) + sumBelow(records % recordsOfLog);
        if (numbers != expected)
        {
            throw new IllegalStateException(records + " records were handled, but not the first ones once each: " +
                "their numbers add up to " + numbers + ", not to " + expected);
        }
    }

    private static long sumBelow(final long number)
    {
        return number * (number - 1) / 2;
    }
}
