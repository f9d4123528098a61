/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
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

        assertEquals(2 * 6, rows.size());
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "stock", "recordsPerSecond", "records/s", new Summary(100_000, 100_000, 100_000, 3))));
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "bare-loop", "threadCpuPerRecord", "ns/record", new Summary(20, 10, 40, 3))));
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "bare-loop", "processCpuPerRecord", "ns/record", new Summary(200, 100, 400, 3))));
        assertTrue(rows.contains(new Row(
            "catchup", "23 B", "bare-loop", "allocatedBytesPerRecord", "bytes/record", new Summary(3, 3, 3, 3))));
    }

    private static Pass[] passes(final int... seconds)
    {
        final Pass[] passes = new Pass[seconds.length];
        for (int i = 0; i < passes.length; i++)
        {
            final long wallNs = seconds[i] * SECOND_NS;
            passes[i] = new Pass(RECORDS, 23 * RECORDS, 0, wallNs, wallNs / 100, wallNs / 10, 3 * RECORDS);
        }
        return passes;
    }

    private static Summary find(final List<Row> rows, final String client, final String metric)
    {
        return rows.stream().filter(row -> row.client().equals(client) && row.metric().equals(metric))
            .findFirst().orElseThrow().summary();
    }
}
