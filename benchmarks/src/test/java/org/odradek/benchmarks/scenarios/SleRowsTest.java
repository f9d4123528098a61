// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Summary;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.scenarios.Sle.Level;
import org.odradek.benchmarks.scenarios.Sle.Probe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SleRowsTest
{
    private static final Level LEVEL = new Level("level", 99, 200, 10, 1);
    private static final long US = 1_000;

    private final List<Probe> probes = new ArrayList<>();

    private void probe(
        final int round, final String client, final int rate, final boolean isKept, final long latencyUs)
    {
        final Histogram latency = Usage.histogram();
        latency.recordValue(latencyUs * US);
        final Usage usage = new Usage();
        usage.records = 1;
        usage.latency = Usage.encode(latency);
        usage.wallNs = 100;
        usage.processCpuNs = 5;
        probes.add(new Probe(round, LEVEL, client, rate, isKept, usage));
    }

    private Optional<Summary> find(final String client, final String metric)
    {
        return Sle.rows(probes).stream()
            .filter((row) -> row.client().equals(client) && row.metric().equals(metric))
            .map(Row::summary).findFirst();
    }

    @Test
    void shouldTakeTheHighestRateKeptInEachRound()
    {
        probe(0, "odradek", 3_000, true, 10);
        probe(0, "odradek", 6_000, true, 20);
        probe(0, "odradek", 12_000, false, 300);
        probe(1, "odradek", 3_000, true, 30);
        probe(1, "odradek", 6_000, false, 300);

        assertEquals(new Summary(4_500, 3_000, 6_000, 2),
            find("odradek", Metric.RECORDS_PER_SECOND.key()).orElseThrow());
        assertEquals(25, find("odradek", "latencyP99Us").orElseThrow().median(), 0.1);
        assertTrue(find("odradek", Metric.RECORDS_PER_SECOND.to(Rival.STOCK)).isEmpty());
    }

    @Test
    void shouldDivideByTheBetterStockClientRoundByRound()
    {
        probe(0, "odradek", 6_000, true, 10);
        probe(0, "stock", 3_000, true, 10);
        probe(0, "stock-defaults", 2_000, true, 10);
        probe(1, "odradek", 6_000, true, 10);
        probe(1, "stock", 12_000, true, 10);
        probe(1, "stock-defaults", 6_000, true, 10);

        assertEquals(new Summary(1.25, 0.5, 2, 2),
            find("odradek", Metric.RECORDS_PER_SECOND.to(Rival.STOCK)).orElseThrow());
        assertTrue(find("stock", Metric.RECORDS_PER_SECOND.to(Rival.STOCK)).isEmpty());
    }

    @Test
    void shouldSayThatNothingWasKept()
    {
        probe(0, "odradek", 3_000, false, 300);
        probe(0, "stock", 3_000, true, 10);

        assertEquals(Summary.of(0), find("odradek", Metric.RECORDS_PER_SECOND.key()).orElseThrow());
        assertTrue(find("odradek", "latencyP99Us").isEmpty());
        assertEquals(Summary.of(0), find("odradek", Metric.RECORDS_PER_SECOND.to(Rival.STOCK)).orElseThrow());
    }
}
