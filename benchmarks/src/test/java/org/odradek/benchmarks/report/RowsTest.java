// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Report.Row;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RowsTest
{
    private static final long SECOND_NS = 1_000_000_000;
    private static final long RECORDS = 10_000;

    private final Map<String, Usage[]> turns = new LinkedHashMap<>();

    @Test
    void shouldDivideOursByTheBetterStockClientTurnByTurn()
    {
        turns.put("odradek", turns(10, 20));
        turns.put("stock", turns(50, 50));
        turns.put("stock-defaults", turns(40, 50));
        turns.put("stock-new", turns(5, 10));
        turns.put("bare-loop", turns(2, 8));
        final List<Row> rows = rows().add(turns, Metric.USAGE).addRatios(
            List.of("odradek"), List.of(Metric.THREAD_CPU), Rival.values()).list();
        assertEquals(new Summary((0.25 + 0.4) / 2, 0.25, 0.4, 2), find(rows, "odradek", "threadCpuPercentToStock"));
        assertEquals(new Summary(2, 2, 2, 2), find(rows, "odradek", "threadCpuPercentToBestRival"));
        assertEquals(new Summary(3.75, 2.5, 5, 2), find(rows, "odradek", "threadCpuPercentToBareLoop"));
        assertTrue(row(rows, "odradek", "threadCpuPercentToLibrdkafka").isEmpty());
        assertTrue(row(rows, "stock", "threadCpuPercentToStock").isEmpty());
    }

    @Test
    void shouldCountPerSecondPerRecordAndPerMinute()
    {
        turns.put("odradek", turns(10));
        final List<Row> rows = rows().add(turns, Metric.USAGE).add(turns, Metric.PER_RECORD)
            .add(turns, Metric.PER_MINUTE).list();
        assertTrue(rows.contains(
            new Row("idle", "case", "odradek", "recordsPerSecond", "records/s", new Summary(5_000, 5_000, 5_000, 1))));
        assertEquals(10, find(rows, "odradek", "threadCpuPercent").median(), 1e-9);
        assertEquals(20_000, find(rows, "odradek", "threadCpuPerRecord").median(), 1e-9);
        assertEquals(6_000, find(rows, "odradek", "threadCpuPerMinute").median(), 1e-9);
        assertEquals(500, find(rows, "odradek", "fetchesPerSecond").median(), 1e-9);
    }

    @Test
    void shouldLeaveOutWhatAClientDoesNotKnow() throws JsonProcessingException
    {
        turns.put("librdkafka", new Usage[]{new ObjectMapper().readValue(
            "{\"records\":0,\"wallNs\":" + SECOND_NS + ",\"processCpuNs\":5}", Usage.class)});
        final List<Row> rows =
            rows().add(turns, Metric.USAGE).add(turns, Metric.PER_RECORD).add(turns, Metric.LATENCY).list();
        assertEquals(List.of("recordsPerSecond", "processCpuPercent"), rows.stream().map(Row::metric).toList());
    }

    @Test
    void shouldReadPercentilesFromWhatTravelledAsText()
    {
        turns.put("stock", turns(1));
        final List<Row> rows = rows().add(turns, Metric.LATENCY).list();
        assertEquals(500, find(rows, "stock", "latencyP50Us").median(), 1);
        assertEquals(1_000, find(rows, "stock", "latencyMaxUs").median(), 1);
        assertEquals(List.of("latencyP50Us", "latencyP90Us", "latencyP99Us", "latencyP999Us", "latencyP9999Us",
            "latencyMaxUs"), rows.stream().map(Row::metric).toList());
    }

    @Test
    void shouldShowALineForACaseAndClientWithTheHeadingsOfTheTable()
    {
        turns.put("odradek", turns(10, 20));
        turns.put("stock", turns(50, 50));
        final List<Row> rows = rows().add(turns, Metric.THREAD_CPU, Metric.GC_BYTES_PER_FETCH)
            .addRatio("odradek", Metric.THREAD_CPU, Rival.STOCK).list();
        final List<String> lines = Rows.table(rows,
            List.of(Metric.THREAD_CPU.key(), Metric.THREAD_CPU.to(Rival.STOCK))).lines()
            .map((line) -> line.replaceAll(" +", " ")).toList();
        assertEquals(List.of("case client thread CPU % thread CPU % to stock classic",
            "case odradek 15 [10..20] 0.300 [0.200..0.400]", "case stock 50 [50..50]"), lines);
    }

    private static Rows rows()
    {
        return new Rows("idle", "case");
    }

    private static Usage[] turns(final int... cpuPercents)
    {
        final Histogram latency = Usage.histogram();
        for (int i = 1; i <= 1_000; i++)
        {
            latency.recordValue(1_000L * i);
        }
        final Usage[] turns = new Usage[cpuPercents.length];
        for (int i = 0; i < turns.length; i++)
        {
            final Usage usage = new Usage();
            usage.records = RECORDS;
            usage.bytes = 23 * RECORDS;
            usage.fetches = 1_000;
            usage.wallNs = 2 * SECOND_NS;
            usage.threadCpuNs = usage.wallNs / 100 * cpuPercents[i];
            usage.processCpuNs = usage.wallNs;
            usage.allocatedBytes = 0;
            usage.processAllocatedBytes = 100;
            usage.gcCount = 0;
            usage.latency = Usage.encode(latency);
            turns[i] = usage;
        }
        return turns;
    }

    private static Summary find(final List<Row> rows, final String client, final String metric)
    {
        return row(rows, client, metric).orElseThrow().summary();
    }

    private static Optional<Row> row(final List<Row> rows, final String client, final String metric)
    {
        return rows.stream().filter((row) -> row.client().equals(client) && row.metric().equals(metric)).findFirst();
    }
}
