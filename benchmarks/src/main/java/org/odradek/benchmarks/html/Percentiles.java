/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.html;

import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;

import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The distribution in an interval log, all intervals together.
 */
final class Percentiles
{
    private static final double NS_PER_US = 1_000;
    private static final int TICKS_PER_HALF = 5;
    private static final int DIGITS = 3;

    private Percentiles()
    {
    }

    /**
     * @param file of nanoseconds.
     * @return pairs of how rare (one in so many is larger) and how large in microseconds.
     */
    static List<double[]> read(final Path file) throws FileNotFoundException
    {
        final Histogram all = new Histogram(DIGITS);
        all.setAutoResize(true);
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile()))
        {
            while (reader.hasNext())
            {
                final EncodableHistogram next = reader.nextIntervalHistogram();
                if (next instanceof Histogram histogram)
                {
                    all.add(histogram);
                }
            }
        }
        final List<double[]> points = new ArrayList<>();
        for (final HistogramIterationValue value : all.percentiles(TICKS_PER_HALF))
        {
            // The last one stands for one value in all, not for none in infinitely many.
            final double beyond = Math.max(1 - value.getPercentileLevelIteratedTo() / 100, 1.0 / all.getTotalCount());
            points.add(new double[]{1 / beyond, value.getValueIteratedTo() / NS_PER_US});
        }
        return points;
    }
}
