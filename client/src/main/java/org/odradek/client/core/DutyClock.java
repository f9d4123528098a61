// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.odradek.client.PollerUser;

import java.util.function.LongSupplier;

/**
 * Reads the time when a duty cycle begins and after each wait for sockets; {@link #nowNs()} does not change in between.
 * The poller identifies a client by its clock.
 * <p>
 * {@link #pollingNs()} is a time in nanoseconds that leaves out long pauses between polls: the time between two
 * readings of the clock counts for at most {@link #LONGEST_STEP_NS} plus the planned length of a wait for sockets.
 */
public final class DutyClock implements PollerUser
{
    public static final long LONGEST_STEP_NS = 1_000_000_000L;

    public static final long LONGEST_CYCLE_NS = 100_000_000L;

    public static final long INTERVAL_NS = 10_000_000L;

    private static final long MAX_STILL_NS = 1_000_000_000L;

    private static final long LEAST_WAIT_NS = 1_000;

    private long nowNs;
    private long pollingNs;
    private long idleNs;
    /** Sums up the planned lengths of the waits since the clock last changed. */
    private long stillNs;
    private long waitNs;
    private boolean isIdle;
    private long cycles;
    /** This field is used while this clock is locked: another thread may close the client during a computation. */
    private LongSupplier nextDeadline;
    private Runnable keepAlive = () -> {};
    private final NanoClock clock;
    private final EpochClock epochClock;

    public DutyClock(final NanoClock clock, final EpochClock epochClock)
    {
        this.clock = clock;
        this.epochClock = epochClock;
        nowNs = clock.nanoTime();
    }

    /** Begins a duty cycle, and returns {@link #nowNs()}. */
    public long update()
    {
        cycles++;
        return updateAfterWait(waitNs);
    }

    /**
     * Sets what computes the time at which this client has something to do. If another thread is computing that time,
     * the method waits until the computation has ended, so what it reads can be freed afterwards.
     *
     * @param supplier supplies a time that is compared with {@link #nowNs()}; null if this client is closed.
     */
    public synchronized void nextDeadline(final LongSupplier supplier)
    {
        nextDeadline = supplier;
    }

    /** Returns the time at which this client has something to do; the present time if the client is closed. */
    public synchronized long nextDeadlineNs()
    {
        return nextDeadline == null ? nowNs : nextDeadline.getAsLong();
    }

    public void onKeepAlive(final Runnable action)
    {
        keepAlive = action;
    }

    /** Resets {@link #isStopped()} before a series of waits. */
    public void beginWaits()
    {
        stillNs = 0;
    }

    /** @param maxWaitNs planned maximum length of the wait in nanoseconds. */
    public long endWait(final long maxWaitNs, final int ready)
    {
        final long beforeNs = nowNs;
        updateAfterWait(maxWaitNs);
        stillNs += nowNs == beforeNs && ready == 0 ? Math.max(maxWaitNs, LEAST_WAIT_NS) : 0;
        return nowNs;
    }

    /** Returns true if the clock has not changed in waits that were planned to take a second or more in total. */
    public boolean isStopped()
    {
        return stillNs >= MAX_STILL_NS;
    }

    @Override
    public synchronized long untilNextNs()
    {
        return nextDeadline == null ? Long.MAX_VALUE : nextDeadline.getAsLong() - clock.nanoTime();
    }

    @Override
    public long cycles()
    {
        return cycles;
    }

    @Override
    public void keepAlive()
    {
        keepAlive.run();
    }

    /** Notes that the thread may wait until a deadline of this client, and returns the deadline. */
    public long waitUntil(final long deadlineNs)
    {
        waitNs = Math.max(deadlineNs - nowNs, 0);
        assert isConsistent();
        return deadlineNs;
    }

    long updateAfterWait(final long maxWaitNs)
    {
        final long now = clock.nanoTime();
        final long elapsedNs = Math.max(now - nowNs, 0);
        pollingNs += Math.min(elapsedNs, maxWaitNs + LONGEST_STEP_NS);
        waitNs = 0;
        idleNs += isIdle ? elapsedNs : 0;
        stillNs = now == nowNs ? stillNs : 0;
        nowNs = now;
        assert isConsistent();
        return now;
    }

    public long readNs()
    {
        return clock.nanoTime();
    }

    public long epochMs()
    {
        return epochClock.time();
    }

    public long nowNs()
    {
        return nowNs;
    }

    public static long earlier(final long a, final long b)
    {
        return a - b < 0 ? a : b;
    }

    public long pollingNs()
    {
        return pollingNs;
    }

    /** Sets whether the time from now to the next update counts as idle. */
    public void idle(final boolean isNowIdle)
    {
        isIdle = isNowIdle;
    }

    public long idleNs()
    {
        return idleNs;
    }

    private boolean isConsistent()
    {
        // The polling time begins at 0 and never decreases, even if the clock does.
        return pollingNs >= 0 &&
            // The idle time does not decrease either.
            idleNs >= 0 &&
            // The lengths of waits are not negative.
            waitNs >= 0 && stillNs >= 0;
    }
}
