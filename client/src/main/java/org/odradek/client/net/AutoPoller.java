// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.PollerUser;

/**
 * Uses epoll or, if the first thread that opens a socket or waits is a virtual thread, the JDK's selector. A wait of
 * epoll would block the carrier of the virtual thread.
 */
final class AutoPoller implements Poller
{
    private static final String NIO_DESCRIPTION = "nio: epoll would hold the carrier of a virtual thread";

    private boolean isChosen;
    private final Poller epoll;
    /** This field is volatile because other threads wake the poller. */
    private volatile Poller poller;

    AutoPoller(final Poller epoll)
    {
        this.epoll = epoll;
        poller = epoll;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return chosen().openSocket(receiveBufferLength, sendBufferLength);
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
    {
        return chosen().openSocket(receiveBufferLength, sendBufferLength, user);
    }

    @Override
    public int await(final long timeoutNs)
    {
        return chosen().await(timeoutNs);
    }

    @Override
    public int await(final long timeoutNs, final PollerUser user, final boolean isAlone)
    {
        return chosen().await(timeoutNs, user, isAlone);
    }

    private Poller chosen()
    {
        if (!isChosen)
        {
            choose();
        }
        return poller;
    }

    private void choose()
    {
        if (VirtualThreads.contain(Thread.currentThread()))
        {
            poller = new NioPoller(NIO_DESCRIPTION);
            // Another thread may have woken the epoll poller, or may be about to do so.
            poller.wakeup();
        }
        isChosen = true;
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
        return poller.description();
    }

    /**
     * Closes both pollers, because the epoll poller stays open even if it was not chosen: another thread may call its
     * wakeup().
     */
    @Override
    public void close()
    {
        isChosen = true;
        poller.close();
        epoll.close();
    }
}
