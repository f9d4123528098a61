// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One page of HTML about the demo, which needs no network. Its form is {@code demo.mustache}.
 *
 * @param found          one sentence.
 * @param sentences      what was found for each pair of clients.
 * @param pairs          tables of ratios.
 * @param note           what the ratios are worth.
 * @param cpuPercents    of the polling thread of each client: pairs of a second and the figure.
 * @param allocatedBytes since the first second, in the same form.
 * @param p99Us          in the same form.
 * @param latencies      of each client.
 */
public record DemoPage(String found, List<String> sentences, List<Pair> pairs, String note,
    Map<String, List<double[]>> cpuPercents, Map<String, List<double[]>> allocatedBytes,
    Map<String, List<double[]>> p99Us, Map<String, Histogram> latencies)
{
    /** Ours and the stock client, and in words how both are set up. */
    public record Pair(String setUp, List<Ratio> ratios)
    {
    }

    /** One figure of both clients; NaN stands for an unknown one. */
    public record Ratio(String words, double ours, double stock)
    {
        public double ratio()
        {
            return ours / stock;
        }
    }

    /** Writes the page about this run. */
    public void write(final Path html, final Report report) throws IOException
    {
        final Charts charts = new Charts()
            .addTimes("CPU of the polling thread in each second", "%", cpuPercents)
            .addTimes("allocated so far by the polling thread", "bytes", allocatedBytes)
            .addTimes("latency p99 in each second", "us", p99Us)
            .addLatencies(latencies);
        HtmlReport.write(html, "demo.mustache", charts, Environment.ordered(
            "found", found,
            "sentences", sentences,
            "pairs", pairs,
            "note", note,
            "command", report.environment().get("command"),
            "date", HtmlReport.time(report),
            "charts", charts.all(),
            "machine", HtmlReport.machine(List.of(report)).entrySet(),
            "settings", ((Map<?, ?>)report.environment().get("settings")).entrySet(),
            "rowCount", report.rows().size(),
            "rows", report.rows()));
    }
}
