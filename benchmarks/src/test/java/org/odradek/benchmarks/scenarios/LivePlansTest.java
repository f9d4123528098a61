// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.rig.LivePlan;

class LivePlansTest
{
    @Test
    void shouldKeepItsTimeWhenQuick()
    {
        final LivePlan quick = Latency.plan(Latency.QUICK_RATES, Latency.QUICK_ARMS, Latency.QUICK_TIMING);
        assertTrue(quick.totalSeconds(false) <= 150, () -> quick.totalSeconds(false) + " s");
    }

    @Test
    void shouldSayWhatItTakesWhenFull()
    {
        final LivePlan full = Latency.plan(Latency.RATES, Latency.ARMS, Latency.TIMING);
        final int measured =
            Latency.RATES.size() * Latency.ARMS.size() * Latency.TIMING.rounds() * Latency.TIMING.seconds();
        assertTrue(full.totalSeconds(false) > measured && full.totalSeconds(false) < 2 * measured,
            () -> full.totalSeconds(false) + " s");
    }

    @Test
    void shouldNameACaseByItsRate()
    {
        assertEquals("50,000/s", Latency.plan(List.of(50_000), List.of(), Latency.TIMING).cases().get(0).name());
    }
}
