// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.concurrent.TimeUnit;

/**
 * A change whose effect is not known yet: twice as many bytes, or half as many connections. Its owner compares the rate
 * of later windows with the rate before the change. The delay before the next attempt is one minute after the first
 * undone change, and doubles with each further one in a row up to ten minutes.
 */
final class Trial
{
    static final long RETRY_NS = TimeUnit.SECONDS.toNanos(60);
    static final long MAX_RETRY_NS = TimeUnit.SECONDS.toNanos(600);

    boolean isRunning;
    private boolean isDoubted;
    double rateBefore;
    /** The delay in nanoseconds that the next call of {@link #undo()} returns. */
    long retryNs = RETRY_NS;

    /** @param rate the rate before the change, in bytes per nanosecond. */
    void begin(final double rate)
    {
        isRunning = true;
        isDoubted = false;
        rateBefore = rate;
    }

    /** Notes a change that stays. */
    void succeed()
    {
        isRunning = false;
        retryNs = RETRY_NS;
    }

    /**
     * Notes a window whose rate is too low. Returns false for the first such window, because a network or a machine may
     * stall for a moment.
     */
    boolean doubt()
    {
        assert isRunning;
        final boolean wasDoubted = isDoubted;
        isDoubted = true;
        return wasDoubted;
    }

    /** Ends the trial; returns the time in nanoseconds until the next attempt. */
    long undo()
    {
        final long delayNs = retryNs;
        isRunning = false;
        retryNs = Math.min(2 * retryNs, MAX_RETRY_NS);
        assert delayNs >= RETRY_NS && delayNs <= retryNs && retryNs <= MAX_RETRY_NS;
        return delayNs;
    }
}
