// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.concurrent.TimeUnit;

/**
 * A doubling whose effect is not known yet. Its owner compares the rate of each window with the rate before it. Two
 * windows in a row must show too little before it is undone, because a network or a machine may stand still for a
 * moment. It is tried again after a minute, then after twice as long each time, up to ten minutes.
 */
final class Trial
{
    static final long RETRY_NS = TimeUnit.SECONDS.toNanos(60);
    static final long MAX_RETRY_NS = TimeUnit.SECONDS.toNanos(600);

    boolean isRunning;
    /** The first window has shown too little. */
    private boolean isDoubted;
    double rateBefore;
    /** The time from an undone doubling to the next one. */
    long retryNs = RETRY_NS;

    /** @param rate in bytes per nanosecond, before the doubling. */
    void begin(final double rate)
    {
        isRunning = true;
        isDoubted = false;
        rateBefore = rate;
    }

    /** Takes note of a window that has shown enough. */
    void succeed()
    {
        isRunning = false;
        retryNs = RETRY_NS;
    }

    /** Takes note of a window that has shown too little; returns true if the doubling is to be undone. */
    boolean doubt()
    {
        assert isRunning;
        final boolean wasDoubted = isDoubted;
        isDoubted = true;
        return wasDoubted;
    }

    /** Takes note that the doubling was undone; returns the time until the next one. */
    long undo()
    {
        final long delayNs = retryNs;
        isRunning = false;
        retryNs = Math.min(2 * retryNs, MAX_RETRY_NS);
        assert delayNs >= RETRY_NS && delayNs <= retryNs && retryNs <= MAX_RETRY_NS;
        return delayNs;
    }
}
