// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.ClientListener;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.PollerUser;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.core.Releases;
import org.odradek.client.security.TlsSettings;

/** Opens sockets that use TLS over the sockets of another poller, which other clients may share. */
public final class TlsPoller implements Poller
{
    /** The direct memory that TLS needs for one connection, in bytes. */
    public static final int LENGTH_PER_SOCKET = TlsSocket.LENGTH;

    private final Poller poller;
    private final TlsEngines engines;
    private final MemoryBudget budget;
    private final CounterWriter counters;

    /** @param engines engines for the sockets, which this poller does not close. */
    public TlsPoller(
        final Poller poller, final TlsEngines engines, final MemoryBudget budget, final CounterWriter counters)
    {
        this.poller = poller;
        this.engines = engines;
        this.budget = budget;
        this.counters = counters;
    }

    /**
     * Returns a poller whose sockets use TLS, or {@code poller} if {@code tls} is null. The engines are closed with the
     * other resources in {@code releases}.
     */
    public static Poller over(
        final Poller poller,
        final TlsSettings tls,
        final MemoryBudget budget,
        final CounterWriter counters,
        final ClientListener listener,
        final Releases releases)
    {
        if (tls == null)
        {
            return poller;
        }
        final TlsEngines engines = new TlsEngines(tls, counters, listener);
        releases.push(engines::close);
        return new TlsPoller(poller, engines, budget, counters);
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return openSocket(receiveBufferLength, sendBufferLength, null);
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
    {
        return new TlsSocket(
            poller.openSocket(receiveBufferLength, sendBufferLength, user), engines, budget, counters);
    }

    @Override
    public int await(final long timeoutNs)
    {
        return poller.await(timeoutNs);
    }

    @Override
    public int await(final long timeoutNs, final PollerUser user, final boolean isAlone)
    {
        return poller.await(timeoutNs, user, isAlone);
    }

    @Override
    public void keepOthersAlive(final PollerUser user)
    {
        poller.keepOthersAlive(user);
    }

    @Override
    public void wakeup()
    {
        poller.wakeup();
    }

    @Override
    public String description()
    {
        return poller.description() + ", " + engines.description();
    }

    @Override
    public void close()
    {
        poller.close();
    }
}
