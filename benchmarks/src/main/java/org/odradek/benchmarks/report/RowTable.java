// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.odradek.benchmarks.report.Report.Row;

/**
 * Rows as people read them: a line for each case and client, a column for each metric, each figure as its median and
 * [min..max]; empty where the client has no such figure.
 */
public final class RowTable
{
    private static final String START = "%-24s %-19s";
    private static final int BEYOND_LARGEST = 3;
    private static final int GAP = 2;

    private RowTable()
    {
    }

    /**
     * @param metrics that are shown, by their names in rows.
     */
    public static String format(final List<Row> rows, final List<String> metrics)
    {
        final Map<String, Map<String, String>> lines = new LinkedHashMap<>();
        final Map<String, String> headings = new HashMap<>();
        metrics.forEach(metric -> headings.put(metric, Metric.heading(metric)));
        lines.put(String.format(START, "case", "client"), headings);
        rows.stream().filter(row -> headings.containsKey(row.metric())).forEach(row -> lines.computeIfAbsent(
            String.format(START, row.caseName(), row.client()), start -> new HashMap<>())
            .put(row.metric(), cell(row.summary())));
        final StringBuilder table = new StringBuilder();
        lines.forEach((start, cells) ->
        {
            final StringBuilder line = new StringBuilder(start);
            for (final String metric : metrics)
            {
                final int width = lines.values().stream()
                    .mapToInt(other -> other.getOrDefault(metric, "").length()).max().orElse(0);
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
