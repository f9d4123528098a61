// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * Cleans up when this JVM exits. One shutdown hook with a time limit of 30 seconds runs all actions that were added and
 * not removed, the latest first. When only daemon threads and threads of embedded brokers are left, a watching thread
 * closes all brokers, so that the JVM can exit.
 */
public final class JvmExit
{
    private static final long TIME_LIMIT_MS = 30_000;
    private static final long WATCH_INTERVAL_MS = 500;
    /** The name of the thread in which the JVM waits for the other threads after main has returned. */
    private static final String MAIN_HAS_RETURNED = "DestroyJavaVM";
    private static final ThreadGroup BROKER_THREADS = new ThreadGroup("embedded-brokers");
    private static final List<Runnable> ACTIONS = new ArrayList<>();
    private static final List<Runnable> BROKERS = new ArrayList<>();
    private static Thread hook;
    private static Thread watch;

    private JvmExit()
    {
    }

    public static Thread daemon(final String name, final Runnable task)
    {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static synchronized void add(final Runnable action)
    {
        if (hook == null)
        {
            hook = new Thread(JvmExit::runWithinLimit, "testkit-at-exit");
            Runtime.getRuntime().addShutdownHook(hook);
        }
        ACTIONS.add(action);
    }

    public static synchronized void remove(final Runnable action)
    {
        ACTIONS.remove(action);
    }

    public static synchronized void addBroker(final Runnable close)
    {
        BROKERS.add(close);
        if (watch == null)
        {
            watch = daemon("testkit-exit-watch", JvmExit::watch);
        }
    }

    public static synchronized void removeBroker(final Runnable close)
    {
        BROKERS.remove(close);
    }

    /**
     * Runs the task on a new thread of the brokers' thread group, and waits for the end of the task even if this thread
     * is interrupted.
     *
     * @throws IllegalStateException if the task fails, or this thread was interrupted.
     */
    public static void runInBrokerGroup(final Runnable task)
    {
        final Throwable[] failure = new Throwable[1];
        final Thread thread = new Thread(BROKER_THREADS, task, "testkit-broker-starter");
        thread.setUncaughtExceptionHandler((ended, cause) -> failure[0] = cause);
        thread.start();
        boolean isInterrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }
        }
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a broker started.", failure[0]);
        }
        if (failure[0] != null)
        {
            throw new IllegalStateException("The broker did not start: " + failure[0].getMessage(), failure[0]);
        }
    }

    private static void runWithinLimit()
    {
        final Thread thread = daemon("testkit-clean-up", () -> runAll(ACTIONS));
        try
        {
            thread.join(TIME_LIMIT_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static void runAll(final List<Runnable> added)
    {
        final List<Runnable> actions;
        synchronized (JvmExit.class)
        {
            actions = new ArrayList<>(added);
        }
        for (int i = actions.size() - 1; i >= 0; i--)
        {
            try
            {
                actions.get(i).run();
            }
            catch (final RuntimeException ex)
            {
                System.err.println("testkit: " + ex);
            }
        }
    }

    private static void watch()
    {
        try
        {
            while (!onlyBrokersAreLeft())
            {
                Thread.sleep(WATCH_INTERVAL_MS);
            }
        }
        catch (final InterruptedException ex)
        {
            return;
        }
        runAll(BROKERS);
    }

    private static boolean onlyBrokersAreLeft()
    {
        ThreadGroup root = BROKER_THREADS;
        while (root.getParent() != null)
        {
            root = root.getParent();
        }
        // The array has room for threads that start meanwhile. If the array is full, some threads may be missing.
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
