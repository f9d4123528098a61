// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.ArrayList;
import java.util.List;

/**
 * Threads that do the same thing again and again until they are told to stop. What one throws is the step's failure.
 */
final class ServiceThreads
{
    private final List<Thread> threads = new ArrayList<>();
    private final Arrivals arrivals;
    private volatile boolean isStopped;

    ServiceThreads(final Arrivals arrivals)
    {
        this.arrivals = arrivals;
    }

    /**
     * @param turn one duty cycle, which returns soon.
     */
    void start(final String name, final Runnable turn)
    {
        final Thread thread = new Thread(() -> run(turn), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** Returns when all threads have ended, so that what they used can be closed. */
    void stop()
    {
        isStopped = true;
        for (final Thread thread : threads)
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a service ended", ex);
            }
        }
    }

    private void run(final Runnable turn)
    {
        try
        {
            while (!isStopped)
            {
                turn.run();
            }
        }
        catch (final RuntimeException ex)
        {
            arrivals.onFailure(ex);
        }
    }
}
