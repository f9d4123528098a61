// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.HdrHistogram.Histogram;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Behind the last topic: holds every message against the one that had to come next in its chain, so that each arrives
 * exactly once and in order, and takes its time. Used by one thread.
 */
final class ChainEnd
{
    private static final long HIGHEST_NS = TimeUnit.MINUTES.toNanos(2);
    private static final int DIGITS = 3;

    private final AtomicLong count = new AtomicLong(); // read by the sending thread
    private final Histogram corrected = histogram();
    private final Histogram uncorrected = histogram();
    private final long[] nextNumbers;
    private final ChainSchedule schedule;
    private final Arrivals arrivals;

    ChainEnd(final ChainSchedule schedule, final Arrivals arrivals)
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

    Histogram corrected()
    {
        return corrected;
    }

    Histogram uncorrected()
    {
        return uncorrected;
    }
}
