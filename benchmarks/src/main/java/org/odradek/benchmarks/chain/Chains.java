// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.CloseHelper;

/**
 * All chains of one step: made before the step, closed after it, in the JVM of their arm. Their services run in threads
 * that do the same thing again and again; what one throws is the step's failure.
 */
abstract class Chains implements AutoCloseable
{
    /** Services of a chain; each increases the int of a message by one. */
    static final int SERVICES = 5;
    /** One before each service, and one behind the last. */
    static final int TOPICS = SERVICES + 1;
    /** An eighth of the time between two messages. */
    static final Duration ARTICLE_TIMEOUT = Duration.ofNanos(Messages.PERIOD_NS / 8);
    static final Duration STOCK_TIMEOUT = Duration.ofMillis(10);
    /** What the names of all threads of services begin with. */
    static final String THREAD_NAME = "chain";
    private static final long LOOK_MS = 1;

    private final List<Thread> threads = new ArrayList<>();
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final AtomicInteger openCount = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean isStopped;

    /** What one thread does. */
    interface Service
    {
        /** Once, on the thread: returns when messages can come. */
        default void open()
        {
        }

        /** One duty cycle, which returns soon. */
        void turn();
    }

    /**
     * Writes a message into the first topic of a chain. Called by one thread.
     *
     * @param chain 0 to the number of chains - 1.
     * @param dueNs which is the message's long.
     */
    abstract void send(int chain, long dueNs);

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
     */
    final void start(final String name, final Service service)
    {
        final Thread thread = new Thread(() -> run(service), THREAD_NAME + name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void run(final Service service)
    {
        try
        {
            service.open();
            openCount.incrementAndGet();
            while (!isStopped)
            {
                service.turn();
            }
        }
        catch (final RuntimeException ex)
        {
            fail(ex);
        }
    }

    /** From any thread; the first one counts. */
    final void fail(final Throwable cause)
    {
        failure.compareAndSet(null, cause);
    }

    /**
     * @throws IllegalStateException if the step has failed.
     */
    final void throwFailure()
    {
        final Throwable cause = failure.get();
        if (cause != null)
        {
            throw new IllegalStateException(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
        }
    }

    /**
     * Returns when all services are open.
     *
     * @throws IllegalStateException if one has failed.
     */
    final void awaitOpen() throws InterruptedException
    {
        while (openCount.get() < threads.size())
        {
            throwFailure();
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
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
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException("Interrupted while services ended.", ex);
        }
        CloseHelper.closeAll(parts);
    }
}
