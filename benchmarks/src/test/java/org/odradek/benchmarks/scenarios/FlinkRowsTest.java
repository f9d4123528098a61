// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Usage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

class FlinkRowsTest
{
    private static final long SECOND_NS = 1_000_000_000;

    @Test
    void shouldSayHowMuchLaterOursIsThanTheConnectorInTheSameRound()
    {
        final List<Row> rows = Flink.rows(new Rows("flink", "5000/s"), Map.of(
            Flink.ODRADEK, new Usage[]{usage(10, 1_500_000), usage(10, 2_500_000), usage(20, 9_500_000)},
            "flink-kafka", new Usage[]{usage(20, 1_000_000), usage(20, 1_000_000), usage(80, 9_000_000)})).list();

        assertEquals(500, figure(rows, Metric.P50_OVER_CONNECTOR.key()), 5);
        assertEquals(0.5, figure(rows, Metric.PROCESS_CPU.to(Rival.FLINK_KAFKA)), 1e-9);
    }

    @Test
    void shouldCompareAPassAndReportItsCheckpoints()
    {
        final Map<String, Usage[]> passes = new LinkedHashMap<>();
        passes.put(Flink.ODRADEK, new Usage[]{usage(50, 3_000_000)});
        passes.put("flink-kafka", new Usage[]{usage(100, 7_000_000)});
        passes.get(Flink.ODRADEK)[0].records = 4;

        final List<Row> rows = CatchupRun.rows(new Rows("flink", "23 B, checkpoints"), passes).list();

        assertEquals(4, figure(rows, Metric.RECORDS_PER_SECOND.to(Rival.FLINK_KAFKA)), 1e-9);
        assertEquals(0.125, figure(rows, Metric.PROCESS_CPU_PER_RECORD.to(Rival.FLINK_KAFKA)), 1e-9);
        assertEquals(3_000, figure(rows, Metric.CHECKPOINT_P50.key()), 5);
        assertEquals(3_000, figure(rows, Metric.CHECKPOINT_MAX.key()), 5);
    }

    private static Usage usage(final int cpuPercent, final long latencyNs)
    {
        final Usage usage = new Usage();
        usage.records = 1;
        usage.wallNs = SECOND_NS;
        usage.processCpuNs = cpuPercent * SECOND_NS / 100;
        usage.latencies = new long[]{latencyNs, 1};
        return usage;
    }

    private static double figure(final List<Row> rows, final String metric)
    {
        return rows.stream().filter((row) -> row.client().equals(Flink.ODRADEK) && row.metric().equals(metric))
            .findFirst().orElseThrow().summary().median();
    }
}
