// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.IdleStrategy;
import org.odradek.consumer.handler.Poller;

import java.util.concurrent.TimeUnit;

/**
 * Idles in a poller's wait, in the kernel. It uses no CPU time and ends as soon as data of any consumer that shares
 * the poller arrives, one of the consumers is woken, or the thread is interrupted, which is how Agrona's runners stop
 * it. It must be called on the thread that polls the consumers, and it allocates nothing.
 * <p>
 * Only sockets end the wait. A retry, a metadata refresh, a timeout and other agents of the thread wait for the end of
 * the idle time, so it should be short. A record that was refused (ABORT) waits, too: the code that makes room for it
 * can call {@link TopicConsumer#wakeup()}.
 */
public final class PollerIdleStrategy implements IdleStrategy
{
    /** The value of {@link #alias()}. */
    public static final String ALIAS = "poller";
    /** The longest idle time unless another one is given; a consumer checks its timers as often. */
    public static final long MAX_IDLE_NS_DEFAULT = TimeUnit.MILLISECONDS.toNanos(10);

    private final long maxIdleNs;
    private final Poller poller;

    /**
     * Idles for at most {@link #MAX_IDLE_NS_DEFAULT}.
     *
     * @param poller that the thread's consumers share; remains the caller's to close.
     */
    public PollerIdleStrategy(final Poller poller)
    {
        this(poller, MAX_IDLE_NS_DEFAULT);
    }

    /**
     * @param poller    that the thread's consumers share; remains the caller's to close.
     * @param maxIdleNs the longest idle time in nanoseconds, 1 or more.
     */
    public PollerIdleStrategy(final Poller poller, final long maxIdleNs)
    {
        if (maxIdleNs < 1)
        {
            throw new IllegalArgumentException("maxIdleNs is " + maxIdleNs + ": it must be 1 or more");
        }
        this.maxIdleNs = maxIdleNs;
        this.poller = poller;
    }

    @Override
    public void idle(final int workCount)
    {
        if (workCount <= 0)
        {
            poller.await(maxIdleNs);
        }
    }

    @Override
    public void idle()
    {
        poller.await(maxIdleNs);
    }

    @Override
    public void reset()
    {
    }

    @Override
    public String alias()
    {
        return ALIAS;
    }

    @Override
    public String toString()
    {
        return "PollerIdleStrategy{alias=" + ALIAS + ", maxIdleNs=" + maxIdleNs + "}";
    }
}
