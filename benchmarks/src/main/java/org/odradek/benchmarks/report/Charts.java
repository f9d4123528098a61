// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.Row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The data that the page's script draws: bars with whiskers, one chart for each metric of a scenario; curves of
 * percentiles, one chart for each case with interval logs; and CPU against latency for the scenario of budgets. Bars
 * and lines are drawn from rows as they are in a result.
 */
final class Charts
{
    private static final String TITLE_SEPARATOR = ", ";
    private static final double NS_PER_US = 1_000;
    private static final int TICKS_PER_HALF = 5;
    /** The scenario whose cases are points of a curve. */
    private static final String BUDGET = "budget";

    /** In the order of the page; the template has a place for each, the script draws it there. */
    private final List<Map<String, Object>> charts = new ArrayList<>();

    /** The charts of a scenario, of which the template needs id, title and unit. */
    List<Map<String, Object>> of(final Report result) throws IOException
    {
        final int before = charts.size();
        final List<String> cases = result.rows().stream().map(Row::caseName).distinct().toList();
        final Map<String, List<Row>> rowsOfMetric = result.rows().stream()
            .collect(Collectors.groupingBy(Row::metric, LinkedHashMap::new, Collectors.toList()));
        if (result.scenario().equals(BUDGET))
        {
            addAgainst(rowsOfMetric, Metric.P50, Metric.PROCESS_CPU);
            addAgainst(rowsOfMetric, Metric.P99, Metric.PROCESS_CPU);
        }
        rowsOfMetric.forEach((metric, rows) ->
            add("bars", Metric.words(metric), rows.get(0).unit(), "rows", rows, "cases", cases));
        // A case's chart has a curve for each client; a log with tags has its own, with a curve for each tag.
        final Map<String, Map<String, List<double[]>>> curvesOfChart = new LinkedHashMap<>();
        for (final Attachment next : result.attachments())
        {
            if (next.kind().equals(Attachment.HLOG))
            {
                final String title = next.title();
                final String caseName = title.substring(0, Math.max(0, title.lastIndexOf(TITLE_SEPARATOR)));
                final String client = title.replaceFirst(".*" + TITLE_SEPARATOR, "");
                percentiles(Path.of(next.file())).forEach((tag, points) -> curvesOfChart
                    .computeIfAbsent(tag.isEmpty() ? caseName : title, (key) -> new LinkedHashMap<>())
                    .put(tag.isEmpty() ? client : tag, points));
            }
        }
        curvesOfChart.forEach((title, curves) -> add(
            "curves", "latency by percentile" + (title.isEmpty() ? "" : ": " + title), "us", "curves", curves));
        return List.copyOf(charts.subList(before, charts.size()));
    }

    /** A curve of the percentiles of each client's latency. */
    Charts addLatencies(final Map<String, Histogram> latencies)
    {
        final Map<String, List<double[]>> curves = new LinkedHashMap<>();
        latencies.forEach((client, latency) -> curves.put(client, percentiles(latency)));
        add("curves", "latency by percentile", "us", "curves", curves);
        return this;
    }

    /** A line for each client through points of a second and a figure. */
    Charts addTimes(final String title, final String unit, final Map<String, List<double[]>> lines)
    {
        add("times", title, unit, "curves", lines);
        return this;
    }

    /** All charts so far. */
    List<Map<String, Object>> all()
    {
        return charts;
    }

    /** The data of all charts so far, as JSON that can be in a script element. */
    String json() throws JsonProcessingException
    {
        return new ObjectMapper().writeValueAsString(charts).replace("<", "\\u003c");
    }

    /** One metric over another. */
    private void addAgainst(final Map<String, List<Row>> rowsOfMetric, final Metric across, final Metric up)
    {
        final String acrossWords = Metric.words(across.key());
        add("lines", Metric.words(up.key()) + " against " + acrossWords, up.unit,
            "across", acrossWords + ", µs", "acrossRows", rowsOfMetric.getOrDefault(across.key(), List.of()),
            "rows", rowsOfMetric.getOrDefault(up.key(), List.of()));
    }

    private void add(final String kind, final String title, final String unit, final Object... figures)
    {
        final Map<String, Object> chart = Environment.ordered("id", "chart-" + (charts.size() + 1), "kind", kind,
            "title", title, "unit", unit.equals("us") ? "µs" : unit);
        chart.putAll(Environment.ordered(figures));
        charts.add(chart);
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
                        (tag) -> new Histogram(Usage.DIGITS)).add(next);
                }
            }
        }
        final Map<String, List<double[]>> pointsOfTag = new LinkedHashMap<>();
        histogramOfTag.forEach((tag, all) -> pointsOfTag.put(tag, percentiles(all)));
        return pointsOfTag;
    }

    private static List<double[]> percentiles(final Histogram all)
    {
        final List<double[]> points = new ArrayList<>();
        for (final HistogramIterationValue value : all.percentiles(TICKS_PER_HALF))
        {
            // The last one stands for one value in all, not for none in infinitely many.
            points.add(new double[]{
                1 / Math.max(1 - value.getPercentileLevelIteratedTo() / 100, 1.0 / all.getTotalCount()),
                value.getValueIteratedTo() / NS_PER_US});
        }
        return points;
    }
}
