// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.odradek.client.PollerUser;

import java.util.function.LongSupplier;

/**
 * The time of a duty cycle, read once at its start and the same for everything done in it. The poller knows a client by
 * its clock.
 * <p>
 * There are two times. {@link #nowNs()} is that of the clock. {@link #pollingNs()} advances only while the consumer is
 * polled: a pause between two cycles counts for at most {@link #LONGEST_STEP_NS}, and a wait for sockets, of its own or
 * of its thread, for at most that much more than it was to last. The timeouts of connects use it, and the rebootstrap,
 * because only in time that is polled another address is tried. Requests time out by the clock. The time of day,
 * {@link #epochMs()}, may be set back or forth at any moment, so nothing waits for it.
 */
public final class DutyClock implements PollerUser
{
    public static final long LONGEST_STEP_NS = 1_000_000_000L;

    /** After so much time a duty cycle begins nothing more, so that the next one can do what is due. */
    public static final long LONGEST_CYCLE_NS = 100_000_000L;

    /** How often a consumer does work that only time makes due. */
    public static final long INTERVAL_NS = 10_000_000L;

    /** A clock that has stood still for so long has stopped, and is not waited for. */
    private static final long MAX_STILL_NS = 1_000_000_000L;

    /** What the shortest wait takes. */
    private static final long LEAST_WAIT_NS = 1_000;

    private long nowNs;
    private long pollingNs;
    private long idleNs;
    /** How long the poller has waited since the clock has moved. */
    private long stillNs;
    /** How long the thread may wait for sockets before the next cycle begins. */
    private long waitNs;
    private boolean isIdle;
    private long cycles;
    /** When the client has something to do; null once it is closed. */
    private volatile LongSupplier nextDeadline;
    private Runnable keepAlive = () -> {};
    private final NanoClock clock;
    private final EpochClock epochClock;

    public DutyClock(final NanoClock clock, final EpochClock epochClock)
    {
        this.clock = clock;
        this.epochClock = epochClock;
        nowNs = clock.nanoTime();
    }

    /**
     * Begins a duty cycle.
     *
     * @return {@link #nowNs()}.
     */
    public long update()
    {
        cycles++;
        return updateAfterWait(waitNs);
    }

    /**
     * Has a wait of another client on the same poller end when this one has something to do.
     *
     * @param supplier of the time, or null if this client is closed.
     */
    public void nextDeadline(final LongSupplier supplier)
    {
        nextDeadline = supplier;
    }

    /** @param action is run while another client on the same poller is kept alive. */
    public void onKeepAlive(final Runnable action)
    {
        keepAlive = action;
    }

    /** Begins to wait for what may take several waits. */
    public void beginWaits()
    {
        stillNs = 0;
    }

    /**
     * Ends a wait of the client for its sockets.
     *
     * @param maxWaitNs how long it was to last at most.
     * @param ready     as the poller has returned.
     * @return {@link #nowNs()}.
     */
    public long endWait(final long maxWaitNs, final int ready)
    {
        final long beforeNs = nowNs;
        updateAfterWait(maxWaitNs);
        stillNs = nowNs != beforeNs ? 0 : stillNs + (ready == 0 ? Math.max(maxWaitNs, LEAST_WAIT_NS) : 0);
        return nowNs;
    }

    /** Returns true if the clock has stopped: the poller has waited for a second meanwhile. */
    public boolean isStopped()
    {
        return stillNs >= MAX_STILL_NS;
    }

    @Override
    public long untilNextNs()
    {
        final LongSupplier supplier = nextDeadline;
        return supplier == null ? Long.MAX_VALUE : supplier.getAsLong() - clock.nanoTime();
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

    /**
     * Notes that the thread, which waits for sockets of several clients, waits until a deadline of this one.
     *
     * @return the deadline.
     */
    public long waitUntil(final long deadlineNs)
    {
        waitNs = Math.max(deadlineNs - nowNs, 0);
        assert isConsistent();
        return deadlineNs;
    }

    /**
     * Ends a wait for sockets, during which the consumer is polled.
     *
     * @param maxWaitNs how long the wait was to last at most.
     * @return {@link #nowNs()}.
     */
    long updateAfterWait(final long maxWaitNs)
    {
        final long now = clock.nanoTime();
        final long elapsedNs = Math.max(now - nowNs, 0);
        pollingNs += Math.min(elapsedNs, maxWaitNs + LONGEST_STEP_NS);
        waitNs = 0;
        idleNs += isIdle ? elapsedNs : 0;
        nowNs = now;
        assert isConsistent();
        return now;
    }

    /** Reads the clock without changing {@link #nowNs()}, to measure parts of a duty cycle. */
    public long readNs()
    {
        return clock.nanoTime();
    }

    /** Reads the time of day, in milliseconds since 1970. */
    public long epochMs()
    {
        return epochClock.time();
    }

    public long nowNs()
    {
        return nowNs;
    }

    /** Returns the earlier of two times. */
    public static long earlier(final long a, final long b)
    {
        return a - b < 0 ? a : b;
    }

    public long pollingNs()
    {
        return pollingNs;
    }

    /** Tells whether the time from now to the next update is spent without anything to deliver. */
    public void idle(final boolean isNowIdle)
    {
        isIdle = isNowIdle;
    }

    /** How long there was nothing to deliver, in all. */
    public long idleNs()
    {
        return idleNs;
    }

    private boolean isConsistent()
    {
        // Time that was polled begins at 0 and never goes back, even if the clock does.
        return pollingNs >= 0 &&
            // Nor does the time without anything to deliver.
            idleNs >= 0 &&
            // A wait has a length.
            waitNs >= 0 && stillNs >= 0;
    }
}
