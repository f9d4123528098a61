// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The one thread that may use a poller, and the wake-up that other threads leave for it.
 */
final class PollerOwner
{
    /** Set by any thread. Kept beside the transport's own wake-up, which a look without waiting swallows. */
    private final AtomicBoolean isWoken = new AtomicBoolean();
    /** Volatile because other threads wake it. */
    private volatile Thread thread;

    /** The first to come is the owner. */
    void check()
    {
        final Thread current = Thread.currentThread();
        if (current != thread)
        {
            if (null != thread)
            {
                throw new IllegalStateException("This poller is owned by " + thread + ", not by " + current + ".");
            }
            thread = current;
        }
    }

    Thread thread()
    {
        return thread;
    }

    /** @return false if a wake-up was there already: who left it sees to the rest. */
    boolean leaveWakeup()
    {
        return !isWoken.getAndSet(true);
    }

    void takeWakeup()
    {
        if (isWoken.get())
        {
            isWoken.getAndSet(false);
        }
    }

    /** Whether the owner's wait has to end, or must not begin. */
    boolean isCutShort()
    {
        return isWoken.get() || Thread.currentThread().isInterrupted();
    }
}
