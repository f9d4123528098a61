/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.latency;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.live.ProducerUsage;
import org.odradek.benchmarks.live.Usage;

import java.util.Locale;

/**
 * One client once at one rate.
 *
 * @param rate    records a second that the schedule wanted.
 * @param round   in which.
 * @param client  its name in rows.
 * @param usage   what it read and cost.
 * @param sent    what the producer says of itself.
 * @param latency nanoseconds from when a record was to be sent to its callback.
 */
record LatencyRun(int rate, int round, String client, Usage usage, ProducerUsage sent, Histogram latency)
{
    private static final double NS_PER_US = 1e3;

    static String caseName(final int rate)
    {
        return String.format(Locale.ROOT, "%,d/s", rate);
    }

    /**
     * @param percentile of all records, 100 for the worst.
     * @return microseconds.
     */
    double us(final double percentile)
    {
        return latency.getValueAtPercentile(percentile) / NS_PER_US;
    }
}
