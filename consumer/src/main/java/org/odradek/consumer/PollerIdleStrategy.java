// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.IdleStrategy;
import org.odradek.consumer.handler.Poller;

import java.util.concurrent.TimeUnit;

/**
 * Idles inside the poller, in the kernel: uses no CPU, and ends as soon as data of any consumer that shares the poller
 * arrives, one of them is woken, or the thread is interrupted, as Agrona's runners do to stop it. It must be called on
 * the thread that polls those consumers, and makes nothing.
 * <p>
 * It knows sockets only. What becomes due by time (a retry, a refresh of the metadata, a timeout) waits until the idle
 * time is over, so that time is short. So is what other agents of the thread have to do, and a record that was refused
 * (ABORT): who frees the room may call {@link TopicConsumer#wakeup()}. And so is a fetch that is held back: with
 * {@link ConsumerContext#fetchMinIntervalUs} idle no longer than that.
 */
public final class PollerIdleStrategy implements IdleStrategy
{
    /**
     * What {@link #alias()} says.
     */
    public static final String ALIAS = "poller";
    /**
     * Idle so long at most unless told otherwise: as often as a consumer looks at what only time changes.
     */
    public static final long MAX_IDLE_NS_DEFAULT = TimeUnit.MILLISECONDS.toNanos(10);

    private final long maxIdleNs;
    private final Poller poller;

    /**
     * With {@link #MAX_IDLE_NS_DEFAULT}.
     *
     * @param poller that the thread's consumers share; remains the caller's to close.
     */
    public PollerIdleStrategy(final Poller poller)
    {
        this(poller, MAX_IDLE_NS_DEFAULT);
    }

    /**
     * @param poller    that the thread's consumers share; remains the caller's to close.
     * @param maxIdleNs idle so long at most, in nanoseconds, 1 or more.
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
