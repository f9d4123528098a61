// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class MemberClockTest
{
    private static final long ORIGIN_NS = Long.MAX_VALUE - 5;

    private final SimulatedClock world = new SimulatedClock(ORIGIN_NS, 0);
    private final MemberClock time = new MemberClock(world);

    @Test
    void shouldBeAheadUntilTheWorldHasCaughtUp()
    {
        time.work(10);
        time.work(5);

        assertEquals(15, time.aheadNs());
        assertEquals(ORIGIN_NS + 15, time.nanoTime());

        world.spend(12);

        assertEquals(3, time.aheadNs());
        assertEquals(15, time.nowNs());

        world.spend(12);

        assertEquals(0, time.aheadNs());
        assertEquals(24, time.nowNs());
        assertEquals(ORIGIN_NS + 24, time.nanoTime());
    }

    @Test
    void shouldBeginAtTheTimeOfTheWorld()
    {
        time.work(10);

        time.reset();

        assertEquals(0, time.aheadNs());
    }
}
