// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The signal of Ctrl-C or SIGTERM. It asks the command to stop, and delays the exit of the JVM until the command has
 * ended.
 */
public final class StopSignal implements AutoCloseable
{
    private static final long DONE_TIMEOUT_SECONDS = 10;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;
    /** Set by the shutdown hook, read by the command. */
    private volatile boolean isStopped;
    /** Set by the command, read by the shutdown hook. */
    private volatile Runnable wakeup;

    public StopSignal()
    {
        hook = new Thread(this::stop, "stop-signal");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * @param newWakeup ends a wait of the command; called on another thread after {@link #isStopped()} has become true.
     */
    public void onStop(final Runnable newWakeup)
    {
        wakeup = newWakeup;
        if (isStopped)
        {
            newWakeup.run();
        }
    }

    private void stop()
    {
        isStopped = true;
        final Runnable waiting = wakeup;
        if (waiting != null)
        {
            waiting.run();
        }
        try
        {
            done.await(DONE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    public boolean isStopped()
    {
        return isStopped;
    }

    /** Lets the JVM exit: the command has written all its output and closed its consumer. */
    @Override
    public void close()
    {
        done.countDown();
        if (!isStopped)
        {
            try
            {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
            catch (final IllegalStateException ex)
            {
                // The JVM has just started to exit; the hook finds the latch open.
                return;
            }
        }
    }
}
