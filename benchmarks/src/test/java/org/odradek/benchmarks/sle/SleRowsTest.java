// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SleRowsTest
{
    private static final Level LEVEL = new Level("level", 99, 200, 10, 1);
    private static final long US = 1_000;

    private final List<SleProbe> probes = new ArrayList<>();

    private void probe(
        final int round, final SleClient client, final int rate, final boolean isKept, final long latencyUs)
    {
        final Histogram latency = new Histogram(3);
        latency.recordValue(latencyUs * US);
        probes.add(new SleProbe(round, LEVEL, client, rate, isKept, latency, 5));
    }

    private Optional<Summary> find(final SleClient client, final String metric)
    {
        return SleRows.of(probes).stream()
            .filter(row -> row.client().equals(client.client()) && row.metric().equals(metric))
            .map(Row::summary).findFirst();
    }

    @Test
    void shouldTakeTheHighestRateKeptInEachRound()
    {
        probe(0, SleClient.ODRADEK, 3_000, true, 10);
        probe(0, SleClient.ODRADEK, 6_000, true, 20);
        probe(0, SleClient.ODRADEK, 12_000, false, 300);
        probe(1, SleClient.ODRADEK, 3_000, true, 30);
        probe(1, SleClient.ODRADEK, 6_000, false, 300);

        assertEquals(new Summary(4_500, 3_000, 6_000, 2), find(SleClient.ODRADEK, SleRows.HELD).orElseThrow());
        assertEquals(25, find(SleClient.ODRADEK, "latencyP99Us").orElseThrow().median(), 0.1);
        assertTrue(find(SleClient.ODRADEK, SleRows.TO_STOCK).isEmpty());
    }

    @Test
    void shouldDivideByTheBetterStockClientRoundByRound()
    {
        probe(0, SleClient.ODRADEK, 6_000, true, 10);
        probe(0, SleClient.STOCK, 3_000, true, 10);
        probe(0, SleClient.STOCK_DEFAULTS, 2_000, true, 10);
        probe(1, SleClient.ODRADEK, 6_000, true, 10);
        probe(1, SleClient.STOCK, 12_000, true, 10);
        probe(1, SleClient.STOCK_DEFAULTS, 6_000, true, 10);

        assertEquals(new Summary(1.25, 0.5, 2, 2), find(SleClient.ODRADEK, SleRows.TO_STOCK).orElseThrow());
        assertTrue(find(SleClient.STOCK, SleRows.TO_STOCK).isEmpty());
    }

    @Test
    void shouldSayThatNothingWasKept()
    {
        probe(0, SleClient.ODRADEK, 3_000, false, 300);
        probe(0, SleClient.STOCK, 3_000, true, 10);

        assertEquals(Summary.of(0), find(SleClient.ODRADEK, SleRows.HELD).orElseThrow());
        assertTrue(find(SleClient.ODRADEK, "latencyP99Us").isEmpty());
        assertEquals(Summary.of(0), find(SleClient.ODRADEK, SleRows.TO_STOCK).orElseThrow());
    }
}
