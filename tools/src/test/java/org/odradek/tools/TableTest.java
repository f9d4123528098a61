// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class TableTest
{
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0|0", "-0.0|0", "7|7", "1234567|1,234,567", "13977.6|13,978", "99.96|100.0", "30.24|30.2", "2.3|2.30",
        "0.856|0.86", "0.0123|0.012", "0.000456|0.00046", "-1.5|-1.50"})
    void shouldWriteFigures(final double figure, final String text)
    {
        assertEquals(text, Table.figure(figure));
    }

    @Test
    void shouldWriteNumbersWithTheirNounsAndTimesInUnits()
    {
        assertEquals("0 frames, 1 frame, 2 frames",
            Table.counted(0, "frame") + ", " + Table.counted(1, "frame") + ", " + Table.counted(2, "frame"));
        assertEquals("0.0 ns, 999.9 ns, 1.0 us, 55.2 ms",
            Table.time(0) + ", " + Table.time(999.9) + ", " + Table.time(1_000) + ", " + Table.time(55_164_448.5));
    }

    @Test
    void shouldAlignTheFirstColumnToTheLeftAndOthersToTheRight()
    {
        final Table table = new Table("what", "ours").row("records", "5").row("gc", "12,000");

        assertEquals("""
            what       ours
            -------  ------
            records       5
            gc       12,000
            """, table.toText());
    }

    @Test
    void shouldWriteMarkdownWithEmptyCells()
    {
        final Table table = new Table("", "ours", "ratio").row("records", "5", "");

        assertEquals("""
            | | ours | ratio |
            |---|--:|--:|
            | records | 5 | |
            """, table.toMarkdown());
    }

    @Test
    void shouldRefuseARowOfAnotherLength()
    {
        final Table table = new Table("what", "ours");

        assertThrows(IllegalArgumentException.class, () -> table.row("records"));
    }
}
