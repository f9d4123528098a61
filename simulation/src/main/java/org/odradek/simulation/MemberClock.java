// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.agrona.concurrent.NanoClock;

/**
 * The time on the thread of one member. A handler that takes long moves it ahead of the world's: the others go on
 * meanwhile, and the member is not polled again before the world has reached its time. So the handlers of all members
 * can take long at once, although only one thread runs them.
 */
final class MemberClock implements NanoClock
{
    private final SimulatedClock world;
    private long busyUntilNs;

    MemberClock(final SimulatedClock world)
    {
        this.world = world;
    }

    /** Nanoseconds since the beginning of the simulation. */
    long nowNs()
    {
        return Math.max(world.nowNs(), busyUntilNs);
    }

    @Override
    public long nanoTime()
    {
        return world.nanoTime() + aheadNs();
    }

    /** How long the thread works on until the world has reached its time. */
    long aheadNs()
    {
        return Math.max(0, busyUntilNs - world.nowNs());
    }

    /** The thread works for a while. */
    void work(final long durationNs)
    {
        busyUntilNs = nowNs() + durationNs;
    }

    /** The thread has ended, and another one begins. */
    void reset()
    {
        busyUntilNs = world.nowNs();
    }
}
