// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.numbers;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tables of the micro-benchmarks and of the aims, and the charts of the first page.
 */
final class ResultTables
{
    private static final String MET = "met";
    private static final String TIME = "nsPerRecord";
    private static final String RATIO = "timesOurs";
    private static final String BYTES = "bytesPerFetch";
    private static final double MILLION = 1e6;
    private static final List<Column> COLUMNS = List.of(
        new Column("Odradek (ns/record)", "odradek", TIME),
        new Column("kafka-clients' poll (ns/record)", "kafka-clients-poll", TIME),
        new Column("kafka-clients' poll / Odradek", "kafka-clients-poll", RATIO),
        new Column("kafka-clients' record sets (ns/record)", "kafka-clients", TIME),
        new Column("kafka-clients' record sets / Odradek", "kafka-clients", RATIO),
        new Column("codec alone (ns/record)", "codec alone", TIME),
        new Column("Odradek (bytes/fetch)", "odradek", BYTES),
        new Column("kafka-clients' poll (bytes/fetch)", "kafka-clients-poll", BYTES),
        new Column("kafka-clients' record sets (bytes/fetch)", "kafka-clients", BYTES));
    /** Charts of how fast a log is read, what a low rate costs, and how much fits on a machine. */
    private static final List<Chart> CHARTS = List.of(
        new Chart("catchup", "23 B", "recordsPerSecond", MILLION,
            "Reading a log of 23-byte records, million records a second"),
        new Chart("signalfx", "5000/s, linger 0 ms", "processCpuPercent", 1,
            "5,000 records a second as they come, CPU of the process in % of a core"),
        new Chart("chain", "highest held", "chains", 1,
            "Chains of five services on one machine, most that held p99.9 below 100 ms"));

    /** What a latency budget saves, beside what other clients can set. */
    static final Curve CURVE = new Curve("budget", "processCpuPercent",
        "5,000 records a second: CPU of the process in % of a core, for a latency budget in ms",
        List.of("odradek", "stock-tuned", "librdkafka", "bare-loop"), List.of("green", "orange", "blue", "grey"));

    private ResultTables()
    {
    }

    /**
     * Verdicts {scenario, case, client, metric, against, wanted, figure, state, note} as one table, those of one aim in
     * the order in which its cases were measured.
     */
    static String aims(final JsonNode result)
    {
        final Table table = new Table("scenario, case", "client", "figure", "against", "aim", "measured", "");
        int count = 0;
        int met = 0;
        for (final JsonNode verdict : result.path("verdicts"))
        {
            final String state = verdict.path("state").asText();
            final String note = verdict.path("note").asText();
            table.row("`" + verdict.path("scenario").asText() + "`, " + verdict.path("case").asText(),
                verdict.path("client").asText(), verdict.path("metric").asText(), verdict.path("against").asText(),
                verdict.path("wanted").asText(),
                verdict.path("figure").isNumber() ? Table.figure(verdict.path("figure").asDouble()) : "–",
                state + (note.isEmpty() ? "" : ": " + note));
            count++;
            met += state.equals(MET) ? 1 : 0;
        }
        if (count == 0)
        {
            throw new IllegalStateException("docs/results/aims.json holds no verdicts: measure with --record again.");
        }
        return table.toMarkdown() + "\n" + met + " of " + count + " met, by the results in docs/results.\n";
    }

    /**
     * The micro-benchmarks as one table: a line for each case, all clients side by side. A column without rows is left
     * out.
     */
    static String jmh(final JsonNode result)
    {
        final Map<String, Map<String, JsonNode>> cases = new LinkedHashMap<>();
        for (final JsonNode row : result.path("rows"))
        {
            cases.computeIfAbsent(row.path("case").asText(), (key) -> new HashMap<>())
                .put(key(row.path("client").asText(), row.path("metric").asText()), row);
        }
        if (cases.isEmpty())
        {
            throw new IllegalStateException("docs/results/jmh.json holds no rows: measure it again.");
        }

        final List<Column> columns = COLUMNS.stream()
            .filter((column) -> cases.values().stream().anyMatch((rows) -> rows.containsKey(column.key()))).toList();
        final List<String> header = new ArrayList<>(List.of("value, codec, fetch"));
        columns.forEach((column) -> header.add(column.title()));
        final Table table = new Table(header.toArray(new String[0]));
        cases.forEach((name, rows) ->
        {
            final List<String> line = new ArrayList<>(List.of(name));
            columns.forEach((column) -> line.add(column.cell(rows.get(column.key()))));
            table.row(line.toArray(new String[0]));
        });
        return table.toMarkdown() + "\nMedian (least–most) of " + result.path("rows").path(0).path("runs").asInt() +
            " JVMs; " + Environment.writtenBy(result.path("environment")) + "\n";
    }

    private static String key(final String client, final String metric)
    {
        return client + '/' + metric;
    }

    static List<Chart> charts()
    {
        return CHARTS;
    }

    private record Column(String title, String client, String metric)
    {
        private String key()
        {
            return ResultTables.key(client, metric);
        }

        private String cell(final JsonNode row)
        {
            if (row == null)
            {
                return "";
            }
            final double median = row.path("median").asDouble();
            return metric.equals(BYTES) ? Table.figure(Math.rint(median)) : Table.figure(median) + " (" +
                Table.figure(row.path("min").asDouble()) + "–" + Table.figure(row.path("max").asDouble()) + ")";
        }
    }

    /**
     * A bar chart in Mermaid, which GitHub and many editors draw: one metric of one case, a bar for each client.
     *
     * @param scenario whose result is drawn.
     * @param caseName of its rows.
     * @param metric   of its rows.
     * @param scale    by which a figure is divided.
     * @param title    of the chart, with the unit.
     */
    record Chart(String scenario, String caseName, String metric, double scale, String title)
    {
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
            return "```mermaid\n---\nconfig:\n  xyChart:\n    width: 900\n    height: 260\n" +
                "    showDataLabel: true\n---\n" +
                "xychart-beta\n  title \"" + title + "\"\n  x-axis [" + String.join(", ", clients) +
                "]\n  y-axis 0 --> " +
                plain(1.1 * largest(bars)) + "\n  bar [" + String.join(", ", bars) + "]\n```\n";
        }
    }

    /**
     * A line chart in Mermaid, which has no legend, so the title names the colours: one metric over the cases of a
     * scenario, a line for each client.
     *
     * @param scenario whose result is drawn.
     * @param metric   of its rows.
     * @param title    of the chart, with the unit.
     * @param clients  that are drawn, one for each colour.
     * @param colours  of the lines, as CSS names them.
     */
    record Curve(String scenario, String metric, String title, List<String> clients, List<String> colours)
    {
        String markdown(final JsonNode result)
        {
            final Map<String, Map<String, String>> casesOfClient = new LinkedHashMap<>();
            for (final JsonNode row : result.path("rows"))
            {
                if (row.path("metric").asText().equals(metric))
                {
                    casesOfClient.computeIfAbsent(row.path("client").asText(), (client) -> new LinkedHashMap<>())
                        .put('"' + row.path("case").asText() + '"', plain(row.path("median").asDouble()));
                }
            }
            final StringBuilder lines = new StringBuilder();
            final List<String> names = new ArrayList<>();
            final List<String> figures = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++)
            {
                if (!casesOfClient.containsKey(clients.get(i)))
                {
                    throw new IllegalStateException("docs/results/" + scenario + ".json holds no " + metric + " of " +
                        clients.get(i) + ": measure it again.");
                }
                final Map<String, String> ofClient = casesOfClient.get(clients.get(i));
                names.add(clients.get(i) + " " + colours.get(i));
                figures.addAll(ofClient.values());
                lines.append("  line [").append(String.join(", ", ofClient.values())).append("]\n");
            }
            return "```mermaid\n---\nconfig:\n  xyChart:\n    width: 900\n    height: 320\n  themeVariables:\n" +
                "    xyChart:\n      plotColorPalette: \"" + String.join(", ", colours) + "\"\n---\n" +
                "xychart-beta\n  title \"" + title + " (" + String.join(", ", names) + ")\"\n  x-axis [" +
                String.join(", ", casesOfClient.get(clients.get(0)).keySet()) + "]\n  y-axis 0 --> " +
                plain(1.1 * largest(figures)) + "\n" + lines + "```\n";
        }
    }

    /** Removes the commas, which Mermaid would read as the end of a figure. */
    private static String plain(final double figure)
    {
        return Table.figure(figure).replace(",", "");
    }

    private static double largest(final List<String> bars)
    {
        return bars.stream().mapToDouble(Double::parseDouble).max().orElse(0);
    }
}
