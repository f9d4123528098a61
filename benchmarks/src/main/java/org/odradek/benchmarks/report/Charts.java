// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.Row;

/**
 * The data that the page's script draws: bars with whiskers, one chart for each metric of a scenario; curves of
 * percentiles, one chart for each case with interval logs; and CPU against latency for the scenario of budgets.
 */
final class Charts
{
    private static final String TITLE_SEPARATOR = ", ";
    private static final double NS_PER_US = 1_000;
    private static final int TICKS_PER_HALF = 5;
    /** The scenario whose cases are points of a curve. */
    private static final String BUDGET = "budget";

    /** By their ids, as the script reads them; the template has a place for each. */
    private final Map<String, Map<String, Object>> charts = new LinkedHashMap<>();

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
        rowsOfMetric.values().forEach(rows -> addBars(cases, rows));
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
                    .computeIfAbsent(tag.isEmpty() ? caseName : title, key -> new LinkedHashMap<>())
                    .put(tag.isEmpty() ? client : tag, points));
            }
        }
        curvesOfChart.forEach((title, curves) ->
            add("curves", "latency by percentile" + (title.isEmpty() ? "" : ": " + title), "us", "points", curves));
        return charts.values().stream().skip(before).toList();
    }

    /** The data of all charts so far, as JSON that can be in a script element. */
    String json() throws JsonProcessingException
    {
        return new ObjectMapper().writeValueAsString(charts).replace("<", "\\u003c");
    }

    /** The rows are of one metric; each chart has the cases of its metric in the order of the scenario. */
    private void addBars(final List<String> allCases, final List<Row> rows)
    {
        final List<String> cases = allCases.stream()
            .filter(name -> rows.stream().anyMatch(row -> row.caseName().equals(name))).toList();
        final Map<String, double[][]> valuesOfClient = new LinkedHashMap<>();
        for (final Row row : rows)
        {
            valuesOfClient.computeIfAbsent(row.client(), key -> new double[cases.size()][])
                [cases.indexOf(row.caseName())] =
                new double[]{row.summary().median(), row.summary().min(), row.summary().max()};
        }
        add("bars", Metric.words(rows.get(0).metric()), rows.get(0).unit(), "values", valuesOfClient)
            .put("cases", cases);
    }

    /** One metric over another: a line for each client that has both, through a point for each case. */
    private void addAgainst(final Map<String, List<Row>> rowsOfMetric, final Metric across, final Metric up)
    {
        final Map<String, List<Map<String, Object>>> pointsOfClient = new LinkedHashMap<>();
        for (final Row row : rowsOfMetric.getOrDefault(across.key(), List.of()))
        {
            for (final Row other : rowsOfMetric.getOrDefault(up.key(), List.of()))
            {
                if (other.client().equals(row.client()) && other.caseName().equals(row.caseName()))
                {
                    pointsOfClient.computeIfAbsent(row.client(), client -> new ArrayList<>()).add(Environment.ordered(
                        "x", row.summary().median(), "y", other.summary().median(), "name", row.caseName()));
                }
            }
        }
        final String acrossWords = Metric.words(across.key());
        add("lines", Metric.words(up.key()) + " against " + acrossWords, up.unit, "points", pointsOfClient)
            .put("across", acrossWords + ", µs");
    }

    /** The series of a client has its figures under that name. */
    private Map<String, Object> add(final String kind, final String title, final String unit, final String figures,
        final Map<String, ?> figuresOfClient)
    {
        final String id = "chart-" + (charts.size() + 1);
        charts.put(id, Environment.ordered(
            "id", id, "kind", kind, "title", title, "unit", unit.equals("us") ? "µs" : unit,
            "series", figuresOfClient.entrySet().stream()
            .map(next -> Environment.ordered("client", next.getKey(), figures, next.getValue())).toList()));
        return charts.get(id);
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
