// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.html;

import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;

import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The distributions in an interval log: all intervals of a tag together.
 */
final class Percentiles
{
    static final String UNTAGGED = "";

    private static final double NS_PER_US = 1_000;
    private static final int TICKS_PER_HALF = 5;
    private static final int DIGITS = 3;

    private Percentiles()
    {
    }

    /**
     * @param file of nanoseconds.
     * @return for each tag in the log, an empty one where there are none, pairs of how rare (one in so many is larger)
     *     and how large in microseconds.
     */
    static Map<String, List<double[]>> read(final Path file) throws FileNotFoundException
    {
        final Map<String, Histogram> histogramOfTag = new LinkedHashMap<>();
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile()))
        {
            while (reader.hasNext())
            {
                final EncodableHistogram next = reader.nextIntervalHistogram();
                if (next instanceof Histogram histogram && histogram.getTotalCount() > 0)
                {
                    histogramOfTag.computeIfAbsent(Objects.requireNonNullElse(next.getTag(), UNTAGGED), tag -> all())
                        .add(histogram);
                }
            }
        }
        final Map<String, List<double[]>> pointsOfTag = new LinkedHashMap<>();
        histogramOfTag.forEach((tag, histogram) -> pointsOfTag.put(tag, points(histogram)));
        return pointsOfTag;
    }

    private static Histogram all()
    {
        final Histogram all = new Histogram(DIGITS);
        all.setAutoResize(true);
        return all;
    }

    private static List<double[]> points(final Histogram all)
    {
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
