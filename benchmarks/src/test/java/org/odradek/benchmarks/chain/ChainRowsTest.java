// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.chain.ChainTask.Result;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Summary;
import org.odradek.benchmarks.report.Usage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ChainRowsTest
{
    static final long LIMIT_US = 100_000;
    static final long MS = 1_000_000;

    @Test
    void shouldSayHowManyHeldAndBrokeWithTheFiguresOfEachStep()
    {
        final List<Row> rows = ChainRows.of("chain", Map.of(ChainArm.MULTIPLEXED, List.of(search(
            step(50, 120 * MS, false), step(50, 140 * MS, false), step(25, 20 * MS, false), step(100, 0, true)))));

        assertEquals(25, find(rows, ChainRows.HIGHEST, Metric.CHAINS.key()).median());
        assertEquals(50, find(rows, ChainRows.LOWEST_BROKEN, Metric.CHAINS.key()).median());
        assertEquals(20_000, find(rows, "25 chains", Metric.P999.key()).median(), 20);
        assertEquals(20_000, find(rows, ChainRows.HIGHEST, Metric.P999.key()).median(), 20);
        // Of the two tries the one after which no other was made.
        assertEquals(140_000, find(rows, ChainRows.LOWEST_BROKEN, Metric.P999.key()).median(), 140);
        final Summary broken = find(rows, "50 chains", Metric.P999.key());
        assertEquals(2, broken.runs());
        assertEquals(130_000, broken.median(), 130);
        assertEquals(65_000, find(rows, "50 chains", Metric.UNCORRECTED_P999.key()).median(), 65);
        assertEquals(50, find(rows, "50 chains", Metric.PROCESS_CPU.key()).median());
        assertEquals(70, find(rows, "50 chains", Metric.BROKER_CPU.key()).median());
        assertTrue(rows.stream().allMatch((row) -> row.scenario().equals("chain") &&
            row.client().equals("odradek-multiplexed")));
        // Given up before anything was measured.
        assertFalse(rows.stream().anyMatch((row) -> row.caseName().equals("100 chains")));
    }

    @Test
    void shouldSayThatNoneHeld()
    {
        final List<Row> rows = ChainRows.of("chain", Map.of(ChainArm.ARTICLE, List.of(
            search(step(1, 200 * MS, false)))));

        assertEquals(0, find(rows, ChainRows.HIGHEST, Metric.CHAINS.key()).median());
        assertEquals(1, find(rows, ChainRows.LOWEST_BROKEN, Metric.CHAINS.key()).median());
        assertEquals(200_000, find(rows, "1 chain", Metric.P50.key()).median(), 200);
    }

    @Test
    void shouldTakeTheBestOfSeveralTries()
    {
        final ChainSearch steps = search(step(10, 200 * MS, false), step(10, 20 * MS, false));

        assertEquals(10, steps.held());
        assertEquals(0, steps.broken());
    }

    @Test
    void shouldNotHoldWhatWasGivenUp()
    {
        assertFalse(step(100, 0, true).isHeld(LIMIT_US));
        assertFalse(step(100, 5 * MS, true).isHeld(LIMIT_US));
        assertTrue(step(100, 99 * MS, false).isHeld(LIMIT_US));
        assertFalse(step(100, 101 * MS, false).isHeld(LIMIT_US));
    }

    @Test
    void shouldSumUpTheRoundsOfEachArm()
    {
        final Map<ChainArm, List<ChainSearch>> searches = new LinkedHashMap<>();
        searches.put(ChainArm.PER_SERVICE, List.of(search(step(5, 20 * MS, false))));
        searches.put(ChainArm.MULTIPLEXED, List.of(search(step(25, 20 * MS, false)),
            search(step(25, 30 * MS, false), step(50, 80 * MS, false), step(60, 120 * MS, false))));
        final List<Row> rows = ChainRows.of("chain", searches);

        final List<Row> multiplexed =
            rows.stream().filter((row) -> row.client().equals(ChainArm.MULTIPLEXED.client)).toList();
        assertEquals(new Summary(37.5, 25, 50, 2), find(multiplexed, ChainRows.HIGHEST, Metric.CHAINS.key()));
        assertEquals(50_000, find(multiplexed, ChainRows.HIGHEST, Metric.P999.key()).median(), 50);
        // In one of the two rounds none broke.
        assertEquals(new Summary(60, 60, 60, 1), find(multiplexed, ChainRows.LOWEST_BROKEN, Metric.CHAINS.key()));
        assertEquals(25_000, find(multiplexed, "25 chains", Metric.P999.key()).median(), 25);
        assertEquals(1, find(rows, ChainRows.HIGHEST, Metric.CHAINS.key()).runs());
        assertEquals(5, find(rows, ChainRows.HIGHEST, Metric.CHAINS.key()).median());
    }

    private static ChainSearch search(final Result... results)
    {
        return new ChainSearch(1, 100, 10, 2, LIMIT_US, List.of(results));
    }

    /** All messages took the same; uncorrected half of it. */
    static Result step(final int chains, final long latencyNs, final boolean isCut)
    {
        final Histogram corrected = Usage.histogram();
        final Histogram uncorrected = Usage.histogram();
        final Usage usage = new Usage();
        usage.records = 1_000;
        usage.wallNs = 1_000;
        usage.processCpuNs = 500;
        usage.threadCpuNs = 200;
        usage.brokerCpuNs = 700;
        if (latencyNs > 0)
        {
            corrected.recordValueWithCount(latencyNs, 1_000);
            uncorrected.recordValueWithCount(latencyNs / 2, 1_000);
            usage.latency = Usage.encode(corrected);
        }
        return new Result(chains, isCut, usage, 100, Usage.encode(uncorrected));
    }

    private static Summary find(final List<Row> rows, final String caseName, final String metric)
    {
        return rows.stream().filter((row) -> row.caseName().equals(caseName) && row.metric().equals(metric))
            .findFirst().orElseThrow().summary();
    }
}
