/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.tools.numbers;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A benchmark's rows {scenario, case, client, metric, unit, median, min, max, runs} as one table: a line for each case
 * and client, a column for each metric, both in the order in which they were measured. A first screen has no room for
 * all of them: it shows one uncompressed partition of each size, and what was measured beyond that is only named.
 */
final class CatchupNumbers
{
    private static final Pattern PLAIN_CASE = Pattern.compile("[0-9]+ B");
    private static final Set<String> WITHOUT_ROOM = Set.of("megabytesPerSecond", "brokerCpuPercent",
        "recordsPerSecondToBestRival", "processCpuPerRecordToBestRival");

    private CatchupNumbers()
    {
    }

    static String markdown(final String name, final JsonNode result)
    {
        final Set<String> metrics = new LinkedHashSet<>();
        final Map<List<String>, Map<String, JsonNode>> lines = new LinkedHashMap<>();
        final Set<String> otherCases = new LinkedHashSet<>();
        for (final JsonNode row : result.path("rows"))
        {
            if (!PLAIN_CASE.matcher(row.path("case").asText()).matches())
            {
                otherCases.add(row.path("case").asText());
                continue;
            }
            if (WITHOUT_ROOM.contains(row.path("metric").asText()))
            {
                continue;
            }
            metrics.add(metric(row));
            lines.computeIfAbsent(List.of(row.path("case").asText(), row.path("client").asText()),
                key -> new LinkedHashMap<>()).put(metric(row), row);
        }
        if (lines.isEmpty())
        {
            throw new IllegalStateException("docs/results/" + name + ".json holds no rows: measure it again.");
        }

        final List<String> header = new ArrayList<>(List.of("", "client"));
        header.addAll(metrics);
        final Table table = new Table(header.toArray(new String[0]));
        for (final Map.Entry<List<String>, Map<String, JsonNode>> line : lines.entrySet())
        {
            final List<String> cells = new ArrayList<>(line.getKey());
            for (final String metric : metrics)
            {
                final JsonNode row = line.getValue().get(metric);
                cells.add(row == null ? "" : cell(row));
            }
            table.row(cells.toArray(new String[0]));
        }
        return table.toMarkdown() + "\nMedian (least–most) of " + result.path("rows").path(0).path("runs").asInt() +
            " passes; written by `./odradek bench " + name + " --record`, " +
            Environment.sentence(result.path("environment")) + "\n" + (otherCases.isEmpty() ? "" :
            "Measured as well, in docs/results/" + name + ".json: " + String.join("; ", otherCases) + ".\n");
    }

    private static String metric(final JsonNode row)
    {
        final String unit = row.path("unit").asText();
        return row.path("metric").asText() + (unit.isEmpty() ? "" : " (" + unit + ")");
    }

    private static String cell(final JsonNode row)
    {
        final String median = Table.figure(row.path("median").asDouble());
        final String min = Table.figure(row.path("min").asDouble());
        final String max = Table.figure(row.path("max").asDouble());
        return min.equals(max) ? median : median + " (" + min + "–" + max + ")";
    }
}
