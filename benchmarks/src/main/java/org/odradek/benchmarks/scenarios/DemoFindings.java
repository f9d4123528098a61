// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.report.DemoPage;
import org.odradek.benchmarks.report.HtmlReport;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What the short demo has found: ours beside the stock client, in each way in which both are set up.
 *
 * @param rows of one round.
 */
record DemoFindings(List<Row> rows, List<Pair> pairs)
{
    static final String NOTE =
        "One short round shows the order of magnitude. ./odradek demo --full measures in 5 minutes.";
    private static final String CELLS = "%-36s%14s%14s%10s%n";
    private static final Map<Metric, String> WORDS = Map.of(
        Metric.THREAD_CPU, "CPU of the polling thread, %",
        Metric.ALLOCATED_PER_RECORD, "bytes allocated per record",
        Metric.FETCHES, "fetches per second",
        Metric.P50, "latency p50, µs",
        Metric.P99, "latency p99, µs");

    /**
     * Two clients that are compared.
     *
     * @param setUp   how both are set up, in words.
     * @param ours    its name in rows.
     * @param stock   its name in rows.
     * @param metrics those that are shown, whichever of the two is better. Except for latencies, the ratio in this form
     *                lies within 25 % of that of the full form.
     */
    record Pair(String setUp, String ours, String stock, List<Metric> metrics)
    {
    }

    /** @return the tables of ratios. */
    List<DemoPage.Pair> tables()
    {
        return pairs.stream().map((pair) -> new DemoPage.Pair(pair.setUp, pair.metrics.stream().map((metric) ->
            new DemoPage.Ratio(WORDS.get(metric), of(pair.ours, metric), of(pair.stock, metric))).toList())).toList();
    }

    /** @return the same as text, and what the ratios are worth. */
    String text()
    {
        return tables().stream().map((pair) -> line(pair.setUp(), "ours", "stock client", "ratio") +
            pair.ratios().stream().map((figure) -> line("  " + figure.words(), HtmlReport.figure(figure.ours()),
            HtmlReport.figure(figure.stock()), HtmlReport.figure(figure.ratio()))).collect(Collectors.joining()))
            .collect(Collectors.joining()) + NOTE + System.lineSeparator();
    }

    private static String line(final Object... cells)
    {
        return String.format(Locale.ROOT, CELLS, cells);
    }

    /** @return a sentence for each way in which both are set up. */
    List<String> sentences()
    {
        return pairs.stream().map((pair) -> String.format(Locale.ROOT,
            "%s our polling thread takes %s times the CPU of the stock client's, and allocates %s bytes per record " +
            "where that allocates %s.", pair.setUp, HtmlReport.figure(ratio(pair, Metric.THREAD_CPU)),
            bytes(pair.ours), bytes(pair.stock))).toList();
    }

    /** @return all in one sentence. */
    String found()
    {
        final double bytes = allocatedBytes();
        return bytes > 0 ? String.format(Locale.ROOT, "Ours allocated %,.0f bytes, which should be 0", bytes) :
            "Ours read every record and allocated nothing; the stock client took " + pairs.stream().map((pair) ->
                HtmlReport.figure(1 / ratio(pair, Metric.THREAD_CPU)) + " times the CPU " +
                pair.setUp.toLowerCase(Locale.ROOT)).collect(Collectors.joining(", "));
    }

    /** @return those of all clients of ours, each in its worst round, which should be 0. */
    double allocatedBytes()
    {
        return rows.stream().filter((row) -> row.metric().equals(Metric.ALLOCATED.key()) &&
            pairs.stream().anyMatch((pair) -> pair.ours.equals(row.client())))
            .mapToDouble((row) -> row.summary().max()).sum();
    }

    private String bytes(final String client)
    {
        return HtmlReport.figure(of(client, Metric.ALLOCATED_PER_RECORD));
    }

    private double ratio(final Pair pair, final Metric metric)
    {
        return of(pair.ours, metric) / of(pair.stock, metric);
    }

    private double of(final String client, final Metric metric)
    {
        return rows.stream().filter((row) -> row.client().equals(client) && row.metric().equals(metric.key()))
            .mapToDouble((row) -> row.summary().median()).findFirst().orElse(Double.NaN);
    }
}
