// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What is known of the messages of one step: when they were sent, how many came to the end, how long they took, and
 * whether something went wrong on the way. Shared by the sending thread and the threads at the ends of the chains.
 */
final class Arrivals
{
    /** A chain with so many messages on their way is cut off long before. */
    private static final int REMEMBERED = 1 << 14;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<ChainEnd> ends = new ArrayList<>();
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
    synchronized ChainEnd end()
    {
        final ChainEnd end = new ChainEnd(schedule, this);
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
        for (final ChainEnd end : ends)
        {
            count += end.count();
        }
        return count;
    }

    /** Only when all have arrived. */
    synchronized Histogram corrected()
    {
        final Histogram sum = ChainEnd.histogram();
        ends.forEach(end -> sum.add(end.corrected()));
        return sum;
    }

    /** Only when all have arrived. */
    synchronized Histogram uncorrected()
    {
        final Histogram sum = ChainEnd.histogram();
        ends.forEach(end -> sum.add(end.uncorrected()));
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
}
