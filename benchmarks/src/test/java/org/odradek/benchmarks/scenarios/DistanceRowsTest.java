// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Summary;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.scenarios.DistanceRun.Turn;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

class DistanceRowsTest
{
    private static final long SECOND_NS = 1_000_000_000;
    private static final int VALUE = 1_000;

    @Test
    void shouldReportRampSteadyStateAndBoth()
    {
        final Map<String, List<Turn>> turns = new LinkedHashMap<>();
        turns.put("odradek", List.of(turn(2_000, 80_000), turn(4_000, 60_000)));
        turns.put("odradek-eight", List.of(turn(4_000, 70_000), turn(5_000, 70_000)));
        turns.put("stock-tuned", List.of(turn(1_000, 10_000), turn(1_000, 10_000)));
        turns.put("streams-eight", List.of(turn(1_000, 100_000), turn(1_000, 100_000)));

        final List<Row> rows = DistanceRun.rows(new Rows("distance", "20 ms"), turns).list();

        assertEquals(new Summary(70, 60, 80, 2), find(rows, "odradek", Metric.MEGABYTES_PER_SECOND.key()));
        assertEquals(new Summary(3, 2, 4, 2), find(rows, "odradek", Metric.RAMP_MEGABYTES_PER_SECOND.key()));
        assertEquals(new Summary(0.65, 0.5, 0.8, 2),
            find(rows, "odradek", Metric.RAMP_MEGABYTES_PER_SECOND.to(Rival.OWN_EIGHT)));
        assertEquals(new Summary(36_500, 32_000, 41_000, 2),
            find(rows, "odradek", Metric.WITH_RAMP_RECORDS_PER_SECOND.key()));
        assertEquals(new Summary(50, 50, 50, 2), find(rows, "stock-tuned", Metric.BROKER_CPU.key()));
        assertEquals(new Summary(7, 6, 8, 2),
            find(rows, "odradek", Metric.RECORDS_PER_SECOND.to(Rival.STOCK_TUNED)));
        assertEquals(0.7, find(rows, "odradek", Metric.RECORDS_PER_SECOND.to(Rival.STREAMS_EIGHT)).median(), 1e-9);
        assertEquals((41_000 / 5_500.0 + 32_000 / 5_500.0) / 2,
            find(rows, "odradek", Metric.WITH_RAMP_RECORDS_PER_SECOND.to(Rival.STOCK_TUNED)).median(), 1e-9);
    }

    /** A second of ramp and one of steady state, with so many records. */
    private static Turn turn(final long inRamp, final long inSteadyState)
    {
        return new Turn(usage(inRamp), usage(inSteadyState), SECOND_NS);
    }

    private static Usage usage(final long records)
    {
        final Usage usage = new Usage();
        usage.records = records;
        usage.bytes = records * VALUE;
        usage.wallNs = SECOND_NS;
        return usage;
    }

    private static Summary find(final List<Row> rows, final String client, final String metric)
    {
        return rows.stream().filter((row) -> row.client().equals(client) && row.metric().equals(metric))
            .findFirst().orElseThrow().summary();
    }
}
