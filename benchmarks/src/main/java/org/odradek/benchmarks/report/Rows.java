// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.odradek.benchmarks.report.Report.Row;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Makes the rows of one case: a figure for each run of a client becomes a row with median and spread. A figure that a
 * client does not know has no row.
 */
public final class Rows
{
    private static final String START = "%-24s %-19s";
    private static final int BEYOND_LARGEST = 3;
    private static final int GAP = 2;

    private final List<Row> rows = new ArrayList<>();
    private final Map<Metric, Map<String, double[]>> values = new EnumMap<>(Metric.class);
    private final String scenario;
    private final String caseName;

    public Rows(final String scenario, final String caseName)
    {
        this.scenario = scenario;
        this.caseName = caseName;
    }

    public List<Row> list()
    {
        return rows;
    }

    /** Adds a row for each client and metric; the turns are those of a client by its name, round by round. */
    public Rows add(final Map<String, Usage[]> turns, final Metric... metrics)
    {
        for (final Metric metric : metrics)
        {
            turns.forEach((client, usages) ->
                add(client, metric, Arrays.stream(usages).mapToDouble(metric::of).toArray()));
        }
        return this;
    }

    /** Adds a row of figures, one for each run, unless one of them is NaN. */
    public Rows add(final String client, final Metric metric, final double... figures)
    {
        if (figures.length > 0 && Arrays.stream(figures).noneMatch(Double::isNaN))
        {
            values.computeIfAbsent(metric, (key) -> new HashMap<>()).put(client, figures);
            rows.add(new Row(scenario, caseName, client, metric.key(), metric.unit, Summary.of(figures)));
        }
        return this;
    }

    /**
     * Adds what was added before of a client divided by that of the best of a rival's clients, run by run. There is no
     * row if one of them has no such figure, or the rival's is 0 in a run.
     */
    public Rows addRatio(final String client, final Metric metric, final Rival rival)
    {
        final Map<String, double[]> ofMetric = values.getOrDefault(metric, Map.of());
        final double[] ours = ofMetric.get(client);
        final int sign = metric.isMoreBetter() ? 1 : -1;
        final double[] best = rival.clients.stream().map(ofMetric::get).filter(Objects::nonNull)
            .max(Comparator.comparingDouble((theirs) -> sign * Summary.of(theirs).median())).orElse(null);
        if (ours != null && best != null && Arrays.stream(best).allMatch((value) -> value > 0))
        {
            rows.add(new Row(scenario, caseName, client, metric.to(rival), "ratio", Summary.ofRatios(ours, best)));
        }
        return this;
    }

    public Rows addRatios(final List<String> clients, final List<Metric> metrics, final Rival... rivals)
    {
        metrics.forEach((metric) -> clients.forEach((client) -> Arrays.stream(rivals).forEach(
            (rival) -> addRatio(client, metric, rival))));
        return this;
    }

    /**
     * Rows as people read them: a line for each case and client, a column for each metric, each figure as its median
     * and [min..max]; empty where the client has no such figure. The metrics have their names in rows.
     */
    public static String table(final List<Row> rows, final List<String> metrics)
    {
        final Map<String, Map<String, String>> lines = new LinkedHashMap<>();
        final Map<String, String> headings = new HashMap<>();
        metrics.forEach((metric) -> headings.put(metric, Metric.heading(metric)));
        lines.put(String.format(START, "case", "client"), headings);
        rows.stream().filter((row) -> headings.containsKey(row.metric())).forEach((row) -> lines.computeIfAbsent(
            String.format(START, row.caseName(), row.client()), (start) -> new HashMap<>())
            .put(row.metric(), cell(row.summary())));
        final StringBuilder table = new StringBuilder();
        lines.forEach((start, cells) ->
        {
            final StringBuilder line = new StringBuilder(start);
            for (final String metric : metrics)
            {
                final int width = lines.values().stream()
                    .mapToInt((other) -> other.getOrDefault(metric, "").length()).max().orElse(0);
                line.append(String.format("%" + (width + GAP) + "s", cells.getOrDefault(metric, "")));
            }
            table.append(line.toString().stripTrailing()).append(System.lineSeparator());
        });
        return table.toString();
    }

    private static String cell(final Summary summary)
    {
        final int decimals = summary.max() == Math.rint(summary.max()) && summary.min() == Math.rint(summary.min()) ?
            0 : Math.max(0, BEYOND_LARGEST - (int) Math.ceil(Math.log10(Math.max(1, summary.max()))));
        final String number = "%,." + decimals + "f";
        return summary.runs() == 1 ? String.format(Locale.ROOT, number, summary.median()) :
            String.format(Locale.ROOT, number + " [" + number + ".." + number + "]",
            summary.median(), summary.min(), summary.max());
    }
}
