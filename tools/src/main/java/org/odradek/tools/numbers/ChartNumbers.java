// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.numbers;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;

/**
 * Bars in the language of Mermaid, which GitHub and many editors draw: one metric of one case, a bar for each client.
 *
 * @param scenario whose result is drawn.
 * @param caseName of its rows.
 * @param metric   of its rows.
 * @param scale    a figure is divided by this.
 * @param title    over the chart, with the unit.
 */
record ChartNumbers(String scenario, String caseName, String metric, double scale, String title)
{
    private static final double MILLION = 1e6;

    /** What a first page shows: how fast a log is read, what a trickle costs, and how much fits on a machine. */
    static final List<ChartNumbers> FIRST_PAGE = List.of(
        new ChartNumbers("catchup", "23 B", "recordsPerSecond", MILLION,
            "Reading a log of 23-byte records, million records a second"),
        new ChartNumbers("signalfx", "5000/s, linger 0 ms", "processCpuPercent", 1,
            "5,000 records a second as they come, CPU of the process in % of a core"),
        new ChartNumbers("chain", "highest held", "chains", 1,
            "Chains of five services on one machine, most that held p99.9 below 100 ms"));

    String markdown(final JsonNode result)
    {
        final List<String> clients = new ArrayList<>();
        final List<String> bars = new ArrayList<>();
        for (final JsonNode row : result.path("rows"))
        {
            if (row.path("case").asText().equals(caseName) && row.path("metric").asText().equals(metric) &&
                !row.path("client").asText().equals("producer"))
            {
                clients.add('"' + row.path("client").asText() + '"');
                bars.add(plain(row.path("median").asDouble() / scale));
            }
        }
        if (bars.isEmpty())
        {
            throw new IllegalStateException("docs/results/" + scenario + ".json holds no " + metric + " of " +
                caseName + ": measure it again.");
        }
        return "```mermaid\n---\nconfig:\n  xyChart:\n    width: 900\n    height: 260\n    showDataLabel: true\n---\n" +
            "xychart-beta\n  title \"" + title + "\"\n  x-axis [" + String.join(", ", clients) + "]\n  y-axis 0 --> " +
            plain(1.1 * largest(bars)) + "\n  bar [" + String.join(", ", bars) + "]\n```\n";
    }

    /** Without commas, which Mermaid would read as the end of a figure. */
    private static String plain(final double figure)
    {
        return Table.figure(figure).replace(",", "");
    }

    private static double largest(final List<String> bars)
    {
        return bars.stream().mapToDouble(Double::parseDouble).max().orElse(0);
    }
}
