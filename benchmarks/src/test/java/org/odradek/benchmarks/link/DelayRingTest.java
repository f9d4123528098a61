// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DelayRingTest
{
    private static final int SLOT = 100;
    private static final int SLOTS = 3;
    private static final int ROUND_TRIP_MS = 20;
    private static final long ONE_WAY_NS = 10_000_000;

    /** Later than the start of every ring here. */
    private final long nowNs = System.nanoTime() + 3_600_000_000_000L;

    @Test
    void shouldBeDueAfterHalfOfARoundTrip()
    {
        final DelayRing ring = ring(DelayRing.NO_WINDOW, 0);
        assertEquals(Long.MAX_VALUE, ring.nextNs());

        ring.put(SLOT, nowNs);

        assertEquals(nowNs + ONE_WAY_NS, ring.nextNs());
    }

    @Test
    void shouldReturnPacketsInOrderAndUseMemoryAgain()
    {
        final DelayRing ring = ring(DelayRing.NO_WINDOW, 0);
        for (int i = 0; i < 4 * SLOTS; i++)
        {
            ring.claim().putInt(i);
            ring.put(Integer.BYTES + i, nowNs);
            assertEquals(Integer.BYTES + i, ring.first().remaining());
            assertEquals(i, ring.first().getInt());
            ring.remove();
            assertEquals(SLOT, ring.room(nowNs + ONE_WAY_NS));
        }
    }

    @Test
    void shouldHaveNoRoomWhenFullAndNotTouchWhatIsOnItsWay()
    {
        final DelayRing ring = ring(DelayRing.NO_WINDOW, 0);
        for (int i = 0; i < SLOTS; i++)
        {
            assertEquals(SLOT, ring.room(nowNs));
            ring.claim().putInt(i);
            ring.put(Integer.BYTES, nowNs);
        }
        assertEquals(0, ring.room(nowNs));

        ring.claim().putInt(-1);

        for (int i = 0; i < SLOTS; i++)
        {
            assertEquals(i, ring.first().getInt());
            ring.remove();
        }
    }

    @Test
    void shouldCountBytesOfTheWindowForAWholeRoundTrip()
    {
        final DelayRing ring = ring(150, 0);
        assertEquals(SLOT, ring.room(nowNs));
        ring.put(SLOT, nowNs);
        assertEquals(50, ring.room(nowNs));
        ring.put(50, nowNs);
        assertEquals(0, ring.room(nowNs));
        ring.remove();
        ring.remove();

        assertEquals(0, ring.room(nowNs + 2 * ONE_WAY_NS - 1));
        assertEquals(SLOT, ring.room(nowNs + 2 * ONE_WAY_NS));
    }

    @Test
    void shouldCountBytesUntilTheyAreTaken()
    {
        final DelayRing ring = ring(SLOT, 0);
        ring.put(SLOT, nowNs);

        assertEquals(0, ring.room(nowNs + 10 * ONE_WAY_NS));
        ring.remove();
        assertEquals(SLOT, ring.room(nowNs + 10 * ONE_WAY_NS));
    }

    @Test
    void shouldSendOnePacketAfterTheOtherAtItsRate()
    {
        final DelayRing ring = ring(DelayRing.NO_WINDOW, 8);
        ring.put(SLOT, nowNs);
        ring.put(SLOT, nowNs);

        assertEquals(nowNs + 100_000 + ONE_WAY_NS, ring.nextNs());
        ring.remove();
        assertEquals(nowNs + 200_000 + ONE_WAY_NS, ring.nextNs());
    }

    @Test
    void shouldNotChangeTheOrderWhenTheLinkBecomesShorter()
    {
        final DelayRing ring = ring(DelayRing.NO_WINDOW, 0);
        ring.put(SLOT, nowNs);
        ring.set(LinkConditions.NONE);
        ring.put(SLOT, nowNs);
        ring.remove();

        assertEquals(nowNs + ONE_WAY_NS, ring.nextNs());
    }

    @Test
    void shouldLoseAboutAsManyAsItIsToldTo()
    {
        final LinkConditions lossy = new LinkConditions(0, 0, 0.1, "");

        assertTrue(lossy.isLost(0.000_999));
        assertTrue(!lossy.isLost(0.001));
        assertTrue(!LinkConditions.NONE.isLost(0));
    }

    @Test
    void shouldTravelAsText()
    {
        final LinkConditions conditions = new LinkConditions(80, 1_000, 0.1, "cubic");

        assertEquals(conditions, LinkConditions.parse(conditions.toArguments()));
        assertEquals(LinkConditions.NONE, LinkConditions.parse(LinkConditions.NONE.toArguments()));
    }

    private static DelayRing ring(final int window, final int megabitsPerSecond)
    {
        final DelayRing ring = new DelayRing(SLOT, SLOTS, window);
        ring.set(new LinkConditions(ROUND_TRIP_MS, megabitsPerSecond, 0, ""));
        return ring;
    }
}
