// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.html;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.odradek.benchmarks.report.Attachment;
import org.odradek.benchmarks.report.ResultFile;
import org.odradek.benchmarks.report.Row;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the page's script draws, as data: bars with whiskers, one chart for each metric of a scenario, and curves of
 * percentiles, one chart for each case with interval logs.
 */
final class Charts
{
    private static final String TITLE_SEPARATOR = ", ";

    private final ObjectNode data = new ObjectMapper().createObjectNode();
    private int count;

    /**
     * @return places for the charts of a scenario, in HTML.
     */
    String of(final ResultFile result) throws IOException
    {
        final StringBuilder places = new StringBuilder();
        final Set<String> cases = new LinkedHashSet<>();
        result.rows().forEach(row -> cases.add(row.caseName()));
        final Map<String, List<Row>> rowsOfMetric = new LinkedHashMap<>();
        result.rows().forEach(row -> rowsOfMetric.computeIfAbsent(row.metric(), key -> new ArrayList<>()).add(row));
        for (final List<Row> rows : rowsOfMetric.values())
        {
            places.append(place(bars(cases, rows)));
        }
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
                Percentiles.read(result.folder().resolve(next.file())).forEach((tag, points) ->
                {
                    final boolean isTagged = !tag.equals(Percentiles.UNTAGGED);
                    curvesOfChart.computeIfAbsent(isTagged ? next.title() : caseName, key -> new LinkedHashMap<>())
                        .put(isTagged ? tag : client, points);
                });
            }
        }
        curvesOfChart.forEach((title, curves) -> places.append(place(curves(title, curves))));
        return places.toString();
    }

    /**
     * @return the data of all charts asked for so far, as JSON that can stand in a script element.
     */
    String json()
    {
        return data.toString().replace("<", "\\u003c");
    }

    /**
     * @param allCases of the scenario, in the order in which each chart has those of its metric.
     * @param rows     of one metric.
     */
    private ObjectNode bars(final Set<String> allCases, final List<Row> rows)
    {
        final Set<String> cases = new LinkedHashSet<>(allCases);
        cases.retainAll(rows.stream().map(Row::caseName).toList());
        final Map<String, Map<String, Row>> rowOfClient = new LinkedHashMap<>();
        for (final Row row : rows)
        {
            rowOfClient.computeIfAbsent(row.client(), key -> new LinkedHashMap<>()).put(row.caseName(), row);
        }
        final ObjectNode chart = chart("bars", Html.words(rows.get(0).metric()), rows.get(0).unit());
        cases.forEach(chart.putArray("cases")::add);
        final ArrayNode series = chart.putArray("series");
        rowOfClient.forEach((client, rowOfCase) ->
        {
            final ObjectNode one = series.addObject().put("client", client);
            final ArrayNode values = one.putArray("values");
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
        return chart;
    }

    private ObjectNode curves(final String title, final Map<String, List<double[]>> curves)
    {
        final ObjectNode chart = chart("curves", "latency by percentile" + (title.isEmpty() ? "" : ": " + title), "us");
        final ArrayNode series = chart.putArray("series");
        curves.forEach((name, points) ->
        {
            final ArrayNode array = series.addObject().put("client", name).putArray("points");
            points.forEach(point -> array.addArray().add(point[0]).add(point[1]));
        });
        return chart;
    }

    private ObjectNode chart(final String kind, final String title, final String unit)
    {
        count++;
        return data.putObject("chart-" + count).put("kind", kind).put("title", title).put("unit", Html.unit(unit));
    }

    private String place(final ObjectNode chart)
    {
        final String title = Html.escape(chart.path("title").asText());
        return "<figure><figcaption>" + title + " <small>" + Html.escape(chart.path("unit").asText()) +
            "</small></figcaption><div class=\"chart\"><canvas id=\"chart-" + count + "\" role=\"img\" aria-label=\"" +
            title + "\"></canvas></div></figure>\n";
    }
}
