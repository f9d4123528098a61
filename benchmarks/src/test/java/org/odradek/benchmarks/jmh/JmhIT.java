// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The whole scenario in miniature, with JVMs of its own: each reader compares its first sum itself and fails where it
 * differs.
 */
@Tag("slow")
class JmhIT
{
    private static final JmhCase PLAIN = new JmhCase(23, JmhCase.NO_CODEC, JmhCase.SMALL_FETCH, true);
    private static final JmhCase ZIPPED = new JmhCase(1_000, "zstd", 2, false);

    @Test
    void shouldRunEveryClientOfEveryCaseAndMakeItsRows() throws Exception
    {
        final List<String> progress = new ArrayList<>();
        final JmhScenario.Plan plan = new JmhScenario.Plan(List.of(PLAIN, ZIPPED), 1, 1, 20, 2, 20);

        final List<Row> rows = plan.run(System.getProperty("java.class.path"), progress::add);

        final Set<String> found = new LinkedHashSet<>();
        for (final Row row : rows)
        {
            assertEquals("jmh", row.scenario());
            assertEquals(1, row.summary().runs());
            assertTrue(row.metric().equals(Metric.BYTES_PER_FETCH.key()) || row.summary().median() > 0, row::toString);
            if (row.metric().equals(Metric.NS_PER_RECORD.key()))
            {
                found.add(row.caseName() + ": " + row.client());
            }
        }
        assertEquals(4 * 9, rows.size());
        assertEquals(List.of("23 B, none, 16 KiB: odradek", "23 B, none, 16 KiB: odradek-before",
            "23 B, none, 16 KiB: kafka-clients-poll", "23 B, none, 16 KiB: kafka-clients",
            "1000 B, zstd, 32 KiB, no CRC: odradek", "1000 B, zstd, 32 KiB, no CRC: odradek-before",
            "1000 B, zstd, 32 KiB, no CRC: kafka-clients-poll", "1000 B, zstd, 32 KiB, no CRC: kafka-clients",
            "1000 B, zstd, 32 KiB, no CRC: codec alone"), List.copyOf(found));
        assertEquals(2, progress.size());
    }
}
