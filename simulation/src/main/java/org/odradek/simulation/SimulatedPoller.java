// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.PollerUser;

import java.util.ArrayList;
import java.util.List;

/**
 * Waits in simulated time: runs the events of the world until a socket is ready, a wake-up, or the end of the wait.
 * Level-triggered, as epoll and selectors are.
 */
final class SimulatedPoller implements Poller
{
    /** The least time that a wait takes: no loop can run for ever without time passing. */
    static final long CALL_NS = 1_000;
    /** The longest time that the system takes to run the thread again. */
    static final long MAX_WAKE_UP_NS = 80_000;

    private final SimulatedCluster world;
    private final Draw draw;
    private final List<SimulatedSocket> sockets = new ArrayList<>();
    private boolean isChanged;
    /** Also set by threads that close a consumer. */
    private volatile boolean isWoken;
    private boolean isInterruptDue;

    SimulatedPoller(final SimulatedCluster world)
    {
        this.world = world;
        draw = new Draw(world.scenario.seed, "poller");
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return openSocket(receiveBufferLength, sendBufferLength, null);
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
    {
        final SimulatedSocket socket = new SimulatedSocket(world.network, this, user);
        sockets.add(socket);
        return socket;
    }

    @Override
    public int await(final long timeoutNs)
    {
        return await(timeoutNs, null, false);
    }

    @Override
    public int await(final long timeoutNs, final PollerUser user, final boolean isAlone)
    {
        final SimulatedClock clock = world.clock;
        world.beforeAwait();
        final long startNs = clock.nowNs();
        clock.spend(CALL_NS);
        final long deadlineNs = startNs + Math.max(0, timeoutNs);
        int ready = checkReady(user, isAlone);
        while (ready == 0 && !isWoken && !isInterrupted() && clock.nowNs() < deadlineNs)
        {
            isChanged = false;
            world.pass(this, deadlineNs);
            if (isChanged)
            {
                ready = checkReady(user, isAlone);
            }
        }
        isWoken = false;
        if (clock.nowNs() > startNs + CALL_NS)
        {
            clock.spend(draw.between(CALL_NS, MAX_WAKE_UP_NS));
        }
        world.onAwait(startNs, timeoutNs, ready);
        return ready;
    }

    /** A wait ends on an interrupted thread, and leaves the flag set. */
    private boolean isInterrupted()
    {
        if (isInterruptDue)
        {
            isInterruptDue = false;
            Thread.currentThread().interrupt();
        }
        return Thread.currentThread().isInterrupted();
    }

    /** Interrupts the thread that waits, or else the next wait. */
    void interrupt()
    {
        isInterruptDue = true;
        isChanged = true;
    }

    private int checkReady(final PollerUser user, final boolean isAlone)
    {
        int ready = 0;
        int others = 0;
        for (int i = 0; i < sockets.size(); i++)
        {
            final int count = sockets.get(i).checkReady() ? 1 : 0;
            final boolean isOwn = user == null || sockets.get(i).user() == user;
            ready += isOwn ? count : 0;
            others += isOwn ? 0 : count;
        }
        return ready == 0 && others > 0 && !isAlone ? OTHERS : ready;
    }

    /** Returns whether a whole response waits on a socket that is read and is not reported. */
    boolean isAnyOverlooked()
    {
        for (int i = 0; i < sockets.size(); i++)
        {
            if (sockets.get(i).isOverlooked())
            {
                return true;
            }
        }
        return false;
    }

    boolean isChanged()
    {
        return isChanged;
    }

    /** Has the sockets checked, because the state of a connection has changed. */
    void onChange()
    {
        isChanged = true;
    }

    /** The connections of all sockets lose every byte from now on, and nobody is notified. */
    void loseAll()
    {
        sockets.forEach(SimulatedSocket::lose);
    }

    void remove(final SimulatedSocket socket)
    {
        sockets.remove(socket);
    }

    /** Sockets that are open. */
    int socketCount()
    {
        return sockets.size();
    }

    @Override
    public void wakeup()
    {
        isWoken = true;
    }

    @Override
    public String description()
    {
        return "simulated";
    }

    @Override
    public void close()
    {
        while (!sockets.isEmpty())
        {
            sockets.get(sockets.size() - 1).close();
        }
    }
}
