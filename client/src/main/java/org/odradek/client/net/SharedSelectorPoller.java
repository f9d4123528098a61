// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.PolledSocket;
import org.odradek.client.PollerUser;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * Reports every socket with interest as ready, without waiting. Another thread waits with a selector that several such
 * pollers may share.
 */
public final class SharedSelectorPoller extends NioPoller
{
    private final List<NioSocket> sockets = new ArrayList<>();
    private final Selector selector;
    private final Object attachment;

    /**
     * @param selector   selector of the other thread; it must stay open as long as this poller, which does not close
     *                   it.
     * @param attachment attachment of the selection keys of this poller's sockets.
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
     * Passes the interest of all sockets to the selector. The other thread must set the interest of each ready key to 0
     * ({@link SelectionKey#interestOps(int)}); otherwise its next wait would end at once.
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

    /** Wakes the other thread, so that its selector frees the file descriptor. */
    @Override
    void onClosed(final NioSocket socket)
    {
        sockets.remove(socket);
        selector.wakeup();
    }

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
