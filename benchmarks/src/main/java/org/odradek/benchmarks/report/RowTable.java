/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Rows as people read them: a line for each case and client, a column for each metric, a figure as its median and,
 * where there were several runs, [min..max].
 */
public final class RowTable
{
    private final List<String> metrics = new ArrayList<>();
    private final List<String> titles = new ArrayList<>();
    private final List<String> formats = new ArrayList<>();

    /**
     * @param metric of the rows.
     * @param title  of its column.
     * @param format of a figure, as {@link String#format} takes it.
     * @return this.
     */
    public RowTable column(final String metric, final String title, final String format)
    {
        metrics.add(metric);
        titles.add(title);
        formats.add(format);
        return this;
    }

    /**
     * @param rows of which those without a column are left out.
     * @return the lines.
     */
    public String format(final List<Row> rows)
    {
        final Map<List<String>, String[]> lines = new LinkedHashMap<>();
        lines.put(List.of("case", "client"), titles.toArray(new String[0]));
        for (final Row row : rows)
        {
            final int column = metrics.indexOf(row.metric());
            if (column >= 0)
            {
                lines.computeIfAbsent(List.of(row.caseName(), row.client()), key -> new String[metrics.size()])
                    [column] = cell(row.summary(), formats.get(column));
            }
        }
        final List<List<String>> cells = new ArrayList<>();
        lines.forEach((start, figures) ->
        {
            final List<String> line = new ArrayList<>(start);
            for (final String figure : figures)
            {
                line.add(figure == null ? "" : figure);
            }
            cells.add(line);
        });
        return align(cells);
    }

    private static String cell(final Summary summary, final String format)
    {
        final String median = String.format(Locale.ROOT, format, summary.median());
        return summary.runs() == 1 ? median : median + String.format(
            Locale.ROOT, " [" + format + ".." + format + "]", summary.min(), summary.max());
    }

    private static String align(final List<List<String>> lines)
    {
        final int[] widths = new int[lines.get(0).size()];
        for (final List<String> line : lines)
        {
            for (int i = 0; i < widths.length; i++)
            {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        final StringBuilder table = new StringBuilder();
        for (final List<String> line : lines)
        {
            final StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++)
            {
                text.append(line.get(i)).append(" ".repeat(widths[i] - line.get(i).length() + 2));
            }
            table.append(text.toString().stripTrailing()).append(System.lineSeparator());
        }
        return table.toString();
    }
}
