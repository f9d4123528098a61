// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AllocationTest
{
    private static final int RUNS = 1_000;

    private Object sink;
    private int runs;

    @Test
    void shouldDetectTheSmallestObjectThatEveryRunAllocates()
    {
        final long allocated = Allocation.bytesOf(RUNS, () -> sink = new Object());

        assertTrue(allocated >= 16 * RUNS, "only " + allocated);
        assertEquals(Object.class, sink.getClass());
    }

    @Test
    void shouldDetectNothingWhenNothingIsAllocated()
    {
        assertEquals(0, Allocation.bytesOf(RUNS, () -> runs++));
        assertTrue(runs >= RUNS);
    }
}
