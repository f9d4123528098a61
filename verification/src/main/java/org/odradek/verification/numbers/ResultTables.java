// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;
import org.odradek.tools.Table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tables of the micro-benchmarks and of the aims.
 */
final class ResultTables
{
    private static final String MET = "met";
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
}
