// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CatchupRowsTest
{
    private static final long RECORDS = 1_000_000;
    private static final long SECOND_NS = 1_000_000_000;

    @Test
    void shouldDivideRoundByRoundByTheBareLoopAndTheBetterStockClient()
    {
        final Map<ArmKind, Pass[]> passes = new EnumMap<>(ArmKind.class);
        passes.put(ArmKind.BARE_LOOP, passes(1, 2, 4));
        passes.put(ArmKind.STOCK, passes(10, 10, 10));
        passes.put(ArmKind.STOCK_DEFAULTS, passes(5, 8, 40));

        final List<Row> rows = CatchupRows.of("catchup", "23 B", passes);

        assertEquals(new Summary(1, 1, 1, 3), find(rows, "bare-loop", CatchupRows.TO_BARE_LOOP));
        assertEquals(new Summary(0.2, 0.1, 0.4, 3), find(rows, "stock", CatchupRows.TO_BARE_LOOP));
        // Its median is the better one, although its worst round is the worst of all.
        assertEquals(new Summary(1, 1, 1, 3), find(rows, "stock-defaults", CatchupRows.TO_STOCK));
        assertEquals(new Summary(5, 4, 10, 3), find(rows, "bare-loop", CatchupRows.TO_STOCK));
    }

    @Test
    void shouldNameScenarioCaseClientMetricAndUnit()
    {
        final Map<ArmKind, Pass[]> passes = new EnumMap<>(ArmKind.class);
        passes.put(ArmKind.BARE_LOOP, passes(1, 2, 4));
        passes.put(ArmKind.STOCK, passes(10, 10, 10));

        final List<Row> rows = CatchupRows.of("catchup", "23 B", passes);

        assertEquals(2 * 8, rows.size());
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "stock", "recordsPerSecond", "records/s", new Summary(100_000, 100_000, 100_000, 3))));
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "bare-loop", "threadCpuPerRecord", "ns/record", new Summary(20, 10, 40, 3))));
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "bare-loop", "processCpuPerRecord", "ns/record", new Summary(200, 100, 400, 3))));
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "bare-loop", "allocatedBytesPerRecord", "bytes/record", new Summary(3, 3, 3, 3))));
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "stock", "megabytesPerSecond", "MB/s", new Summary(2.3, 2.3, 2.3, 3))));
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "stock", "brokerCpuPercent", "% of one core", new Summary(25, 25, 25, 3))));
    }

    @Test
    void shouldDivideOursByTheBestRivalOfEachMetric()
    {
        final Map<ArmKind, Pass[]> passes = new EnumMap<>(ArmKind.class);
        passes.put(ArmKind.ODRADEK, passes(1, 1, 2));
        passes.put(ArmKind.STOCK, passes(4, 4, 4));
        passes.put(ArmKind.STOCK_NEW, passes(3, 3, 9));

        final List<Row> rows = CatchupRows.of("catchup", "23 B, 8 partitions", passes);

        assertEquals(new Summary(3, 3, 4.5, 3), find(rows, "odradek", CatchupRows.TO_BEST_RIVAL));
        assertEquals(1.0 / 3, find(rows, "odradek", CatchupRows.CPU_TO_BEST_RIVAL).median(), 1e-9);
        // The classic client alone counts as stock, and nobody is compared with a bare loop that cannot read this.
        assertEquals(new Summary(4, 2, 4, 3), find(rows, "odradek", CatchupRows.TO_STOCK));
        assertTrue(rows.stream().noneMatch(row -> row.metric().equals(CatchupRows.TO_BARE_LOOP)));
    }

    @Test
    void shouldLeaveOutWhatIsNotKnown()
    {
        final Map<ArmKind, Pass[]> passes = new EnumMap<>(ArmKind.class);
        passes.put(ArmKind.ODRADEK, new Pass[]{new Pass(10, 230, 0, 1_000, 500, 0, -1, BrokerCpu.UNKNOWN)});
        passes.put(ArmKind.STOCK, new Pass[]{new Pass(10, 230, 0, 1_000, 500, 0, 7, BrokerCpu.UNKNOWN)});

        final List<Row> rows = CatchupRows.of("catchup", "23 B", passes);

        assertEquals(List.of("stock"), rows.stream().filter(row -> row.metric().equals(CatchupRows.ALLOCATED))
            .map(Row::client).toList());
        assertTrue(rows.stream().noneMatch(row -> row.metric().equals(CatchupRows.BROKER_CPU)));
        // No step of the process's clock has passed: a quotient of nothing by nothing is none.
        assertTrue(rows.stream().noneMatch(row -> row.metric().equals(CatchupRows.CPU_TO_BEST_RIVAL)));
    }

    private static Pass[] passes(final int... seconds)
    {
        final Pass[] passes = new Pass[seconds.length];
        for (int i = 0; i < passes.length; i++)
        {
            final long wallNs = seconds[i] * SECOND_NS;
            passes[i] = new Pass(RECORDS, 23 * RECORDS, 0, wallNs, wallNs / 100, wallNs / 10, 3 * RECORDS, wallNs / 4);
        }
        return passes;
    }

    private static Summary find(final List<Row> rows, final String client, final String metric)
    {
        return rows.stream().filter(row -> row.client().equals(client) && row.metric().equals(metric))
            .findFirst().orElseThrow().summary();
    }
}
