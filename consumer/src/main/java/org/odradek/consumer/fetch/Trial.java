// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.concurrent.TimeUnit;

/**
 * A change whose effect on the rate is not known yet: twice as many bytes, or half as many connections. The delay
 * before the next attempt is 1 minute after the first call of {@link #undo()}, and doubles with each further call in a
 * row, up to 10 minutes.
 */
final class Trial
{
    static final long RETRY_NS = TimeUnit.SECONDS.toNanos(60);
    static final long MAX_RETRY_NS = TimeUnit.SECONDS.toNanos(600);

    boolean isRunning;
    private boolean isDoubted;
    double rateBefore;
    long retryNs = RETRY_NS;

    /** @param rate the rate before the change, in bytes per nanosecond. */
    void begin(final double rate)
    {
        isRunning = true;
        isDoubted = false;
        rateBefore = rate;
    }

    /** Ends the trial, and resets the delay before the next attempt. */
    void succeed()
    {
        isRunning = false;
        retryNs = RETRY_NS;
    }

    /** Returns false for the first low rate of a trial, because a network or a machine may stall for a moment. */
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
