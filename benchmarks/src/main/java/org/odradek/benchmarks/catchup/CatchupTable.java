/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The rows as people read them: a line for each case and client, each figure as its median and [min..max].
 */
final class CatchupTable
{
    private static final double MILLION = 1e6;
    private static final String LINE = "%-18s %-15s %-20s %-18s %-22s %-22s %-20s %-22s %-18s %s%n";

    private CatchupTable()
    {
    }

    static String format(final List<Row> rows)
    {
        final Map<String, Map<String, Summary>> lines = new LinkedHashMap<>();
        for (final Row row : rows)
        {
            final String start = String.format("%-18s %-15s", row.caseName(), row.client());
            lines.computeIfAbsent(start, key -> new LinkedHashMap<>()).put(row.metric(), row.summary());
        }
        final StringBuilder table = new StringBuilder();
        table.append(String.format(LINE, "case", "client", "M records/s", "MB/s", "thread CPU ns/record",
            "process CPU ns/record", "allocated B/record", "broker CPU %", "to bare loop", "to better stock"));
        lines.forEach((start, figures) -> table.append(start).append(String.format(Locale.ROOT,
            " %-20s %-18s %-22s %-22s %-20s %-22s %-18s %s%n",
            cell(figures.get(CatchupRows.RECORDS_PER_SECOND), MILLION, "%.2f"),
            cell(figures.get(CatchupRows.MEGABYTES_PER_SECOND), 1, "%.0f"),
            cell(figures.get(CatchupRows.THREAD_CPU), 1, "%.1f"),
            cell(figures.get(CatchupRows.PROCESS_CPU), 1, "%.1f"),
            cell(figures.get(CatchupRows.ALLOCATED), 1, "%.3f"),
            cell(figures.get(CatchupRows.BROKER_CPU), 1, "%.0f"),
            cell(figures.get(CatchupRows.TO_BARE_LOOP), 1, "%.2f"),
            cell(figures.get(CatchupRows.TO_STOCK), 1, "%.2f"))));
        return table.toString();
    }

    private static String cell(final Summary summary, final double unit, final String number)
    {
        return summary == null ? "" : String.format(Locale.ROOT, number + " [" + number + ".." + number + "]",
            summary.median() / unit, summary.min() / unit, summary.max() / unit);
    }
}
