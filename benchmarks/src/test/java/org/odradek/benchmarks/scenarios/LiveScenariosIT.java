// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.LiveRun;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.LiveScenario.Case;
import org.odradek.benchmarks.rig.LiveScenario.FlameGraphs;
import org.odradek.benchmarks.rig.LiveScenario.Plan;
import org.odradek.benchmarks.rig.LiveScenario.Timing;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;
import picocli.CommandLine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The scenarios on live topics in miniature: each fails itself if a record is missing.
 */
@Tag("slow")
class LiveScenariosIT
{
    private static EmbeddedBroker broker;

    private final List<String> progress = new ArrayList<>();
    @TempDir
    private Path folder;

    @BeforeAll
    static void beforeAll()
    {
        broker = EmbeddedBroker.start();
    }

    @AfterAll
    static void afterAll()
    {
        broker.close();
    }

    @Test
    void shouldWriteRowsLatenciesAndFlameGraphsOfSignalfx() throws Exception
    {
        final List<Arm> arms = List.of(Arms.ODRADEK, Arms.STOCK);
        final Timing timing = new Timing(1, 3, 1, 1);
        final Results results = run(new Plan("signalfx", List.of(Signalfx.linger(1_000, 0)), arms, Signalfx.SHARED,
            timing, new FlameGraphs(List.of("odradek"), 0, 1), Signalfx::rows));
        for (final Arm arm : arms)
        {
            for (final Metric metric : List.of(Metric.THREAD_CPU, Metric.PROCESS_CPU, Metric.ALLOCATED))
            {
                assertEquals(1, results.rows().stream().filter((row) -> row.client().equals(arm.name()) &&
                    row.metric().equals(metric.key()) && row.caseName().equals("1000/s, linger 0 ms")).count());
            }
        }
        assertTrue(results.rows().stream().anyMatch((row) -> row.client().equals("producer")));
        assertTrue(results.rows().stream().anyMatch(
            (row) -> row.client().equals("odradek") && row.metric().equals("threadCpuPercentToStock")));
        assertTrue(results.attachments().size() >= 2, progress::toString);
        for (final Attachment attachment : results.attachments())
        {
            assertIsComplete(folder.resolve(attachment.file()), attachment.kind());
        }
        assertTrue(results.attachments().stream().anyMatch((file) -> file.kind().equals(Attachment.FLAME_GRAPH)),
            progress::toString);
    }

    private static void assertIsComplete(final Path file, final String kind) throws Exception
    {
        if (kind.equals(Attachment.FLAME_GRAPH))
        {
            assertTrue(Files.readString(file).contains("</html>"), file::toString);
        }
        else
        {
            try (HistogramLogReader reader = new HistogramLogReader(file.toFile()))
            {
                assertTrue(reader.nextIntervalHistogram().getMaxValueAsDouble() > 0, file::toString);
            }
        }
    }

    @Test
    void shouldSayWhatAMinuteOfWaitingCosts() throws Exception
    {
        final Timing timing = new Timing(1, 1, 0, 0);
        final Results results = run(new Plan("idle", Signalfx.Idle.CASES,
            List.of(Arms.ODRADEK, Signalfx.Idle.BARE_POLLING, Arms.EMPTY_JVM),
            Signalfx.SHARED.with(LiveScenario.PRACTICE_SECONDS, 0), timing, Signalfx.Idle::rows));
        assertEquals(List.of("no records odradek", "no records bare-loop", "no records empty-jvm",
            "1/s odradek", "1/s bare-loop", "1/s empty-jvm"),
            results.rows().stream().filter((row) -> row.metric().equals(Metric.THREAD_CPU_PER_MINUTE.key()))
                .map((row) -> row.caseName() + " " + row.client()).toList());
        for (final Row row : results.rows())
        {
            if (row.caseName().equals("no records") && row.metric().equals("recordsPerSecond"))
            {
                assertEquals(0, row.summary().max(), row::toString);
            }
        }
        assertEquals(3, progress.stream().filter((line) -> line.contains("practises")).count(), progress::toString);
        assertEquals(6, progress.stream().filter((line) -> line.contains("round 1 of 1")).count(), progress::toString);
    }

    @Test
    void shouldMeasureLatencyOfOursAndTheFloor() throws Exception
    {
        final List<Arm> arms = List.of(Latency.ODRADEK_SPIN, Latency.BARE_SPIN);
        final Latency latency = new Latency();
        new CommandLine(latency).parseArgs("--rates", "500");
        final Plan plan = new Plan("latency", latency.plan().cases(), arms,
            latency.plan().shared().with(LiveScenario.PRODUCER_WARM_UP_SECONDS, 1), new Timing(1, 2, 1, 1),
            latency.plan().rowMaker());
        final Results results = run(plan);
        results.toReport(plan.settings(null)).writeTo(json());
        final Map<String, Double> figures = results.rows().stream().collect(Collectors.toMap(
            (row) -> row.client() + " " + row.metric(), (row) -> row.summary().median()));
        assertTrue(figures.get("odradek-spin recordsPerSecond") > 0);
        assertTrue(figures.get("bare-loop recordsPerSecond") > 0);
        assertEquals(figures.get("odradek-spin latencyP50Us") / figures.get("bare-loop latencyP50Us"),
            figures.get("odradek-spin latencyP50UsToBareLoop"), 1e-9);
        assertTrue(figures.get("odradek-spin latencyP50Us") <= figures.get("odradek-spin latencyMaxUs"));
        final JsonNode written = new ObjectMapper().readTree(json().toFile());
        assertEquals(2, written.path("attachments").size());
        for (final JsonNode attachment : written.path("attachments"))
        {
            assertTrue(Files.size(folder.resolve(attachment.path("file").asText())) > 0);
        }
    }

    @Test
    void shouldReadWithTlsAndABudgetFromSeveralPartitions() throws Exception
    {
        // The bare loop reads one partition only.
        final List<Case> cases = List.of(
            new Case("plain", 500, 0, Settings.of("partitionCount", 1), List.of()),
            new Case("budget", 500, 0, Settings.of("partitionCount", 2, Arms.BUDGET_MS, 20),
            List.of("odradek")));
        final Timing timing = new Timing(1, 2, 1, 1);
        final Plan plan = new Plan("signalfx-tls", cases,
            List.of(Arms.ODRADEK_BORINGSSL, Arms.ODRADEK_JDK, Arms.BARE_LOOP, Arms.STOCK), Signalfx.SHARED, timing,
            Signalfx::rows);
        final Results results;
        try (BrokerProcess secured = BrokerProcess.start(new BrokerSettings().secured()))
        {
            results = new LiveRun(plan, Cluster.secured(secured, SecureListener.SSL), null, progress::add).run();
        }
        final Map<String, Double> records = results.rows().stream()
            .filter((row) -> row.metric().equals(Metric.RECORDS_PER_SECOND.key()))
            .collect(Collectors.toMap((row) -> row.caseName() + " " + row.client(), (row) -> row.summary().median()));
        assertEquals(Set.of("plain odradek", "plain odradek-jdk", "plain bare-loop", "plain stock", "plain producer",
            "budget odradek", "budget producer"), records.keySet());
        assertTrue(records.values().stream().allMatch((perSecond) -> perSecond > 0), records::toString);
    }

    private Path json()
    {
        return folder.resolve("result.json");
    }

    private Results run(final Plan plan) throws Exception
    {
        return new LiveRun(plan, Cluster.given(broker.bootstrapServers()), json(), progress::add).run();
    }
}
