// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import java.util.random.RandomGenerator;

/**
 * Computes the delay before the next attempt, which doubles with each failure in a row up to a limit, and varies at
 * random by up to 20 percent in both directions, as in Kafka's clients.
 */
public final class Backoff
{
    private static final double JITTER = 0.2;

    private final long firstNs;
    private final long maxNs;
    private int failures;
    private boolean isDelaying;
    private long deadlineNs;
    private final RandomGenerator random;

    /** @param maxNs longest delay without the jitter, in nanoseconds. */
    public Backoff(final long firstNs, final long maxNs, final RandomGenerator random)
    {
        this.firstNs = firstNs;
        this.maxNs = maxNs;
        this.random = random;
    }

    public void failed(final long nowNs)
    {
        final int doublings = Math.min(failures, Long.numberOfLeadingZeros(firstNs) - 1);
        final long delayNs = Math.min(maxNs, firstNs << doublings);
        failures++;
        isDelaying = true;
        deadlineNs = nowNs + (long) (delayNs * (1 + JITTER * (2 * random.nextDouble() - 1)));
        // The delay is at most 20 percent longer than the longest one.
        assert deadlineNs - nowNs >= 0 && deadlineNs - nowNs <= maxNs * (1 + JITTER);
        assert isConsistent();
    }

    /** Begins the delay of the last failure again with a new jitter, if there was a failure since the last success. */
    public void renewed(final long nowNs)
    {
        if (failures > 0)
        {
            failures--;
            failed(nowNs);
        }
    }

    public void succeeded()
    {
        failures = 0;
        isDelaying = false;
        assert isConsistent();
    }

    /** Ends the delay, but keeps the number of failures. */
    public void endDelay()
    {
        isDelaying = false;
    }

    public boolean hasExpired(final long nowNs)
    {
        return !isDelaying || deadlineNs - nowNs <= 0;
    }

    public int failures()
    {
        return failures;
    }

    public long deadlineNs()
    {
        return deadlineNs;
    }

    /** Returns the time at which the delay ends, or {@code nowNs} if there is no delay now. */
    public long dueNs(final long nowNs)
    {
        return hasExpired(nowNs) ? nowNs : deadlineNs;
    }

    private boolean isConsistent()
    {
        // The number of failures is never negative.
        return failures >= 0 &&
            // Only a failure begins a delay.
            (!isDelaying || failures > 0);
    }
}
