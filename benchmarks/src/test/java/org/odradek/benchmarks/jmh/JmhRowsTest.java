// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.jmh.FetchBenchmark.Client;
import org.odradek.benchmarks.jmh.JmhScenario.Figures;
import org.odradek.benchmarks.report.Report.Row;

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

    private static Map<Client, List<Figures>> figures()
    {
        final Map<Client, List<Figures>> figures = new EnumMap<>(Client.class);
        figures.put(Client.ODRADEK,
            List.of(new Figures(10, 0, 40), new Figures(20, 0, 41), new Figures(12, 8, 42)));
        figures.put(Client.KAFKA_CLIENTS_POLL,
            List.of(new Figures(70, 900, 0), new Figures(80, 901, 0), new Figures(96, 902, 0)));
        figures.put(Client.KAFKA_CLIENTS,
            List.of(new Figures(30, 7, 50), new Figures(80, 7, 51), new Figures(24, 9, 52)));
        return figures;
    }

    @Test
    void shouldTakeRatiosWithinARound()
    {
        final Map<String, Row> rows = JmhScenario.rows(CASE, figures()).stream()
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
    void shouldMeasureEverySizeInEveryCodec()
    {
        final Set<String> full = new HashSet<>();
        for (final JmhCase jmhCase : JmhScenario.FULL.cases())
        {
            full.add(jmhCase.valueLength() + " " + jmhCase.codec());
            assertEquals(!jmhCase.codec().equals(JmhCase.NO_CODEC), jmhCase.clients(false).contains(Client.CODEC));
        }

        assertEquals(3 * 5, full.size());
        assertTrue(JmhScenario.FULL.cases().containsAll(JmhScenario.QUICK.cases()));
        assertTrue(JmhScenario.FULL.forks() >= 3);
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
