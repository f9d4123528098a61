// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * What is known of the messages of one step: when they were sent, how many came to the end, how long they took, and
 * whether something went wrong on the way. Shared by the sending thread and the threads at the ends of the chains.
 */
final class Arrivals
{
    /** A chain with so many messages on their way is cut off long before. */
    private static final int REMEMBERED = 1 << 14;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<End> ends = new ArrayList<>();
    private final ChainSchedule schedule;
    private final AtomicLongArray[] sendTimes;

    Arrivals(final ChainSchedule schedule)
    {
        this.schedule = schedule;
        sendTimes = new AtomicLongArray[schedule.chains()];
        for (int chain = 0; chain < sendTimes.length; chain++)
        {
            sendTimes[chain] = new AtomicLongArray(REMEMBERED);
        }
    }

    /**
     * @return the ends of some or all chains, for one thread.
     */
    synchronized End end()
    {
        final End end = new End(schedule, this);
        ends.add(end);
        return end;
    }

    void onSend(final int chain, final long number, final long nowNs)
    {
        sendTimes[chain].setRelease((int)number & REMEMBERED - 1, nowNs);
    }

    long sendTimeNs(final int chain, final long number)
    {
        return sendTimes[chain].getAcquire((int)number & REMEMBERED - 1);
    }

    synchronized long count()
    {
        long count = 0;
        for (final End end : ends)
        {
            count += end.count();
        }
        return count;
    }

    /** Only when all have arrived. */
    Histogram corrected()
    {
        return sum(end -> end.corrected);
    }

    /** Only when all have arrived. */
    Histogram uncorrected()
    {
        return sum(end -> end.uncorrected);
    }

    private synchronized Histogram sum(final Function<End, Histogram> histogram)
    {
        final Histogram sum = End.histogram();
        ends.forEach(end -> sum.add(histogram.apply(end)));
        return sum;
    }

    /** From any thread; the first one counts. */
    void onFailure(final Throwable cause)
    {
        failure.compareAndSet(null, cause);
    }

    void throwFailure()
    {
        final Throwable cause = failure.get();
        if (cause != null)
        {
            throw new IllegalStateException(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
        }
    }

    /**
     * Behind the last topic: holds every message against the one that had to come next in its chain, so that each
     * arrives exactly once and in order, and takes its time. Used by one thread.
     */
    static final class End
    {
        private static final long HIGHEST_NS = TimeUnit.MINUTES.toNanos(2);
        private static final int DIGITS = 3;

        private final AtomicLong count = new AtomicLong(); // read by the sending thread
        private final Histogram corrected = histogram();
        private final Histogram uncorrected = histogram();
        private final long[] nextNumbers;
        private final ChainSchedule schedule;
        private final Arrivals arrivals;

        private End(final ChainSchedule schedule, final Arrivals arrivals)
        {
            this.schedule = schedule;
            this.arrivals = arrivals;
            nextNumbers = new long[schedule.chains()];
        }

        static Histogram histogram()
        {
            return new Histogram(HIGHEST_NS, DIGITS);
        }

        /**
         * @param hops       the message's int: how many services it went through.
         * @param intendedNs the message's long.
         */
        void onMessage(final int chain, final int hops, final long intendedNs)
        {
            final long nowNs = System.nanoTime();
            final long number = schedule.number(chain, intendedNs);
            if (number != nextNumbers[chain] || hops != Chains.SERVICES)
            {
                throw new IllegalStateException("chain " + chain + ": message " + number + " arrived after " + hops +
                    " services where message " + nextNumbers[chain] + " after " + Chains.SERVICES + " had to come");
            }
            nextNumbers[chain] = number + 1;
            if (number >= schedule.warmUpMessages())
            {
                corrected.recordValue(Math.min(HIGHEST_NS, nowNs - intendedNs));
                uncorrected.recordValue(Math.min(HIGHEST_NS, nowNs - arrivals.sendTimeNs(chain, number)));
            }
            count.setRelease(count.getPlain() + 1);
        }

        long count()
        {
            return count.getAcquire();
        }
    }
}
