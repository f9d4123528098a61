// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.concurrent.TimeUnit;

/**
 * A doubling whose effect is not known yet. Its owner compares the rate of each window with the rate before the
 * doubling. The doubling is undone only if two windows in a row gain too little, because a network or a machine may
 * stall for a moment. An undone doubling is tried again after a minute, then after twice as long each time, up to ten
 * minutes.
 */
final class Trial
{
    static final long RETRY_NS = TimeUnit.SECONDS.toNanos(60);
    static final long MAX_RETRY_NS = TimeUnit.SECONDS.toNanos(600);

    boolean isRunning;
    /** True if the first window has gained too little. */
    private boolean isDoubted;
    double rateBefore;
    /** The time in nanoseconds from an undone doubling to the next attempt. */
    long retryNs = RETRY_NS;

    /** @param rate the rate before the doubling, in bytes per nanosecond. */
    void begin(final double rate)
    {
        isRunning = true;
        isDoubted = false;
        rateBefore = rate;
    }

    /** Notes a window that has gained enough. */
    void succeed()
    {
        isRunning = false;
        retryNs = RETRY_NS;
    }

    /** Notes a window that has gained too little; returns true if the doubling must be undone. */
    boolean doubt()
    {
        assert isRunning;
        final boolean wasDoubted = isDoubted;
        isDoubted = true;
        return wasDoubted;
    }

    /** Notes that the doubling was undone; returns the time in nanoseconds until the next attempt. */
    long undo()
    {
        final long delayNs = retryNs;
        isRunning = false;
        retryNs = Math.min(2 * retryNs, MAX_RETRY_NS);
        assert delayNs >= RETRY_NS && delayNs <= retryNs && retryNs <= MAX_RETRY_NS;
        return delayNs;
    }
}
