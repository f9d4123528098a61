// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.HdrHistogram.Histogram;

/**
 * One rate tried once.
 *
 * @param round             in which turn of its client, from 0.
 * @param level             that was to be kept.
 * @param client            whose consumers.
 * @param rate              records a second over all partitions.
 * @param isKept            whether the level was.
 * @param latency           of all consumers, nanoseconds from when a record was to be sent to its callback.
 * @param processCpuPercent of all consumers' processes.
 */
record SleProbe(
    int round,
    Level level,
    SleClient client,
    int rate,
    boolean isKept,
    Histogram latency,
    double processCpuPercent)
{
    private static final double NS_PER_US = 1e3;

    double us(final double percentile)
    {
        return latency.getValueAtPercentile(percentile) / NS_PER_US;
    }
}
