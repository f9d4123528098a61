// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.PolledSocket;
import org.odradek.client.PollerUser;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * A poller that never waits. Its sockets are registered with a selector, with which another thread waits for the
 * sockets of any number of these pollers. Instead of asking the system, a call of {@link #await(long)} reports every
 * socket with interest as ready: the consumer then reads it, which is cheaper than a system call that checks readiness.
 */
public final class SharedSelectorPoller extends NioPoller
{
    private final List<NioSocket> sockets = new ArrayList<>();
    private final Selector selector;
    private final Object attachment;

    /**
     * @param selector   of the other thread. It must outlive this poller, which does not close it.
     * @param attachment of the keys of all sockets, by which the other thread finds out whose socket is ready.
     */
    public SharedSelectorPoller(final Selector selector, final Object attachment)
    {
        super("nio", selector);
        this.selector = selector;
        this.attachment = attachment;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
    {
        checkOwner();
        final NioSocket socket = new NioSocket(receiveBufferLength, sendBufferLength, user);
        sockets.add(socket);
        return socket;
    }

    /**
     * Has the selector wait for what the sockets wait for. The other thread has to remove the interest of each key that
     * is ready ({@link SelectionKey#interestOps(int)}), or its next wait would end at once.
     */
    public void watch()
    {
        checkOwner();
        for (int i = 0; i < sockets.size(); i++)
        {
            sockets.get(i).onInterestChanged();
        }
        submitInterest();
    }

    @Override
    int select(final long timeoutNs)
    {
        int readyCount = 0;
        for (int i = 0; i < sockets.size(); i++)
        {
            if (sockets.get(i).hasInterest())
            {
                sockets.get(i).onReady();
                readyCount++;
            }
        }
        return readyCount;
    }

    @Override
    Object attachment(final NioSocket socket)
    {
        return attachment;
    }

    /** Wakes the other thread, whose selector then frees the file descriptor. */
    @Override
    void onClosed(final NioSocket socket)
    {
        sockets.remove(socket);
        selector.wakeup();
    }

    /** No call waits, so there is none to end. */
    @Override
    void wakeSelect()
    {
    }

    @Override
    void closeSelect()
    {
        while (!sockets.isEmpty())
        {
            sockets.get(sockets.size() - 1).closeNow();
        }
    }
}
