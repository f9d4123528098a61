// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
    private static final String UNTAGGED = "";
    private static final String TITLE_SEPARATOR = ", ";
    private static final double NS_PER_US = 1_000;
    private static final int TICKS_PER_HALF = 5;

    private static final ObjectMapper JSON = new ObjectMapper();
    /** The scenario whose cases are points of a curve. */
    private static final String BUDGET = "budget";

    private final ObjectNode data = JSON.createObjectNode();

    /**
     * @return id, title and unit of each chart of a scenario.
     */
    List<Map<String, String>> of(final Report result) throws IOException
    {
        final List<Map<String, String>> places = new ArrayList<>();
        final Set<String> cases = new LinkedHashSet<>();
        final Map<String, List<Row>> rowsOfMetric = new LinkedHashMap<>();
        for (final Row row : result.rows())
        {
            cases.add(row.caseName());
            rowsOfMetric.computeIfAbsent(row.metric(), key -> new ArrayList<>()).add(row);
        }
        if (result.scenario().equals(BUDGET))
        {
            addAgainst(rowsOfMetric, Metric.P50, Metric.PROCESS_CPU, places);
            addAgainst(rowsOfMetric, Metric.P99, Metric.PROCESS_CPU, places);
        }
        rowsOfMetric.values().forEach(rows -> addBars(cases, rows, places));
        // A case's chart has a curve for each client; a log with tags has its own, with a curve for each tag.
        final Map<String, Map<String, List<double[]>>> curvesOfChart = new LinkedHashMap<>();
        for (final Attachment next : result.attachments())
        {
            if (next.kind().equals(Attachment.HLOG))
            {
                final int separator = next.title().lastIndexOf(TITLE_SEPARATOR);
                final String caseName = separator < 0 ? "" : next.title().substring(0, separator);
                final String client = separator < 0 ? next.title() :
                    next.title().substring(separator + TITLE_SEPARATOR.length());
                percentiles(Path.of(next.file())).forEach((tag, points) ->
                {
                    final boolean isTagged = !tag.equals(UNTAGGED);
                    curvesOfChart.computeIfAbsent(isTagged ? next.title() : caseName, key -> new LinkedHashMap<>())
                        .put(isTagged ? tag : client, points);
                });
            }
        }
        curvesOfChart.forEach((title, curves) -> addCurves(title, curves, places));
        return places;
    }

    /**
     * @return the data of all charts so far, as JSON that can be in a script element.
     */
    String json()
    {
        return data.toString().replace("<", "\\u003c");
    }

    /**
     * @param allCases of the scenario, in the order in which each chart has those of its metric.
     * @param rows     of one metric.
     */
    private void addBars(final Set<String> allCases, final List<Row> rows, final List<Map<String, String>> places)
    {
        final Set<String> cases = new LinkedHashSet<>(allCases);
        cases.retainAll(rows.stream().map(Row::caseName).toList());
        final Map<String, Map<String, Row>> rowOfClient = new LinkedHashMap<>();
        for (final Row row : rows)
        {
            rowOfClient.computeIfAbsent(row.client(), key -> new LinkedHashMap<>()).put(row.caseName(), row);
        }
        final ObjectNode chart = chart("bars", Metric.words(rows.get(0).metric()), rows.get(0).unit(), places);
        cases.forEach(chart.putArray("cases")::add);
        final ArrayNode series = chart.putArray("series");
        rowOfClient.forEach((client, rowOfCase) ->
        {
            final ArrayNode values = series.addObject().put("client", client).putArray("values");
            for (final String caseName : cases)
            {
                final Row row = rowOfCase.get(caseName);
                if (row == null)
                {
                    values.addNull();
                }
                else
                {
                    values.addArray().add(row.summary().median()).add(row.summary().min()).add(row.summary().max());
                }
            }
        });
    }

    private void addCurves(
        final String title, final Map<String, List<double[]>> curves, final List<Map<String, String>> places)
    {
        final ArrayNode series =
            chart("curves", "latency by percentile" + (title.isEmpty() ? "" : ": " + title), "us", places)
            .putArray("series");
        curves.forEach((name, points) ->
        {
            final ArrayNode array = series.addObject().put("client", name).putArray("points");
            points.forEach(point -> array.addArray().add(point[0]).add(point[1]));
        });
    }

    /** One metric over another: a line for each client that has both, through a point for each case. */
    private void addAgainst(
        final Map<String, List<Row>> rowsOfMetric,
        final Metric across,
        final Metric up,
        final List<Map<String, String>> places)
    {
        final String acrossWords = Metric.words(across.key());
        final ObjectNode chart =
            chart("lines", Metric.words(up.key()) + " against " + acrossWords, up.unit(), places);
        chart.put("across", acrossWords + ", µs");
        final Map<String, ArrayNode> pointsOfClient = new LinkedHashMap<>();
        for (final Row row : rowsOfMetric.getOrDefault(across.key(), List.of()))
        {
            for (final Row other : rowsOfMetric.getOrDefault(up.key(), List.of()))
            {
                if (other.client().equals(row.client()) && other.caseName().equals(row.caseName()))
                {
                    pointsOfClient.computeIfAbsent(row.client(), client -> JSON.createArrayNode()).addObject()
                        .put("x", row.summary().median()).put("y", other.summary().median())
                        .put("name", row.caseName());
                }
            }
        }
        final ArrayNode series = chart.putArray("series");
        pointsOfClient.forEach((client, points) -> series.addObject().put("client", client).set("points", points));
    }

    private ObjectNode chart(
        final String kind, final String title, final String rowUnit, final List<Map<String, String>> places)
    {
        final String id = "chart-" + (data.size() + 1);
        final String unit = rowUnit.equals("us") ? "µs" : rowUnit;
        places.add(Map.of("id", id, "title", title, "unit", unit));
        return data.putObject(id).put("kind", kind).put("title", title).put("unit", unit);
    }

    /**
     * @param file an interval log of nanoseconds; all intervals of a tag are taken together.
     * @return for each tag, an empty one if there are none, pairs of how rare (one in so many is larger) and how large
     *     in microseconds.
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
                    final Histogram all = histogramOfTag.computeIfAbsent(
                        Objects.requireNonNullElse(next.getTag(), UNTAGGED), tag -> new Histogram(Usage.DIGITS));
                    all.setAutoResize(true);
                    all.add(next);
                }
            }
        }
        final Map<String, List<double[]>> pointsOfTag = new LinkedHashMap<>();
        histogramOfTag.forEach((tag, histogram) -> pointsOfTag.put(tag, points(histogram)));
        return pointsOfTag;
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
