// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.scenarios.Sle.Level;
import org.odradek.benchmarks.scenarios.Sle.Probe;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A search against a real broker, with ours in JVMs that collect nothing, for a level that cannot be missed and one
 * that cannot be kept: how fast this machine is decides neither.
 */
@Tag("slow")
class SleIT
{
    private static final Level EASY = new Level("easy", 50, 1_000_000, 1, 0);
    private static final Level IMPOSSIBLE = new Level("impossible", 50, 0, 1, 0);

    @Test
    void shouldFindWhatIsKeptAndWhatIsNot(@TempDir final Path folder) throws Exception
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            final Sle.Plan plan = new Sle.Plan(List.of(EASY, IMPOSSIBLE), List.of(Arms.ODRADEK),
                2, 1, 1, 1, 300, 300,
                Sle.Collector.EPSILON.jvm(Path.of(System.getProperty("java.home"), "bin", "java")));
            final Cluster cluster = Cluster.given(broker.bootstrapServers());
            final List<Probe> probes;
            try (CaseTopic topic = new CaseTopic(cluster, "sle", Sle.PARTITIONS))
            {
                probes = new Sle.Search(plan, cluster, topic.name(), (line) -> {}).run();
            }

            assertEquals(List.of(0, 0, 1, 1), probes.stream().map(Probe::round).toList());
            assertEquals(List.of(true, false, true, false), probes.stream().map(Probe::isKept).toList());
            final List<Row> rows = Sle.rows(probes);
            assertEquals(300, held(rows, "easy"));
            assertEquals(0, held(rows, "impossible"));
            final List<Attachment> logs = Sle.writeLogs(folder.resolve("sle.json"), probes);
            assertEquals(List.of("easy, odradek", "impossible, odradek"),
                logs.stream().map(Attachment::title).toList());
            for (final Attachment log : logs)
            {
                final String text = Files.readString(folder.resolve(log.file()));
                assertEquals(2, text.split("Tag=300-per-second,", -1).length - 1, "an interval for each round");
            }
        }
    }

    private static double held(final List<Row> rows, final String caseName)
    {
        return rows.stream().filter((row) -> row.caseName().equals(caseName) && row.metric().equals("recordsPerSecond"))
            .findFirst().orElseThrow().summary().median();
    }
}
