// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.agrona.concurrent.NanoClock;

/**
 * The time of a duty cycle: read once at its start, the same for everything done in it.
 * <p>
 * There are two times. {@link #nowNs()} is the clock's. {@link #pollingNs()} goes on only while the consumer is
 * polled: of a pause between two cycles at most {@link #LONGEST_STEP_NS} count. Timeouts of requests are kept in it,
 * so that a broker is not blamed for time in which nobody looked.
 */
public final class DutyClock
{
    public static final long LONGEST_STEP_NS = 1_000_000_000L;

    private long nowNs;
    private long pollingNs;
    private final NanoClock clock;

    /**
     * @param clock that is read.
     */
    public DutyClock(final NanoClock clock)
    {
        this.clock = clock;
        nowNs = clock.nanoTime();
    }

    /**
     * Begin a duty cycle.
     *
     * @return {@link #nowNs()}.
     */
    public long update()
    {
        final long now = clock.nanoTime();
        pollingNs += Math.min(Math.max(now - nowNs, 0), LONGEST_STEP_NS);
        nowNs = now;
        return now;
    }

    /**
     * The clock as it is now, for what a duty cycle is too coarse for; nothing else changes.
     */
    public long readNs()
    {
        return clock.nanoTime();
    }

    public long nowNs()
    {
        return nowNs;
    }

    public long pollingNs()
    {
        return pollingNs;
    }
}
