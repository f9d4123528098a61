// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Summary;
import org.odradek.benchmarks.report.Usage;

import java.util.LinkedHashMap;
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
        final Map<String, Usage[]> passes = new LinkedHashMap<>();
        passes.put("bare-loop", passes(1, 2, 4));
        passes.put("stock", passes(10, 10, 10));
        passes.put("stock-defaults", passes(5, 8, 40));

        final List<Row> rows = CatchupRun.rows(new Rows("catchup", "23 B"), passes).list();

        assertEquals(new Summary(1, 1, 1, 3), find(rows, "bare-loop", Metric.RECORDS_PER_SECOND.to(Rival.BARE_LOOP)));
        assertEquals(new Summary(0.2, 0.1, 0.4, 3), find(rows, "stock", Metric.RECORDS_PER_SECOND.to(Rival.BARE_LOOP)));
        // Its median is the better one, although its worst round is the worst of all.
        assertEquals(new Summary(1, 1, 1, 3), find(rows, "stock-defaults", Metric.RECORDS_PER_SECOND.to(Rival.STOCK)));
        assertEquals(new Summary(5, 4, 10, 3), find(rows, "bare-loop", Metric.RECORDS_PER_SECOND.to(Rival.STOCK)));
    }

    @Test
    void shouldNameScenarioCaseClientMetricAndUnit()
    {
        final Map<String, Usage[]> passes = new LinkedHashMap<>();
        passes.put("bare-loop", passes(1, 2, 4));
        passes.put("stock", passes(10, 10, 10));

        final List<Row> rows = CatchupRun.rows(new Rows("catchup", "23 B"), passes).list();

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
            "catchup", "23 B", "stock", "brokerCpuPercent", "%", new Summary(25, 25, 25, 3))));
    }

    @Test
    void shouldDivideOursByTheBestRivalOfEachMetric()
    {
        final Map<String, Usage[]> passes = new LinkedHashMap<>();
        passes.put("odradek", passes(1, 1, 2));
        passes.put("stock", passes(4, 4, 4));
        passes.put("stock-new", passes(3, 3, 9));

        final List<Row> rows = CatchupRun.rows(new Rows("catchup", "23 B, 8 partitions"), passes).list();

        assertEquals(new Summary(3, 3, 4.5, 3), find(rows, "odradek", Metric.RECORDS_PER_SECOND.to(Rival.BEST)));
        assertEquals(1.0 / 3, find(rows, "odradek", Metric.PROCESS_CPU_PER_RECORD.to(Rival.BEST)).median(), 1e-9);
        // The classic client alone counts as stock, and nobody is compared with a bare loop that cannot read this.
        assertEquals(new Summary(4, 2, 4, 3), find(rows, "odradek", Metric.RECORDS_PER_SECOND.to(Rival.STOCK)));
        assertTrue(rows.stream()
            .noneMatch((row) -> row.metric().equals(Metric.RECORDS_PER_SECOND.to(Rival.BARE_LOOP))));
    }

    @Test
    void shouldLeaveOutWhatIsNotKnown()
    {
        final Map<String, Usage[]> passes = new LinkedHashMap<>();
        passes.put("odradek", new Usage[]{pass(10, 1_000, 500, 0, Usage.UNKNOWN, Usage.UNKNOWN)});
        passes.put("stock", new Usage[]{pass(10, 1_000, 500, 0, 7, Usage.UNKNOWN)});

        final List<Row> rows = CatchupRun.rows(new Rows("catchup", "23 B"), passes).list();

        assertEquals(List.of("stock"), rows.stream()
            .filter((row) -> row.metric().equals(Metric.ALLOCATED_PER_RECORD.key()))
            .map(Row::client).toList());
        assertTrue(rows.stream().noneMatch((row) -> row.metric().equals(Metric.BROKER_CPU.key())));
        // No step of the process's clock has passed: a quotient of nothing by nothing is none.
        assertTrue(rows.stream().noneMatch((row) -> row.metric().equals(Metric.PROCESS_CPU_PER_RECORD.to(Rival.BEST))));
    }

    private static Usage[] passes(final int... seconds)
    {
        final Usage[] passes = new Usage[seconds.length];
        for (int i = 0; i < passes.length; i++)
        {
            final long wallNs = seconds[i] * SECOND_NS;
            passes[i] = pass(RECORDS, wallNs, wallNs / 100, wallNs / 10, 3 * RECORDS, wallNs / 4);
        }
        return passes;
    }

    private static Usage pass(final long records, final long wallNs, final long threadCpuNs, final long processCpuNs,
        final long allocatedBytes, final long brokerCpuNs)
    {
        final Usage pass = new Usage();
        pass.records = records;
        pass.bytes = 23 * records;
        pass.wallNs = wallNs;
        pass.threadCpuNs = threadCpuNs;
        pass.processCpuNs = processCpuNs;
        pass.allocatedBytes = allocatedBytes;
        pass.brokerCpuNs = brokerCpuNs;
        return pass;
    }

    private static Summary find(final List<Row> rows, final String client, final String metric)
    {
        return rows.stream().filter((row) -> row.client().equals(client) && row.metric().equals(metric))
            .findFirst().orElseThrow().summary();
    }
}
