// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.HdrHistogram.Histogram;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What is promised: a percentile that stays below a limit.
 *
 * @param caseName   in rows.
 * @param percentile that is held,
 * @param limitMs    below this,
 * @param seconds    in a window of this length.
 * @param halvings   of the gap between the rate that kept it and the one that did not.
 */
record Level(String caseName, double percentile, int limitMs, int seconds, int halvings)
{
    static final List<Level> FULL = List.of(
        new Level("p99 < 200 ms in 10 s", 99, 200, 10, 2),
        new Level("p99 < 20 ms in 10 s", 99, 20, 10, 2),
        new Level("p99.9 < 50 ms in 60 s", 99.9, 50, 60, 1));

    static final List<Level> QUICK = List.of(new Level("p99 < 200 ms in 4 s", 99, 200, 4, 1));

    boolean isKeptBy(final Histogram latency)
    {
        return latency.getTotalCount() > 0 &&
            latency.getValueAtPercentile(percentile) < TimeUnit.MILLISECONDS.toNanos(limitMs);
    }
}
