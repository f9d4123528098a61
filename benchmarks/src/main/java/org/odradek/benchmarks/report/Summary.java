// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Median and spread of one figure over the measured runs. */
public record Summary(double median, double min, double max, int runs)
{
    public static Summary of(final double... values)
    {
        if (values.length == 0)
        {
            throw new IllegalArgumentException("a summary needs at least one run");
        }
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int upper = sorted.length / 2;
        final double median = sorted.length % 2 == 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2;
        return new Summary(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /** Quotients of values measured in the same round, so that what slowed the machine in it slows both sides. */
    public static Summary ofRatios(final double[] numerators, final double[] denominators)
    {
        if (numerators.length != denominators.length)
        {
            throw new IllegalArgumentException(
                "ratios need pairs: " + numerators.length + " values against " + denominators.length);
        }
        return of(IntStream.range(0, numerators.length).mapToDouble((i) -> numerators[i] / denominators[i]).toArray());
    }
}
