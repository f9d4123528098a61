// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;
import org.odradek.benchmarks.report.Report.Attachment;

/** Curves of percentiles from the interval logs of a scenario. */
final class Curves
{
    private static final String TITLE_SEPARATOR = ", ";
    private static final double NS_PER_US = 1_000;
    private static final int TICKS_PER_HALF = 5;

    private Curves()
    {
    }

    /** A case's chart has a curve for each client; a log with tags has its own, with a curve for each tag. */
    static Map<String, Map<String, List<double[]>>> of(final Report result) throws IOException
    {
        final Map<String, Map<String, List<double[]>>> curvesOfChart = new LinkedHashMap<>();
        for (final Attachment next : result.attachments())
        {
            if (next.kind().equals(Attachment.HLOG))
            {
                final String title = next.title();
                final String caseName = title.substring(0, Math.max(0, title.lastIndexOf(TITLE_SEPARATOR)));
                final String client = title.replaceFirst(".*" + TITLE_SEPARATOR, "");
                percentiles(Path.of(next.file())).forEach((tag, points) -> curvesOfChart
                    .computeIfAbsent(tag.isEmpty() ? caseName : title, key -> new LinkedHashMap<>())
                    .put(tag.isEmpty() ? client : tag, points));
            }
        }
        return curvesOfChart;
    }

    /**
     * Returns for each tag of an interval log, an empty one if there are none, pairs of how rare (one in so many is
     * larger) and how large in microseconds. All intervals of a tag are taken together.
     */
    static Map<String, List<double[]>> percentiles(final Path file) throws IOException
    {
        final Map<String, Histogram> histogramOfTag = new LinkedHashMap<>();
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile()))
        {
            while (reader.hasNext())
            {
                if (reader.nextIntervalHistogram() instanceof Histogram next && next.getTotalCount() > 0)
                {
                    histogramOfTag.computeIfAbsent(Objects.requireNonNullElse(next.getTag(), ""),
                        tag -> new Histogram(Usage.DIGITS)).add(next);
                }
            }
        }
        final Map<String, List<double[]>> pointsOfTag = new LinkedHashMap<>();
        histogramOfTag.forEach((tag, all) ->
        {
            final List<double[]> points = new ArrayList<>();
            for (final HistogramIterationValue value : all.percentiles(TICKS_PER_HALF))
            {
                // The last one stands for one value in all, not for none in infinitely many.
                points.add(new double[]{
                    1 / Math.max(1 - value.getPercentileLevelIteratedTo() / 100, 1.0 / all.getTotalCount()),
                    value.getValueIteratedTo() / NS_PER_US});
            }
            pointsOfTag.put(tag, points);
        });
        return pointsOfTag;
    }
}
