/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.tools.numbers;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The rows of the micro-benchmarks as one table: a line for each case, ours and the others side by side.
 */
final class JmhNumbers
{
    private static final String OURS = "odradek";
    private static final String RIVAL = "kafka-clients";
    private static final String CODEC = "codec alone";

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

        final Table table = new Table("value, codec, fetch", "Odradek (ns/record)", "kafka-clients (ns/record)",
            "kafka-clients / Odradek", "codec alone (ns/record)", "Odradek (bytes/fetch)",
            "kafka-clients (bytes/fetch)");
        cases.forEach((name, rows) -> table.row(name,
            cell(rows, OURS, "nsPerRecord"), cell(rows, RIVAL, "nsPerRecord"), cell(rows, RIVAL, "timesOurs"),
            cell(rows, CODEC, "nsPerRecord"), median(rows, OURS), median(rows, RIVAL)));
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

    private static String cell(final Map<String, JsonNode> rows, final String client, final String metric)
    {
        final JsonNode row = rows.get(key(client, metric));
        return row == null ? "" : Table.figure(row.path("median").asDouble()) + " (" +
            Table.figure(row.path("min").asDouble()) + "–" + Table.figure(row.path("max").asDouble()) + ")";
    }

    private static String median(final Map<String, JsonNode> rows, final String client)
    {
        final JsonNode row = rows.get(key(client, "bytesPerFetch"));
        return row == null ? "" : Table.figure(Math.rint(row.path("median").asDouble()));
    }
}
