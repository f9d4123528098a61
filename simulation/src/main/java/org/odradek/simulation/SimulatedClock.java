// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

import java.util.concurrent.TimeUnit;

/**
 * The time of a simulation, which moves only when an event occurs or a call costs time, and the queue of its events. As
 * {@link NanoClock} it begins at an origin that may be just below {@code Long.MAX_VALUE}, and as {@link EpochClock} it
 * may be stepped.
 */
final class SimulatedClock implements NanoClock, EpochClock
{
    private final EventQueue events = new EventQueue();
    private final long originNs;
    private long nowNs;
    private long epochMs;
    private long reads;

    /**
     * @param originNs the first value of {@link #nanoTime()}.
     * @param epochMs  the first value of {@link #time()}.
     */
    SimulatedClock(final long originNs, final long epochMs)
    {
        this.originNs = originNs;
        this.epochMs = epochMs;
    }

    /** Nanoseconds since the beginning of the simulation. */
    long nowNs()
    {
        return nowNs;
    }

    /** Milliseconds since the beginning of the simulation, as the brokers measure time. */
    long nowMs()
    {
        return TimeUnit.NANOSECONDS.toMillis(nowNs);
    }

    @Override
    public long nanoTime()
    {
        reads++;
        return originNs + nowNs;
    }

    /** Returns the nanoseconds for another consumer. */
    long readNs()
    {
        return originNs + nowNs;
    }

    /** How often the consumer has read the nanoseconds. */
    long reads()
    {
        return reads;
    }

    @Override
    public long time()
    {
        return epochMs + nowMs();
    }

    /** Steps the time of day, as an administrator or a time server does. */
    void step(final long stepMs)
    {
        epochMs += stepMs;
    }

    void after(final long delayNs, final Runnable event)
    {
        events.add(nowNs + delayNs, event);
    }

    void at(final long timeNs, final Runnable event)
    {
        events.add(Math.max(nowNs, timeNs), event);
    }

    /** Lets time pass, with all that occurs in it. */
    void spend(final long durationNs)
    {
        final long untilNs = nowNs + durationNs;
        while (nowNs < untilNs)
        {
            advance(untilNs);
        }
    }

    /**
     * Moves to the next event and runs it, or to a time that is not later than it.
     *
     * @param untilNs the time to stop at.
     */
    void advance(final long untilNs)
    {
        final long nextNs = events.nextTimeNs();
        if (nextNs < untilNs)
        {
            nowNs = nextNs;
            events.remove().run();
        }
        else
        {
            nowNs = untilNs;
        }
    }
}
