// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * What must not outlive this JVM: one shutdown hook runs everything that was added and not removed, the latest first.
 * It has a time limit, so that an action that hangs cannot keep the JVM from exiting.
 */
final class AtExit
{
    private static final long TIME_LIMIT_MS = 30_000;
    private static final List<Runnable> ACTIONS = new ArrayList<>();

    static
    {
        Runtime.getRuntime().addShutdownHook(new Thread(AtExit::runWithinLimit, "testkit-at-exit"));
    }

    private AtExit()
    {
    }

    static void add(final Runnable action)
    {
        synchronized (ACTIONS)
        {
            ACTIONS.add(action);
        }
    }

    static void remove(final Runnable action)
    {
        synchronized (ACTIONS)
        {
            ACTIONS.remove(action);
        }
    }

    private static void runWithinLimit()
    {
        final Thread thread = Threads.daemon("testkit-clean-up", AtExit::runAll);
        try
        {
            thread.join(TIME_LIMIT_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static void runAll()
    {
        final List<Runnable> actions;
        synchronized (ACTIONS)
        {
            actions = new ArrayList<>(ACTIONS);
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
}
