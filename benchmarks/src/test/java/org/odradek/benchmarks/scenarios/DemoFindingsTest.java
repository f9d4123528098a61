// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DemoFindingsTest
{
    private static final List<Metric> METRICS = List.of(Metric.THREAD_CPU, Metric.ALLOCATED_PER_RECORD);
    private static final List<DemoFindings.Pair> PAIRS = List.of(
        new DemoFindings.Pair("At the defaults", "odradek", "stock-defaults", METRICS),
        new DemoFindings.Pair("Tuned", "odradek-2ms", "stock-tuned-2ms", METRICS));

    private final List<Row> rows = new ArrayList<>();

    @Test
    void shouldPutEachFigureOfOursBesideThatOfTheStockClient()
    {
        final String text = findings(0).text();

        assertTrue(text.startsWith("At the defaults "), text);
        assertTrue(text.contains(line("CPU of the polling thread, %", 15, 30, 0.5)), text);
        assertTrue(text.contains(line("bytes allocated per record", 0, "10,243", 0)), text);
        assertTrue(text.endsWith(DemoFindings.NOTE + System.lineSeparator()), text);
    }

    private static String line(final Object... cells)
    {
        return String.format("  %-34s%14s%14s%10s%n", cells);
    }

    /** Also at the defaults, where the stock client may be faster. */
    @Test
    void shouldShowTheLatencyOfEachPair()
    {
        assertEquals(2, Demo.PAIRS.size());
        Demo.PAIRS.forEach((pair) -> assertTrue(pair.metrics().containsAll(List.of(Metric.P50, Metric.P99))));
        final DemoFindings findings = new DemoFindings(rows, Demo.PAIRS);
        assertTrue(findings.text().contains("  latency p99, µs "), findings::text);
    }

    @Test
    void shouldSayTheRatiosInWords()
    {
        assertEquals(List.of(
            "At the defaults our polling thread takes 0.5 times the CPU of the stock client's, and allocates 0 " +
            "bytes per record where that allocates 10,243.",
            "Tuned our polling thread takes 0.4 times the CPU of the stock client's, and allocates 0 bytes per " +
            "record where that allocates 1,709."), findings(0).sentences());
    }

    @Test
    void shouldSayAllInOneSentence()
    {
        assertEquals("Ours read every record and allocated nothing; the stock client took 2 times the CPU at the " +
            "defaults, 2.5 times the CPU tuned", findings(0).found());
    }

    @Test
    void shouldSayThatOursAllocated()
    {
        final DemoFindings findings = findings(24);

        assertEquals(24, findings.allocatedBytes());
        assertEquals("Ours allocated 24 bytes, which should be 0", findings.found());
    }

    private DemoFindings findings(final double allocatedByTuned)
    {
        add("odradek", 15, 0, 0);
        add("stock-defaults", 30, 409_720_000, 10_243);
        add("odradek-2ms", 2, allocatedByTuned, 0);
        add("stock-tuned-2ms", 5, 68_360_000, 1_709);
        return new DemoFindings(rows, PAIRS);
    }

    private void add(final String client, final double cpu, final double bytes, final double bytesPerRecord)
    {
        add(client, Metric.THREAD_CPU, cpu);
        add(client, Metric.ALLOCATED, bytes);
        add(client, Metric.ALLOCATED_PER_RECORD, bytesPerRecord);
    }

    private void add(final String client, final Metric metric, final double figure)
    {
        rows.add(new Row("demo", "5000/s", client, metric.key(), "", Summary.of(figure)));
    }
}
