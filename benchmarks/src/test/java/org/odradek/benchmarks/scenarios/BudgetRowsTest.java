// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Summary;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.LiveRun;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BudgetRowsTest
{
    private static final long SECOND_NS = 1_000_000_000;

    @Test
    void shouldSayHowMuchLaterThanItsOwnDefaultEachClientIs()
    {
        final LiveRun.RowMaker rowMaker = Budget.rowMaker();
        rows(rowMaker, "0 ms", 300, 400, 20, 40);

        final List<Row> rows = rows(rowMaker, "2 ms", 1_300, 2_400, 5, 20);

        assertEquals(1_000, figure(rows, "odradek", Metric.P50_ADDED.key()), 2);
        assertEquals(2_000, figure(rows, "stock-tuned", Metric.P50_ADDED.key()), 3);
        assertEquals(0.25, figure(rows, "odradek", Metric.PROCESS_CPU.to(Rival.STOCK_TUNED)), 1e-9);
    }

    @Test
    void shouldFindEachBudgetThatCostsMoreFetches()
    {
        final List<Row> rows = List.of(fetches("1/s", "odradek", 3), fetches("1/s", "odradek-1ms", 3.3),
            fetches("100/s", "odradek", 100), fetches("100/s", "odradek-1ms", 105.1),
            fetches("100/s", "odradek-2ms", 106));

        final List<String> more = Budget.Sweep.more(rows, 10);

        assertEquals(1, more.size());
        assertTrue(more.get(0).startsWith("100/s, odradek-2ms: 106.0 fetches/s, more than 105.2, "), more.get(0));
    }

    private static Row fetches(final String caseName, final String client, final double perSecond)
    {
        return new Row("sweep", caseName, client, Metric.FETCHES.key(), "", Summary.of(perSecond));
    }

    private static List<Row> rows(
        final LiveRun.RowMaker rowMaker,
        final String caseName,
        final int oursUs,
        final int theirsUs,
        final int oursPercent,
        final int theirsPercent)
    {
        final Map<String, Usage[]> turns = new LinkedHashMap<>();
        turns.put("odradek", new Usage[]{turn(oursUs, oursPercent)});
        turns.put("stock-tuned", new Usage[]{turn(theirsUs, theirsPercent)});
        return rowMaker.of(new Rows("budget", caseName), turns).list();
    }

    private static Usage turn(final int latencyUs, final int cpuPercent)
    {
        final Usage usage = new Usage();
        usage.records = 1;
        usage.wallNs = SECOND_NS;
        usage.processCpuNs = cpuPercent * SECOND_NS / 100;
        usage.latencies = new long[]{latencyUs * 1_000L, 1};
        return usage;
    }

    private static double figure(final List<Row> rows, final String client, final String metric)
    {
        return rows.stream().filter((row) -> row.client().equals(client) && row.metric().equals(metric))
            .findFirst().orElseThrow().summary().median();
    }
}
