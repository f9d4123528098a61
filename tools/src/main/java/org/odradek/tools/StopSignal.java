// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The signal of Ctrl-C or SIGTERM. It asks the command to stop, and delays the exit of the JVM until the command has
 * ended.
 */
final class StopSignal
{
    private static final long DONE_TIMEOUT_SECONDS = 10;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;
    private volatile boolean isStopped; // set by the shutdown hook, read by the command

    /**
     * @param wakeup ends a wait of the command; called on another thread after {@link #isStopped()} has become true.
     */
    StopSignal(final Runnable wakeup)
    {
        hook = new Thread(() -> stop(wakeup), "stop-signal");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void stop(final Runnable wakeup)
    {
        isStopped = true;
        wakeup.run();
        try
        {
            done.await(DONE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    boolean isStopped()
    {
        return isStopped;
    }

    /** Must be called when the command has ended and written all its output. */
    void done()
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
