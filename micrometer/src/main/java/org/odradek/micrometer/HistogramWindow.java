// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import org.HdrHistogram.Histogram;
import org.agrona.concurrent.NanoClock;
import org.odradek.consumer.handler.ConsumerCounters;

import java.util.concurrent.TimeUnit;

/**
 * The values that a histogram of the polling thread has recorded in the last one to two minutes, or since the last
 * reading if that was longer ago.
 */
final class HistogramWindow
{
    private static final long KEPT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long STEP_NS = TimeUnit.MINUTES.toNanos(1);

    private final NanoClock clock;
    private final ConsumerCounters counters;
    private final Histogram live;
    private final double perSecond;
    private final Histogram now;
    private final Histogram window;
    /** The copy at the beginning of the window. The next field is the copy at which the next window begins. */
    private Histogram older;
    private Histogram newer;
    private long readNs;
    private long steppedNs;

    HistogramWindow(
        final NanoClock clock, final ConsumerCounters counters, final Histogram live, final double perSecond)
    {
        this.clock = clock;
        this.counters = counters;
        this.live = live;
        this.perSecond = perSecond;
        // These histograms have the range of the live histogram, and are empty.
        now = new Histogram(live);
        window = new Histogram(live);
        older = new Histogram(live);
        newer = new Histogram(live);
        live.copyInto(now);
        live.copyInto(older);
        live.copyInto(newer);
        steppedNs = clock.nanoTime();
        readNs = steppedNs - KEPT_NS;
    }

    synchronized double quantile(final double quantile)
    {
        refresh();
        return window.getTotalCount() == 0 ? Double.NaN : window.getValueAtPercentile(100 * quantile) / perSecond;
    }

    synchronized double mean()
    {
        refresh();
        return window.getTotalCount() == 0 ? Double.NaN : window.getMean() / perSecond;
    }

    private void refresh()
    {
        final long nowNs = clock.nanoTime();
        if (nowNs - readNs < KEPT_NS)
        {
            return;
        }
        readNs = nowNs;
        // The copy contains the values that were recorded before this counter was stored.
        counters.get(ConsumerCounters.FETCHES);
        if (nowNs - steppedNs >= 2 * STEP_NS)
        {
            // There was no reading for at least a minute: the window begins where the last reading ended.
            now.copyInto(newer);
        }
        live.copyInto(now);
        if (nowNs - steppedNs >= STEP_NS)
        {
            steppedNs = nowNs;
            final Histogram oldest = older;
            older = newer;
            newer = oldest;
            now.copyInto(newer);
        }
        now.copyInto(window);
        try
        {
            window.subtract(older);
        }
        catch (final IllegalArgumentException ex)
        {
            // The user has reset the histogram: the window begins again.
            older.reset();
            newer.reset();
            now.copyInto(window);
        }
    }
}
