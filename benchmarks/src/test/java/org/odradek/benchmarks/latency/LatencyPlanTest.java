// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.latency;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LatencyPlanTest
{
    @Test
    void shouldKeepItsTimeWhenQuick()
    {
        final LatencyPlan quick =
            new LatencyPlan(LatencyPlan.QUICK_RATES, LatencyClient.QUICK, LatencyPlan.QUICK_TIMING, null);

        assertTrue(quick.totalSeconds() <= 150, () -> quick.totalSeconds() + " s");
    }

    @Test
    void shouldSayWhatItTakesWhenFull()
    {
        final LatencyPlan full = new LatencyPlan(LatencyPlan.RATES, LatencyClient.ALL, LatencyPlan.FULL_TIMING, null);

        final int measured = LatencyPlan.RATES.size() * LatencyClient.ALL.size() *
            LatencyPlan.FULL_TIMING.rounds() * LatencyPlan.FULL_TIMING.seconds();
        assertTrue(full.totalSeconds() > measured && full.totalSeconds() < 2 * measured,
            () -> full.totalSeconds() + " s");
    }

    @Test
    void shouldNameACaseByItsRate()
    {
        assertEquals("50,000/s", LatencyPlan.caseName(50_000));
    }
}
