// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.clients.OdradekClient;
import org.odradek.benchmarks.clients.StockClient;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.benchmarks.scenarios.CatchupRun.Case;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The whole scenario in miniature: it compares the sums of all arms itself and fails where they differ.
 */
@Timeout(1200)
@Tag("slow")
class CatchupIT
{
    /** One of each way to read; librdkafka has a test of its own, because not every machine can make its program. */
    private static final List<Arm> ARMS =
        List.of(Arms.ODRADEK, Arms.BARE_LOOP, Arms.STOCK, Arms.STOCK_NEW);
    private static final int BYTES_PER_TOPIC = 2_500_000;
    private static final Case PLAIN = Case.plain(23);
    private static final Case OTHER = new Case(1_000, 2, "zstd", false);
    private static final Set<String> COLUMNS =
        Set.of("scenario", "case", "client", "metric", "unit", "median", "min", "max", "runs");

    @Test
    void shouldRunEveryArmThatCanReadTheCaseAndWriteItsRows(@TempDir final Path folder) throws Exception
    {
        final Path file = folder.resolve("catchup.json");
        final List<String> progress = new ArrayList<>();
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            final CatchupRun.Plan plan =
                new CatchupRun.Plan("catchup", ARMS, List.of(PLAIN, OTHER), 1, 1, BYTES_PER_TOPIC);
            final Cluster cluster =
                Cluster.given(broker.bootstrapServers(), ProcessHandle.current().pid());
            new CatchupRun(plan, cluster, progress::add).run().toReport(plan.settings(null)).writeTo(file);
        }

        final JsonNode json = new ObjectMapper().readTree(file.toFile());
        final Set<String> clients = new LinkedHashSet<>();
        for (final JsonNode row : json.get("rows"))
        {
            assertIsRow(row);
            if (row.get("metric").asText().equals(Metric.BROKER_CPU.key()))
            {
                clients.add(row.get("case").asText() + ": " + row.get("client").asText());
            }
        }
        assertEquals(List.of("23 B: odradek", "23 B: bare-loop", "23 B: stock", "23 B: stock-new",
            "1000 B, zstd, 2 partitions, CRC off: odradek", "1000 B, zstd, 2 partitions, CRC off: stock",
            "1000 B, zstd, 2 partitions, CRC off: stock-new"), List.copyOf(clients));
        assertEquals(0, json.get("notRun").size());
        assertIsEnvironment(json.get("environment"));
        assertEquals(2, progress.stream().filter((line) -> line.contains("records written in")).count());
        assertEquals(2, progress.stream().filter((line) -> line.contains("warm-up 1 of 1")).count());
        assertEquals(2, progress.stream().filter((line) -> line.contains("round 1 of 1")).count());
    }

    @Test
    void shouldReadWithSeveralThreadsOfOneProcess() throws Exception
    {
        final List<Arm> arms = List.of(Arms.threads("odradek, 2 threads", OdradekClient.class, 2),
            Arms.threads("stock, 2 threads", StockClient.class, 2));
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            final CatchupRun.Plan plan = new CatchupRun.Plan("cores", arms, List.of(OTHER), 1, 1, BYTES_PER_TOPIC);
            final Results results =
                new CatchupRun(plan, Cluster.given(broker.bootstrapServers()), (line) -> { }).run();

            assertEquals(List.of(), results.notRun());
            assertEquals(List.of("odradek, 2 threads", "stock, 2 threads"), results.rows().stream()
                .filter((row) -> row.metric().equals(Metric.PROCESS_CPU_PER_RECORD.key())).map(Row::client).toList());
            assertTrue(results.rows().stream().noneMatch((row) -> row.metric().startsWith("thread")),
                "The CPU of one of several threads says nothing.");
        }
    }

    private static void assertIsRow(final JsonNode row)
    {
        final Set<String> columns = new HashSet<>();
        row.fieldNames().forEachRemaining(columns::add);
        assertEquals(COLUMNS, columns);
        assertEquals("catchup", row.get("scenario").asText());
        assertTrue(Set.of(PLAIN.name(), OTHER.name()).contains(row.get("case").asText()), row::toString);
        assertEquals(1, row.get("runs").asInt());
        for (final String figure : List.of("median", "min", "max"))
        {
            assertTrue(row.get(figure).isNumber(), row::toString);
        }
        assertTrue(row.get("min").asDouble() <= row.get("median").asDouble(), row::toString);
        assertTrue(row.get("median").asDouble() <= row.get("max").asDouble(), row::toString);
    }

    private static void assertIsEnvironment(final JsonNode environment)
    {
        for (final String name : List.of("jvm", "os", "cpus", "date", "settings"))
        {
            assertTrue(environment.hasNonNull(name), name);
        }
        final JsonNode settings = environment.get("settings");
        assertEquals(1, settings.get("passes").asInt());
        assertEquals(BYTES_PER_TOPIC / 31, settings.get("records").get(0).asInt());
    }
}
