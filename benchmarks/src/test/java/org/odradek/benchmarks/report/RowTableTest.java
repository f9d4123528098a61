/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.report;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class RowTableTest
{
    @Test
    void shouldAlignFiguresAndLeaveBlankWhatIsNotThere()
    {
        final String table = new RowTable().column("a", "first", "%,.0f").column("b", "second", "%.1f").format(List.of(
            new Row("s", "case 1", "odradek", "a", "x", Summary.of(1_000, 3_000, 2_000)),
            new Row("s", "case 1", "odradek", "not shown", "x", Summary.of(7)),
            new Row("s", "case 1", "stock", "b", "x", Summary.of(0.25)))).replace("\r", "");

        assertEquals(
            "case    client   first                 second\n" +
            "case 1  odradek  2,000 [1,000..3,000]\n" +
            "case 1  stock                          0.3\n", table);
    }
}
