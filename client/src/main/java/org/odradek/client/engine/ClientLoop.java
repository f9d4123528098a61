// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.engine;

import org.odradek.client.Poller;
import org.odradek.client.core.DutyClock;

/** Waits for the sockets of a client, and decides whether a duty cycle reads each of them. */
public final class ClientLoop
{
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
     * Asks the poller which sockets are ready, unless there are few connections and the poller was asked less than
     * {@link DutyClock#INTERVAL_NS} ago.
     *
     * @return true if each socket must be read, even if the poller has not reported it as ready.
     */
    public boolean chooseSockets(final int connectionCount, final boolean isPollingSockets)
    {
        final boolean areFew = connectionCount <= MAX_READ_DIRECTLY;
        // An idle connection is not read, so only the poller reports that the broker has closed it.
        if (!areFew || nextSelectNs - clock.nowNs() <= 0)
        {
            poller.await(0, clock, false);
            nextSelectNs = clock.nowNs() + DutyClock.INTERVAL_NS;
            return isPollingSockets && areFew;
        }
        return isPollingSockets;
    }

    /**
     * @param waitNs  longest wait in nanoseconds; with 0 or less the call does not wait.
     * @param isAlone true if other clients on the same poller do not end the wait.
     */
    public int await(final long waitNs, final boolean isAlone)
    {
        final int ready = poller.await(waitNs, clock, isAlone);
        nextSelectNs = clock.endWait(waitNs, ready) + DutyClock.INTERVAL_NS;
        return ready;
    }

    /**
     * Returns the nanoseconds until the earlier of two times, at least 1.
     *
     * @param nowNs the present time; callbacks may have taken long since the clock was updated.
     */
    public static long untilEarlierNs(final long aNs, final long bNs, final long nowNs)
    {
        return Math.max(1, Math.min(aNs - nowNs, bNs - nowNs));
    }
}
