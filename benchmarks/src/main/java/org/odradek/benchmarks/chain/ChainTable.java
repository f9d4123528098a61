/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.report.NotRun;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.List;
import java.util.Locale;

/**
 * The rows as a table to read: a line for each client at the most chains it held, and one where it first broke.
 */
final class ChainTable
{
    private static final String FORMAT = "%-20s  %-13s  %6s  %8s  %8s  %8s  %8s  %12s  %7s  %7s%n";
    private static final double US_PER_MS = 1e3;

    private final StringBuilder text = new StringBuilder();
    private final List<Row> rows;

    private ChainTable(final List<Row> rows)
    {
        this.rows = rows;
    }

    static String format(final List<Row> rows, final List<NotRun> notRun)
    {
        return new ChainTable(rows).format(notRun);
    }

    private String format(final List<NotRun> notRun)
    {
        line("client", "", "chains", "p50", "p99", "p99.9", "worst", "p99.9 uncorr", "client", "broker");
        line("", "", "", "ms", "ms", "ms", "ms", "ms", "CPU %", "CPU %");
        rows.stream().map(Row::client).distinct().forEach(client ->
        {
            addLine(client, ChainRows.HIGHEST);
            addLine(client, ChainRows.LOWEST_BROKEN);
        });
        notRun.forEach(next -> line(next.client(), "not run", "", "", "", "", "", "", "", ""));
        return text.toString();
    }

    private void addLine(final String client, final String what)
    {
        final Summary chains = find(what, client, ChainRows.CHAINS);
        if (chains != null)
        {
            final int count = (int)chains.median();
            final String caseName = ChainRows.caseName(count);
            line(client, what, Integer.toString(count),
                ms(caseName, client, ChainRows.P50), ms(caseName, client, ChainRows.P99),
                ms(caseName, client, ChainRows.P999), ms(caseName, client, ChainRows.MAX),
                ms(caseName, client, ChainRows.UNCORRECTED_P999),
                figure("%.0f", find(caseName, client, ChainRows.PROCESS_CPU), 1),
                figure("%.0f", find(caseName, client, ChainRows.BROKER_CPU), 1));
        }
    }

    private String ms(final String caseName, final String client, final String metric)
    {
        return figure("%.1f", find(caseName, client, metric), US_PER_MS);
    }

    private static String figure(final String format, final Summary summary, final double unit)
    {
        return summary == null ? "-" : String.format(Locale.ROOT, format, summary.median() / unit);
    }

    private Summary find(final String caseName, final String client, final String metric)
    {
        return rows.stream()
            .filter(row -> row.caseName().equals(caseName) && row.client().equals(client) &&
                row.metric().equals(metric))
            .map(Row::summary).findFirst().orElse(null);
    }

    private void line(final Object... cells)
    {
        text.append(String.format(Locale.ROOT, FORMAT, cells));
    }
}
