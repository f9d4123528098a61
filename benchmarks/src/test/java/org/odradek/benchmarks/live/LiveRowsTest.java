// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LiveRowsTest
{
    private static final long SECOND_NS = 1_000_000_000;
    private static final long RECORDS = 10_000;

    private final Map<String, Turn[]> turns = new LinkedHashMap<>();

    @Test
    void shouldDivideOursByTheBetterStockClientTurnByTurn()
    {
        turns.put("odradek", turns(10, 20));
        turns.put("stock", turns(50, 50));
        turns.put("stock-defaults", turns(40, 50));
        turns.put("stock-new", turns(5, 10));
        turns.put("bare-loop", turns(2, 8));

        final List<Row> rows =
            new LiveRows("signalfx", "case", turns).addUsage().addRatios("threadCpuPercent").rows();

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

        final List<Row> rows = new LiveRows("idle", "case", turns).addUsage().addPerRecord().addPerMinute().rows();

        assertTrue(rows.contains(
            new Row("idle", "case", "odradek", "recordsPerSecond", "records/s", new Summary(5_000, 5_000, 5_000, 1))));
        assertEquals(10, find(rows, "odradek", "threadCpuPercent").median(), 1e-9);
        assertEquals(20_000, find(rows, "odradek", "threadCpuPerRecord").median(), 1e-9);
        assertEquals(6_000, find(rows, "odradek", "threadCpuPerMinute").median(), 1e-9);
        assertEquals(500, find(rows, "odradek", "fetchesPerSecond").median(), 1e-9);
    }

    @Test
    void shouldLeaveOutWhatAClientDoesNotKnow()
    {
        turns.put("librdkafka", new Turn[]{new Turn(Usage.parse(JsonNodeFactory
            .instance.objectNode().put("records", 0).put("wallNs", SECOND_NS).put("processCpuNs", 5)), Double.NaN)});

        final List<Row> rows = new LiveRows("idle", "case", turns).addUsage().addPerRecord().addLatency().rows();

        assertEquals(List.of("recordsPerSecond", "processCpuPercent"), rows.stream().map(Row::metric).toList());
    }

    @Test
    void shouldReadPercentilesFromWhatTravelledAsText()
    {
        turns.put("stock", turns(1));

        final List<Row> rows = new LiveRows("signalfx", "case", turns).addLatency().rows();

        assertEquals(500, find(rows, "stock", "latencyP50Us").median(), 1);
        assertEquals(1_000, find(rows, "stock", "latencyMaxUs").median(), 1);
        assertEquals(List.of("latencyP50Us", "latencyP90Us", "latencyP99Us", "latencyP999Us", "latencyP9999Us",
            "latencyMaxUs"), rows.stream().map(Row::metric).toList());
    }

    @Test
    void shouldRefuseARunInWhichARecordIsMissing()
    {
        final Usage usage = new Usage(9, 9, 1, 1, 1, 1, 1, 1, 1, 1, "");

        final Exception failure = assertThrows(IllegalStateException.class, () -> usage.mustBeComplete("stock"));

        assertEquals("stock did not get 1 of 10 records.", failure.getMessage());
    }

    @Test
    void shouldCountMissingAndRepeatedOffsets()
    {
        final ValueSink sink = new ValueSink(new int[]{0, 2});
        sink.onValue(0, 7, 23, 0, 0);
        sink.onValue(2, 1, 23, 0, 0);
        sink.onValue(0, 8, 23, 0, 0);
        assertEquals(0, sink.missing());

        sink.onValue(0, 11, 23, 0, 0);
        assertEquals(2, sink.missing());

        sink.onValue(2, 1, 23, 0, 0);
        assertEquals(3, sink.missing());
        assertEquals(5, sink.records());
        assertEquals(5, sink.latency().getTotalCount());
    }

    private static Turn[] turns(final int... cpuPercents)
    {
        final Histogram latency = new Histogram(ValueSink.LEAST_NS, ValueSink.MOST_NS, ValueSink.DIGITS);
        for (int i = 1; i <= 1_000; i++)
        {
            latency.recordValue(1_000L * i);
        }
        final Turn[] turns = new Turn[cpuPercents.length];
        for (int i = 0; i < turns.length; i++)
        {
            final long wallNs = 2 * SECOND_NS;
            turns[i] = new Turn(new Usage(RECORDS, 23 * RECORDS, 0, 1_000, wallNs, wallNs / 100 * cpuPercents[i],
                wallNs, 0, 100, 0, Latencies.encode(latency)), 30);
        }
        return turns;
    }

    private static Summary find(final List<Row> rows, final String client, final String metric)
    {
        return row(rows, client, metric).orElseThrow().summary();
    }

    private static Optional<Row> row(final List<Row> rows, final String client, final String metric)
    {
        return rows.stream().filter(row -> row.client().equals(client) && row.metric().equals(metric)).findFirst();
    }
}
