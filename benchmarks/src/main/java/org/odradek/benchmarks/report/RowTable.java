// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

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
        final Map<String, String> columns = new LinkedHashMap<>();
        metrics.forEach(metric -> columns.put(metric, Metric.heading(metric)));
        final Map<String, Map<String, String>> lines = new LinkedHashMap<>();
        final Map<String, Integer> widths = new LinkedHashMap<>();
        columns.forEach((metric, heading) -> widths.put(metric, heading.length()));
        for (final Row row : rows)
        {
            if (columns.containsKey(row.metric()))
            {
                final String start = String.format("%-24s %-19s", row.caseName(), row.client());
                final String cell = cell(row.summary());
                lines.computeIfAbsent(start, key -> new LinkedHashMap<>()).put(row.metric(), cell);
                widths.merge(row.metric(), cell.length(), Math::max);
            }
        }
        final StringBuilder table = new StringBuilder(line(String.format("%-24s %-19s", "case", "client"),
            columns, widths));
        lines.forEach((start, cells) -> table.append(line(start, cells, widths)));
        return table.toString();
    }

    private static String line(
        final String start, final Map<String, String> cells, final Map<String, Integer> widths)
    {
        final StringBuilder line = new StringBuilder(start);
        widths.forEach((metric, width) ->
            line.append(String.format("%" + (width + GAP) + "s", cells.getOrDefault(metric, ""))));
        return line.toString().stripTrailing() + System.lineSeparator();
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
