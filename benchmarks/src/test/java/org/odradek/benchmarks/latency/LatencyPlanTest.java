/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.latency;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LatencyPlanTest
{
    @Test
    void shouldKeepItsTimeWhenQuick()
    {
        assertTrue(LatencyPlan.quick(null).expectedSeconds() <= 150);
    }

    @Test
    void shouldSayWhatItTakesWhenFull()
    {
        final int seconds = LatencyPlan.full(LatencyPlan.RATES, 3, 30, null).expectedSeconds();

        assertTrue(seconds > 5 * 9 * 3 * 30, () -> seconds + " s");
        assertEquals(9, LatencyPlan.full(LatencyPlan.RATES, 3, 30, null).clients().size());
    }
}
