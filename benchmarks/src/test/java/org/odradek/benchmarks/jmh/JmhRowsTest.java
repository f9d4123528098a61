// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Row;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JmhRowsTest
{
    private static final JmhCase CASE = new JmhCase(23, "lz4", JmhCase.LARGE_FETCH, true);

    private static Map<JmhClient, JmhFigure[]> figures()
    {
        final int records = CASE.recordCount();
        final Map<JmhClient, JmhFigure[]> figures = new EnumMap<>(JmhClient.class);
        figures.put(JmhClient.ODRADEK, new JmhFigure[]{new JmhFigure(10 * records, 0, 40),
            new JmhFigure(20 * records, 0, 41), new JmhFigure(12 * records, 8, 42)});
        figures.put(JmhClient.KAFKA_CLIENTS_POLL, new JmhFigure[]{new JmhFigure(70 * records, 900, 0),
            new JmhFigure(80 * records, 901, 0), new JmhFigure(96 * records, 902, 0)});
        figures.put(JmhClient.KAFKA_CLIENTS, new JmhFigure[]{new JmhFigure(30 * records, 7, 50),
            new JmhFigure(80 * records, 7, 51), new JmhFigure(24 * records, 9, 52)});
        return figures;
    }

    @Test
    void shouldDivideByTheRecordsAndTakeRatiosWithinARound()
    {
        final Map<String, Row> rows = JmhRows.of(CASE, figures()).stream()
            .collect(Collectors.toMap((row) -> row.client() + ' ' + row.metric(), (row) -> row));

        assertEquals(3 * 4, rows.size());
        assertRow(12, 10, 20, rows.get("odradek nsPerRecord"));
        assertRow(30, 24, 80, rows.get("kafka-clients nsPerRecord"));
        assertRow(3, 2, 4, rows.get("kafka-clients timesOurs"));
        assertRow(7, 4, 8, rows.get("kafka-clients-poll timesOurs"));
        assertRow(1, 1, 1, rows.get("odradek timesOurs"));
        assertRow(0, 0, 8, rows.get("odradek bytesPerFetch"));
        assertRow(51, 50, 52, rows.get("kafka-clients gcBytesPerFetch"));
    }

    @Test
    void shouldShowALineForACaseAndLeaveOutWhoWasNotMeasured()
    {
        final List<String> lines = JmhTable.format(JmhRows.of(CASE, figures())).lines().toList();

        assertEquals(2, lines.size());
        assertEquals("23 B, lz4, 1 MiB 12.00 [10.00..20.00] 80.00 [70.00..96.00] 7.00 [4.00..8.00] " +
            "30.00 [24.00..80.00] 3.00 [2.00..4.00] 0 901", lines.get(1).replaceAll(" +", " "));
    }

    @Test
    void shouldMeasureEverySizeInEveryCodec()
    {
        final Set<String> full = new HashSet<>();
        for (final JmhCase jmhCase : JmhPlan.full().cases())
        {
            full.add(jmhCase.valueLength() + " " + jmhCase.codec());
            assertEquals(jmhCase.isCompressed(), jmhCase.clients().contains(JmhClient.CODEC));
        }

        assertEquals(3 * 5, full.size());
        assertTrue(JmhPlan.full().cases().containsAll(JmhPlan.quick().cases()));
        assertTrue(JmhPlan.full().forks() >= 3);
    }

    private static void assertRow(final double median, final double min, final double max, final Row row)
    {
        assertEquals(median, row.summary().median(), 1e-9);
        assertEquals(min, row.summary().min(), 1e-9);
        assertEquals(max, row.summary().max(), 1e-9);
        assertEquals(3, row.summary().runs());
        assertEquals("23 B, lz4, 1 MiB", row.caseName());
    }
}
