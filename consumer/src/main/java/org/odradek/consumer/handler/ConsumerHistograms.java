// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.HdrHistogram.Histogram;

import java.util.concurrent.TimeUnit;

/**
 * Histograms of the durations of fetches and of the ages of records at delivery. Recording allocates nothing. A
 * duration above 1 hour is recorded as 1 hour, and an age above 30 days as 30 days. Only the polling thread may record
 * values and use the histograms directly. Another thread reads a counter of the consumer, and then copies a histogram
 * ({@link Histogram#copyInto}): the copy contains all values that were recorded before that value of the counter was
 * written.
 */
@SuppressWarnings("exports") // a program without HdrHistogram must not require its module
public final class ConsumerHistograms
{
    /** An object without histograms, for which {@link #isOn()} returns false. */
    public static final ConsumerHistograms OFF = new ConsumerHistograms(null, null);

    private static final int SIGNIFICANT_DIGITS = 3;
    private static final long LEAST_LATENCY_NS = 1_000;
    private static final long MOST_LATENCY_NS = TimeUnit.HOURS.toNanos(1);
    private static final long MOST_AGE_MS = TimeUnit.DAYS.toMillis(30);

    private final Histogram fetchLatencyNs;
    private final Histogram recordAgeMs;

    private ConsumerHistograms(final Histogram fetchLatencyNs, final Histogram recordAgeMs)
    {
        this.fetchLatencyNs = fetchLatencyNs;
        this.recordAgeMs = recordAgeMs;
    }

    /**
     * Creates empty histograms.
     *
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
            throw new IllegalStateException("histograms are on, but HdrHistogram is not on the class path: " +
                "add org.hdrhistogram:HdrHistogram, or turn them off", ex);
        }
    }

    /** Returns true if this object holds histograms; false for {@link #OFF}. */
    public boolean isOn()
    {
        return fetchLatencyNs != null;
    }

    /**
     * Returns the histogram of the times in nanoseconds from sending a fetch request until the consumer has read the
     * complete response; null unless {@link #isOn()}.
     */
    public Histogram fetchLatencyNs()
    {
        return fetchLatencyNs;
    }

    /**
     * Returns the histogram of the times in milliseconds from the timestamp of a record to its delivery, or from the
     * largest timestamp of a batch that is delivered as a whole; null unless {@link #isOn()}. A timestamp in the future
     * counts as age 0. The histogram leaves out records and batches without a timestamp, and those for which the
     * handler returned ABORT or threw an exception.
     */
    public Histogram recordAgeMs()
    {
        return recordAgeMs;
    }

    /**
     * Records the duration of one fetch; {@link #isOn()} must be true.
     *
     * @param ns the duration in nanoseconds.
     */
    public void onFetch(final long ns)
    {
        fetchLatencyNs.recordValue(Math.min(Math.max(ns, 0), MOST_LATENCY_NS));
    }

    /**
     * Records the age of one record or batch; {@link #isOn()} must be true.
     *
     * @param nowMs       the current time in milliseconds since 1970.
     * @param timestampMs the timestamp of the record in milliseconds since 1970; negative if the record has no
     *                    timestamp.
     */
    public void onRecord(final long nowMs, final long timestampMs)
    {
        if (timestampMs >= 0)
        {
            recordAgeMs.recordValue(Math.min(Math.max(nowMs - timestampMs, 0), MOST_AGE_MS));
        }
    }
}
