// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * Lets a JVM exit although an embedded broker in it was not closed. A broker's threads are no daemons, so they would
 * keep the JVM for ever: when no other such thread is left, the brokers are closed.
 */
final class ExitWatch
{
    private static final long INTERVAL_MS = 500;
    private static final ThreadGroup BROKER_THREADS = new ThreadGroup("embedded-brokers");
    /** The name of the JVM's own thread that waits, once main has returned, for the others to end. */
    private static final String MAIN_HAS_RETURNED = "DestroyJavaVM";

    private static final List<EmbeddedBroker> BROKERS = new ArrayList<>();
    private static Thread watch;

    private ExitWatch()
    {
    }

    static synchronized void add(final EmbeddedBroker broker)
    {
        BROKERS.add(broker);
        if (watch == null)
        {
            watch = Threads.daemon("testkit-exit-watch", ExitWatch::watch);
        }
    }

    static synchronized void remove(final EmbeddedBroker broker)
    {
        BROKERS.remove(broker);
    }

    /**
     * Runs the task in a thread whose offspring can be told from all other threads, and passes on what it throws.
     */
    static void runInBrokerGroup(final Runnable task)
    {
        final Throwable[] failure = new Throwable[1];
        final Thread thread = new Thread(BROKER_THREADS, task, "testkit-broker-starter");
        thread.setUncaughtExceptionHandler((ended, cause) -> failure[0] = cause);
        thread.start();
        try
        {
            thread.join();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a broker started.", ex);
        }
        if (failure[0] != null)
        {
            throw new IllegalStateException("The broker did not start: " + failure[0].getMessage(), failure[0]);
        }
    }

    private static void watch()
    {
        try
        {
            while (!onlyBrokersAreLeft())
            {
                Thread.sleep(INTERVAL_MS);
            }
        }
        catch (final InterruptedException ex)
        {
            return;
        }
        final List<EmbeddedBroker> brokers;
        synchronized (ExitWatch.class)
        {
            brokers = new ArrayList<>(BROKERS);
        }
        for (final EmbeddedBroker broker : brokers)
        {
            broker.close();
        }
    }

    private static boolean onlyBrokersAreLeft()
    {
        ThreadGroup root = BROKER_THREADS;
        while (root.getParent() != null)
        {
            root = root.getParent();
        }
        // Room for threads that start meanwhile; a full array means that some were not seen.
        final Thread[] threads = new Thread[2 * root.activeCount() + 16];
        final int count = root.enumerate(threads);
        boolean mainHasReturned = false;
        for (int i = 0; i < count; i++)
        {
            final Thread thread = threads[i];
            if (MAIN_HAS_RETURNED.equals(thread.getName()))
            {
                mainHasReturned = true;
            }
            else if (!thread.isDaemon() && thread.isAlive() && !BROKER_THREADS.equals(thread.getThreadGroup()))
            {
                return false;
            }
        }
        return mainHasReturned && count < threads.length;
    }
}
