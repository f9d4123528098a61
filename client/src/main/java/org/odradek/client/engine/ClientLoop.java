// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.engine;

import org.odradek.client.Poller;
import org.odradek.client.core.DutyClock;

/** How a client waits for its sockets, and when it asks its poller which of them it reads. */
public final class ClientLoop
{
    /** With more connections than this, the poller is asked which sockets are ready before any is read. */
    private static final int MAX_READ_DIRECTLY = 4;

    private final DutyClock clock;
    private final Poller poller;
    private long nextSelectNs;

    public ClientLoop(final DutyClock clock, final Poller poller)
    {
        this.clock = clock;
        this.poller = poller;
        nextSelectNs = clock.nowNs();
    }

    /**
     * Asks the poller which sockets are ready, unless it was asked a moment ago and connections are few.
     *
     * @param connectionCount  of those that carry records.
     * @param isPollingSockets whether each socket is to be read, as far as this client is concerned.
     * @return true if each socket is read, whatever the poller has reported.
     */
    public boolean chooseSockets(final int connectionCount, final boolean isPollingSockets)
    {
        final boolean areFew = connectionCount <= MAX_READ_DIRECTLY;
        // Nothing reads an idle connection: that it was closed is known from the poller only.
        if (!areFew || nextSelectNs - clock.nowNs() <= 0)
        {
            poller.await(0, clock, false);
            nextSelectNs = clock.nowNs() + DutyClock.INTERVAL_NS;
            return isPollingSockets && areFew;
        }
        return isPollingSockets;
    }

    /**
     * Waits until a socket is ready or the time has passed, and reads the clock.
     *
     * @param waitNs  the longest wait in nanoseconds.
     * @param isAlone whether another client on the same poller that has something to do does not end the wait.
     * @return as {@link Poller#await} does.
     */
    public int await(final long waitNs, final boolean isAlone)
    {
        final int ready = poller.await(waitNs, clock, isAlone);
        nextSelectNs = clock.endWait(waitNs, ready) + DutyClock.INTERVAL_NS;
        return ready;
    }

    /** Returns the time until the earlier of two, at least 1 ns: a timeout may be as long as a long is. */
    public long untilEarlierNs(final long aNs, final long bNs)
    {
        return Math.max(1, Math.min(aNs - clock.nowNs(), bNs - clock.nowNs()));
    }
}
