// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, or a TERM signal: the work is told to stop, and the JVM waits until it has said its last word.
 */
public final class StopSignal
{
    private static final long LAST_WORD_SECONDS = 10;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;
    private volatile boolean isStopped; // set by the JVM's own thread

    /**
     * @param wakeup ends a wait of the work; called on another thread, after {@link #isStopped()} has become true.
     */
    public StopSignal(final Runnable wakeup)
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
            done.await(LAST_WORD_SECONDS, TimeUnit.SECONDS);
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

    /**
     * The work has ended, and all is written.
     */
    public void done()
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
                // The JVM has just begun to go; the hook finds the latch open.
                return;
            }
        }
    }
}
