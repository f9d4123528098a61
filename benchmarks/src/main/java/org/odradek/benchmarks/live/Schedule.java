// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * When each record is due: at absolute times, so that being late once does not move those that follow.
 */
final class Schedule
{
    private static final long NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long startNs;
    private final long perSecond;

    Schedule(final long startNs, final long perSecond)
    {
        this.startNs = startNs;
        this.perSecond = perSecond;
    }

    /**
     * Whole seconds and the rest are computed apart, so that nothing adds up or overflows.
     */
    long dueNs(final long sequence)
    {
        return startNs + sequence / perSecond * NS_PER_SECOND + sequence % perSecond * NS_PER_SECOND / perSecond;
    }

    /**
     * Waits in the kernel until then; returns at once if that time is over.
     */
    static void await(final long dueNs)
    {
        for (long waitNs = dueNs - System.nanoTime(); waitNs > 0; waitNs = dueNs - System.nanoTime())
        {
            LockSupport.parkNanos(waitNs);
        }
    }
}
