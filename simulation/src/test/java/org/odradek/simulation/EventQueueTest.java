// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class EventQueueTest
{
    private static final int COUNT = 10_000;
    private static final int TIMES = 1_000;

    @Test
    void shouldRunEventsInTheOrderOfTheirTimesAndThenOfTheirAddition()
    {
        final EventQueue queue = new EventQueue();
        final Draw draw = new Draw(1, "times");
        final List<long[]> run = new ArrayList<>();
        for (int i = 0; i < COUNT; i++)
        {
            final long[] event = {draw.below(TIMES), i};
            queue.add(event[0], () -> run.add(event));
        }

        while (queue.nextTimeNs() < Long.MAX_VALUE)
        {
            queue.remove().run();
        }

        assertEquals(COUNT, run.size());
        final List<long[]> sorted = new ArrayList<>(run);
        sorted.sort((a, b) -> a[0] == b[0] ? Long.compare(a[1], b[1]) : Long.compare(a[0], b[0]));
        assertEquals(sorted, run);
    }
}
