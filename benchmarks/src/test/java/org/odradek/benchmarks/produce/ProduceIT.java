// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.produce;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.produce.ProduceScenario.Case;
import org.odradek.benchmarks.produce.ProduceScenario.Effort;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.testkit.EmbeddedBroker;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The scenario in miniature: each turn itself fails unless every record is acknowledged. */
@Tag("slow")
class ProduceIT
{
    private static final Case KEYS = new Case(100, true, 8, Producing.ACKS_ALL, "none");
    private static final Case LZ4 = new Case(1_000, false, 64, Producing.ACKS_ALL, "lz4");
    private static final int TRICKLE_MS = 300;
    private static final int MIN_CASES = 40;

    @Test
    void shouldPublishWithEachClientAndWriteRows()
    {
        final Results results;
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            results = ProduceScenario.run(Cluster.given(broker.bootstrapServers()),
                List.of(ProduceScenario.ODRADEK, ProduceScenario.STOCK), List.of(KEYS, LZ4, Case.TRICKLE),
                new Effort(1, 1, 1_000_000, TRICKLE_MS), (line) -> { });
        }

        assertEquals(List.of(), results.notRun());
        assertEquals(List.of("100 B, keys, 8 partitions, acks all: odradek-publisher",
            "100 B, keys, 8 partitions, acks all: stock",
            "1000 B, 64 partitions, acks all, lz4: odradek-publisher",
            "1000 B, 64 partitions, acks all, lz4: stock", "5,000/s, acks 1: odradek-publisher",
            "5,000/s, acks 1: stock"), clients(results, Metric.PROCESS_CPU_PER_RECORD.key()));
        assertEquals(List.of("5,000/s, acks 1: odradek-publisher", "5,000/s, acks 1: stock"),
            clients(results, Metric.P50.key()));
        assertEquals(3, clients(results, Metric.PROCESS_CPU_PER_RECORD.to(Rival.BEST)).size());
        assertEquals(1, clients(results, Metric.P50.to(Rival.STOCK)).size());
    }

    private static List<String> clients(final Results results, final String metric)
    {
        return results.rows().stream().filter((row) -> row.metric().equals(metric)).map(ProduceIT::client).toList();
    }

    private static String client(final Row row)
    {
        assertTrue(row.summary().median() > 0, row::toString);
        return row.caseName() + ": " + row.client();
    }

    @Test
    void shouldHaveEachCombinationOnce()
    {
        assertEquals(MIN_CASES, ProduceScenario.CASES.stream().map(Case::name).distinct().count());
    }
}
