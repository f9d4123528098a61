// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for threads of a step to be ready.
 */
final class Latches
{
    private static final long LOOK_MS = 100;

    private Latches()
    {
    }

    /**
     * @throws IllegalStateException if the step has failed meanwhile, or the thread was interrupted.
     */
    static void await(final CountDownLatch latch, final Arrivals arrivals)
    {
        try
        {
            while (!latch.await(LOOK_MS, TimeUnit.MILLISECONDS))
            {
                arrivals.throwFailure();
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the services began", ex);
        }
    }
}
