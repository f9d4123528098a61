// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.numbers;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of the micro-benchmarks as one table: a line for each case, ours and the others side by side. A column of
 * which the file holds no row is left out.
 */
final class JmhNumbers
{
    private static final String TIME = "nsPerRecord";
    private static final String RATIO = "timesOurs";
    private static final String BYTES = "bytesPerFetch";
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

    private JmhNumbers()
    {
    }

    static String markdown(final JsonNode result)
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
        final JsonNode environment = result.path("environment");
        final String options = environment.path("settings").path("isQuick").asBoolean() ? "--quick " : "";
        return table.toMarkdown() + "\nMedian (least–most) of " + result.path("rows").path(0).path("runs").asInt() +
            " JVMs; written by `./odradek bench jmh " + options + "--record`, " +
            environment.path("cpuModel").asText() + ", " +
            Environment.sentence(environment) + "\n";
    }

    private static String key(final String client, final String metric)
    {
        return client + '/' + metric;
    }

    private record Column(String title, String client, String metric)
    {
        private String key()
        {
            return JmhNumbers.key(client, metric);
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
}
