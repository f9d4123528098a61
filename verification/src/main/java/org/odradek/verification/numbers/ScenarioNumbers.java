// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;
import org.odradek.tools.Table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static java.util.Map.entry;

/**
 * The rows {scenario, case, client, metric, unit, median, min, max, runs} of a scenario as one table: a line for each
 * case and client in the order in which they were measured, and a column for each of the chosen metrics. Cases that the
 * table leaves out are listed below it.
 */
final class ScenarioNumbers
{
    private static final String EVERY_CASE = ".*";
    private static final Column RECORDS = new Column("recordsPerSecond", "records/s");
    private static final Column ALLOCATED = new Column("allocatedBytesPerRecord", "bytes allocated/record");
    private static final Column THREAD_CPU = new Column("threadCpuPercent", "thread CPU %");
    private static final Column PROCESS_CPU = new Column("processCpuPercent", "process CPU %");
    private static final Column BROKER_CPU = new Column("brokerCpuPercent", "broker CPU %");
    private static final Column P50 = new Column("latencyP50Us", "p50 µs");
    private static final Column P99 = new Column("latencyP99Us", "p99 µs");
    private static final Column P999 = new Column("latencyP999Us", "p99.9 µs");
    private static final Column FETCHES = new Column("fetchesPerSecond", "fetches/s");
    private static final Column TO_TUNED = new Column("processCpuPercentToStockTuned", "process CPU to stock-tuned");

    private static final ScenarioNumbers READING = new ScenarioNumbers("passes", EVERY_CASE, RECORDS,
        new Column("threadCpuPerRecord", "thread CPU, ns/record"),
        new Column("processCpuPerRecord", "process CPU, ns/record"),
        ALLOCATED,
        new Column("recordsPerSecondToBareLoop", "records/s to the bare loop"),
        new Column("recordsPerSecondToStock", "records/s to stock"));

    private static final Map<String, ScenarioNumbers> OF_SCENARIO = Map.ofEntries(
        entry("catchup", READING),
        entry("migration", READING),
        entry("signalfx", new ScenarioNumbers("turns", EVERY_CASE, THREAD_CPU, PROCESS_CPU,
            new Column("processCpuPercentToStock", "process CPU to stock"),
            TO_TUNED,
            ALLOCATED,
            new Column("gcCount", "collections"),
            FETCHES,
            new Column("threadCpuPerFetch", "thread CPU, µs/fetch"),
            new Column("threadCpuPerFetchToBareLoop", "to the bare loop"),
            new Column("threadCpuPerFetchToBareSelect", "to the bare loop with select"), P50, P99)),
        entry("budget", new ScenarioNumbers("turns", EVERY_CASE, THREAD_CPU, PROCESS_CPU, P50, P99, FETCHES,
            BROKER_CPU, new Column("allocatedBytes", "bytes allocated"), TO_TUNED,
            new Column("processCpuPercentToBareLoop", "process CPU to the bare loop"))),
        entry("sweep", new ScenarioNumbers("turns", EVERY_CASE, FETCHES,
            new Column("fetchesPerSecondToOwnDefault", "fetches/s to no budget"), THREAD_CPU, P50, P99,
            new Column("latencyP99AddedUs", "p99 µs more than without"))),
        entry("demo", new ScenarioNumbers("turns", EVERY_CASE, THREAD_CPU, PROCESS_CPU,
            new Column("allocatedBytes", "bytes allocated"),
            ALLOCATED,
            new Column("gcCount", "collections"),
            FETCHES, P50, P99)),
        entry("idle", new ScenarioNumbers("turns", EVERY_CASE,
            new Column("threadCpuPerMinute", "thread CPU, ms/min"),
            new Column("processCpuPerMinute", "process CPU, ms/min"),
            new Column("threadCpuPerMinuteToStock", "thread CPU to stock"),
            new Column("allocatedBytesPerMinute", "bytes allocated/min"),
            FETCHES)),
        entry("latency", new ScenarioNumbers("turns", EVERY_CASE, P50, P99,
            P999,
            new Column("latencyP9999Us", "p99.99 µs"),
            new Column("latencyMaxUs", "worst µs"), THREAD_CPU)),
        entry("chain", new ScenarioNumbers("searches", "highest held|lowest broken",
            new Column("chains", "chains"), P50, P99, P999, PROCESS_CPU, THREAD_CPU,
            new Column("producerCpuPercent", "producer CPU %"), BROKER_CPU)),
        entry("produce", new ScenarioNumbers("turns", EVERY_CASE, RECORDS,
            new Column("processCpuPerRecord", "process CPU, ns/record"),
            ALLOCATED,
            new Column("recordsPerSecondToBestRival", "records/s to the best rival"),
            new Column("processCpuPerRecordToBestRival", "process CPU to the best rival"), BROKER_CPU, P50, P99,
            new Column("latencyP50UsToStock", "p50 to stock"))),
        entry("workers", new ScenarioNumbers("turns", EVERY_CASE, RECORDS,
            new Column("processCpuPerRecord", "process CPU, ns/record"),
            new Column("processCpuPerRecordOverDirect", "over direct"),
            new Column("processAllocatedBytesPerRecord", "bytes allocated/record"),
            new Column("processCpuPerRecordToBareRing", "process CPU to the bare ring"),
            new Column("recordsPerSecondToStockPool", "records/s to the pool"),
            new Column("processCpuPerRecordToStockPool", "process CPU to the pool"),
            new Column("processCpuPerRecordToParallelConsumer", "process CPU to parallel-consumer"), P50)),
        entry("sle", new ScenarioNumbers("searches", EVERY_CASE, RECORDS, P50, P99, PROCESS_CPU)),
        entry("groups", new ScenarioNumbers("rounds", EVERY_CASE,
            new Column("joinMs", "join, ms"),
            new Column("leaveMs", "leave, ms"),
            new Column("killMs", "kill, ms"),
            new Column("repeatedAfterJoin", "repeated after join"),
            new Column("repeatedAfterLeave", "after leave"),
            new Column("repeatedAfterKill", "after kill"), PROCESS_CPU,
            new Column("processCpuPercentToStockNew", "process CPU to stock new"))),
        entry("many", new ScenarioNumbers("turns", EVERY_CASE, THREAD_CPU, PROCESS_CPU,
            new Column("processCpuPercentToStock", "process CPU to stock"),
            new Column("allocatedBytes", "bytes allocated"),
            FETCHES, BROKER_CPU, P50, P99)),
        entry("distance", new ScenarioNumbers("rounds", EVERY_CASE,
            new Column("megabytesPerSecond", "MB/s"),
            new Column("rampMegabytesPerSecond", "in the ramp"),
            new Column("rampMegabytesPerSecondToOwnEight", "to odradek-eight"),
            new Column("recordsPerSecondToStockTuned", "to stock-tuned"),
            new Column("recordsPerSecondToLibrdkafka", "to librdkafka"),
            new Column("recordsPerSecondToStream", "to one stream"),
            new Column("recordsPerSecondToStreamsEight", "to eight streams"),
            new Column("processCpuPerRecord", "process CPU, ns/record"),
            new Column("processAllocatedBytesPerRecord", "bytes allocated/record"), BROKER_CPU)),
        entry("cores", new ScenarioNumbers("passes", EVERY_CASE, RECORDS,
            new Column("processCpuPerRecord", "process CPU, ns/record"), BROKER_CPU)),
        entry("flink", new ScenarioNumbers("passes or turns", EVERY_CASE, RECORDS,
            new Column("recordsPerSecondToConnector", "records/s to the connector"),
            new Column("processCpuPerRecord", "process CPU, ns/record"),
            new Column("processCpuPerRecordToConnector", "CPU to the connector"),
            new Column("processAllocatedBytesPerRecord", "bytes allocated/record"),
            new Column("checkpointP50Us", "checkpoint p50 µs"),
            new Column("checkpointMaxUs", "longest µs"), PROCESS_CPU,
            new Column("processCpuPercentToConnector", "process CPU to the connector"), P50, P99)));

    private final String runs;
    private final String cases;
    private final List<Column> columns;

    private ScenarioNumbers(final String runs, final String cases, final Column... columns)
    {
        this.runs = runs;
        this.cases = cases;
        this.columns = List.of(columns);
    }

    static boolean isKnown(final String name)
    {
        return OF_SCENARIO.containsKey(scenario(name));
    }

    /** A result of a scenario with an option is named after both. */
    private static String scenario(final String name)
    {
        return name.replaceFirst("-(jdk25|tls|below)$", "");
    }

    /**
     * @param name   of a scenario, and after a dash an option of it.
     * @param result JSON that it wrote.
     * @return its table, and a sentence on how it was measured.
     */
    static String markdown(final String name, final JsonNode result)
    {
        return OF_SCENARIO.get(scenario(name)).page(name, result);
    }

    private String page(final String name, final JsonNode result)
    {
        final Map<List<String>, Map<String, JsonNode>> lines = new LinkedHashMap<>();
        final Set<String> otherCases = new LinkedHashSet<>();
        int mostRuns = 0;
        for (final JsonNode row : result.path("rows"))
        {
            final String metric = row.path("metric").asText();
            if (!row.path("case").asText().matches(cases))
            {
                otherCases.add(row.path("case").asText());
            }
            else if (columns.stream().anyMatch((column) -> column.metric().equals(metric)))
            {
                lines.computeIfAbsent(List.of(row.path("case").asText(), row.path("client").asText()),
                    (key) -> new LinkedHashMap<>()).put(metric, row);
                mostRuns = Math.max(mostRuns, row.path("runs").asInt());
            }
        }
        if (lines.isEmpty())
        {
            throw new IllegalStateException("docs/results/" + name + ".json holds no rows: measure it again.");
        }
        return table(lines).toMarkdown() + "\nMedian (least–most) of " + mostRuns + " " + runs +
            "; " + Environment.writtenBy(result.path("environment")) + link(result) + "\n" +
            (otherCases.isEmpty() ? "" :
            "Measured as well, in docs/results/" + name + ".json: " + String.join("; ", otherCases) + ".\n");
    }

    /** A result over a link says which one. */
    private static String link(final JsonNode result)
    {
        final JsonNode link = result.path("environment").path("settings").path("link");
        return link.isMissingNode() ? "" : " The link was " + link.asText() + ".";
    }

    private Table table(final Map<List<String>, Map<String, JsonNode>> lines)
    {
        final List<Column> shown = columns.stream().filter(
            (column) -> lines.values().stream().anyMatch((line) -> line.containsKey(column.metric()))).toList();
        final List<String> header = new ArrayList<>(List.of("", "client"));
        shown.forEach((column) -> header.add(column.title()));
        final Table table = new Table(header.toArray(new String[0]));
        lines.forEach((caseAndClient, line) ->
        {
            final List<String> cells = new ArrayList<>(caseAndClient);
            shown.forEach((column) -> cells.add(cell(line.get(column.metric()))));
            table.row(cells.toArray(new String[0]));
        });
        return table;
    }

    private static String cell(final JsonNode row)
    {
        if (row == null)
        {
            return "";
        }
        final String median = Table.figure(row.path("median").asDouble());
        final String min = Table.figure(row.path("min").asDouble());
        final String max = Table.figure(row.path("max").asDouble());
        return min.equals(max) ? median : median + " (" + min + "–" + max + ")";
    }

    private record Column(String metric, String title)
    {
    }
}
