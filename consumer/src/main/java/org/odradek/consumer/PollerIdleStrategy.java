// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.IdleStrategy;
import org.odradek.client.Poller;

import java.util.concurrent.TimeUnit;

/** Idles in a wait of a poller, as {@link ConsumerAgent#idleStrategy(Poller, long)} describes. */
final class PollerIdleStrategy implements IdleStrategy
{
    static final long MAX_IDLE_NS_DEFAULT = TimeUnit.MILLISECONDS.toNanos(10);

    private static final String ALIAS = "poller";

    private final long maxIdleNs;
    private final Poller poller;

    PollerIdleStrategy(final Poller poller, final long maxIdleNs)
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
