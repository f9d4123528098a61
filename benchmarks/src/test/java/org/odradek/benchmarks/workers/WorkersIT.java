// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.workers;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Keys;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.workers.WorkersScenario.Case;
import org.odradek.benchmarks.workers.WorkersScenario.Effort;
import org.odradek.testkit.EmbeddedBroker;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The scenario in miniature: each turn itself fails unless exactly the first records were handled, and here also if a
 * key's records came in another order.
 */
@Tag("slow")
class WorkersIT
{
    private static final Effort EFFORT = new Effort(1, 1, 200, 100, 60_000, 3_000);
    private static final Settings CHECKED = Settings.of("isOrderChecked", true);
    private static final int CASES = 19;

    @Test
    void shouldHandOverWithEachClientAndWriteRows()
    {
        final List<Case> cases = List.of(new Case(true, 1, Keys.UNIFORM, 0),
            new Case(true, 1, Keys.UNIFORM, Case.TRICKLE), new Case(false, 2, Keys.ZIPF, 1));
        final Results results;
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            results = WorkersScenario.run(Cluster.given(broker.bootstrapServers()), WorkersScenario.ARMS, cases,
                EFFORT, CHECKED, System.out::println);
        }

        assertEquals(List.of(), results.notRun());
        assertEquals(List.of("replay, 1 worker, 0 us: direct", "replay, 1 worker, 0 us: bare-ring",
            "replay, 1 worker, 0 us: odradek", "replay, 1 worker, 0 us: odradek-spin",
            "broker, 2 workers, Zipf, 1 us: direct", "broker, 2 workers, Zipf, 1 us: bare-ring",
            "broker, 2 workers, Zipf, 1 us: odradek", "broker, 2 workers, Zipf, 1 us: stock-pool",
            "broker, 2 workers, Zipf, 1 us: parallel-consumer"),
            clients(results, Metric.PROCESS_CPU_PER_RECORD.key()));
        assertEquals(List.of("replay, 1 worker, 5,000/s: bare-ring", "replay, 1 worker, 5,000/s: odradek",
            "replay, 1 worker, 5,000/s: odradek-spin"), clients(results, Metric.P50.key()));
        assertEquals(1, clients(results, Metric.PROCESS_CPU_PER_RECORD.to(Rival.STOCK_POOL)).size());
        assertEquals(1, clients(results, Metric.RECORDS_PER_SECOND.to(Rival.PARALLEL)).size());
        assertEquals(7, results.rows().stream()
            .filter((row) -> row.metric().equals(Metric.PROCESS_CPU_OVER_DIRECT.key())).count());
    }

    private static List<String> clients(final Results results, final String metric)
    {
        return results.rows().stream().filter((row) -> row.metric().equals(metric)).map(WorkersIT::client).toList();
    }

    private static String client(final Row row)
    {
        assertTrue(row.summary().median() > 0, row::toString);
        return row.caseName() + ": " + row.client();
    }

    @Test
    void shouldHaveEachCombinationOnce()
    {
        assertEquals(CASES, WorkersScenario.CASES.stream().map(Case::name).distinct().count());
    }
}
