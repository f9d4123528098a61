// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.status;

import org.HdrHistogram.Histogram;

import java.util.concurrent.TimeUnit;

/**
 * How long fetches took, and how old records were when they were delivered. Made with all their memory, so that
 * recording makes nothing; what is beyond their range is recorded as the largest value of it. Of the polling thread:
 * who wants to read them elsewhere copies them there ({@link Histogram#copyInto}) between two polls.
 */
public final class ConsumerHistograms
{
    /**
     * Records nothing.
     */
    public static final ConsumerHistograms OFF = new ConsumerHistograms();

    private static final int SIGNIFICANT_DIGITS = 3;
    private static final long LEAST_LATENCY_NS = 1_000;
    private static final long MOST_LATENCY_NS = TimeUnit.HOURS.toNanos(1);
    private static final long MOST_AGE_MS = TimeUnit.DAYS.toMillis(30);

    private final boolean isOn;
    private final Histogram fetchLatencyNs;
    private final Histogram recordAgeMs;

    private ConsumerHistograms()
    {
        isOn = false;
        fetchLatencyNs = null;
        recordAgeMs = null;
    }

    private ConsumerHistograms(final Histogram fetchLatencyNs, final Histogram recordAgeMs)
    {
        isOn = true;
        this.fetchLatencyNs = fetchLatencyNs;
        this.recordAgeMs = recordAgeMs;
    }

    /**
     * Make them.
     *
     * @return empty ones.
     * @throws IllegalStateException if HdrHistogram is not on the class path.
     */
    public static ConsumerHistograms create()
    {
        try
        {
            return new ConsumerHistograms(new Histogram(LEAST_LATENCY_NS, MOST_LATENCY_NS, SIGNIFICANT_DIGITS),
                new Histogram(1, MOST_AGE_MS, SIGNIFICANT_DIGITS));
        }
        catch (final LinkageError ex)
        {
            throw new IllegalStateException("histograms are on, and HdrHistogram is not on the class path: " +
                "add org.hdrhistogram:HdrHistogram, or leave them off", ex);
        }
    }

    public boolean isOn()
    {
        return isOn;
    }

    /**
     * Nanoseconds from sending a fetch request until its response was found to be there as a whole, waits for more
     * records at the broker among them; null unless {@link #isOn()}. As exact as the consumer is polled: a response
     * that came in while records were handled is found after.
     */
    public Histogram fetchLatencyNs()
    {
        return fetchLatencyNs;
    }

    /**
     * Milliseconds from the timestamp of a record to its delivery; of a batch that is delivered as a whole, from its
     * largest timestamp; null unless {@link #isOn()}. A timestamp in the future counts as 0, none is not recorded, and
     * neither is a record that was refused.
     */
    public Histogram recordAgeMs()
    {
        return recordAgeMs;
    }

    /**
     * Record the time of one fetch.
     *
     * @param ns it took.
     */
    public void onFetch(final long ns)
    {
        fetchLatencyNs.recordValue(Math.min(Math.max(ns, 0), MOST_LATENCY_NS));
    }

    /**
     * Record the age of one record or batch.
     *
     * @param nowMs       milliseconds since 1970.
     * @param timestampMs of the record; less than 0 if it has none.
     */
    public void onRecord(final long nowMs, final long timestampMs)
    {
        if (timestampMs >= 0)
        {
            recordAgeMs.recordValue(Math.min(Math.max(nowMs - timestampMs, 0), MOST_AGE_MS));
        }
    }
}
