// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * All chains of one step, ready to carry messages: made before the step, closed after it, in the JVM of their arm.
 * Their services run in threads that do the same thing again and again; what one throws is the step's failure.
 */
abstract class Chains implements AutoCloseable
{
    /** Services of a chain; each increases the int of a message by one. */
    static final int SERVICES = 5;
    /** One before each service, and one behind the last. */
    static final int TOPICS = SERVICES + 1;
    /** An eighth of the time between two messages. */
    static final Duration ARTICLE_TIMEOUT = Duration.ofNanos(ChainSchedule.PERIOD_NS / 8);
    static final Duration STOCK_TIMEOUT = Duration.ofMillis(10);
    /** What the names of all threads of services begin with. */
    static final String THREAD_NAME = "chain";
    private static final long LOOK_MS = 100;

    private final List<Thread> threads = new ArrayList<>();
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final Arrivals arrivals;
    private volatile boolean isStopped;

    Chains(final Arrivals arrivals)
    {
        this.arrivals = arrivals;
    }

    /**
     * Writes a message into the first topic of a chain. Called by one thread.
     *
     * @param chain      0 to the number of chains - 1.
     * @param intendedNs when the schedule wants it sent, which is the message's long.
     */
    abstract void send(int chain, long intendedNs);

    /**
     * @param part that is closed after all threads have ended, in the order of these calls.
     */
    final <T extends AutoCloseable> T closing(final T part)
    {
        parts.add(part);
        return part;
    }

    /**
     * @param name of the thread, after {@link #THREAD_NAME}.
     * @param turn one duty cycle, which returns soon.
     */
    final void start(final String name, final Runnable turn)
    {
        final Thread thread = new Thread(() -> run(turn), THREAD_NAME + name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
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

    /**
     * @throws IllegalStateException if the step has failed meanwhile, or the thread was interrupted.
     */
    final void await(final CountDownLatch ready)
    {
        try
        {
            while (!ready.await(LOOK_MS, TimeUnit.MILLISECONDS))
            {
                arrivals.throwFailure();
            }
        }
        catch (final InterruptedException ex)
        {
            throw interrupted(ex);
        }
    }

    /** Ends all services; what is still on its way is lost. */
    @Override
    public final void close()
    {
        isStopped = true;
        try
        {
            for (final Thread thread : threads)
            {
                thread.join();
            }
            for (final AutoCloseable part : parts)
            {
                part.close();
            }
        }
        catch (final InterruptedException ex)
        {
            throw interrupted(ex);
        }
        catch (final Exception ex)
        {
            throw new IllegalStateException("A step could not be closed: " + ex.getMessage(), ex);
        }
    }

    private static IllegalStateException interrupted(final InterruptedException ex)
    {
        Thread.currentThread().interrupt();
        return new IllegalStateException("Interrupted while services began or ended.", ex);
    }
}
