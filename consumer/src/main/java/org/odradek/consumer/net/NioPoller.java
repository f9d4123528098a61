// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.handler.Poller;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The poller over the JDK's selector. A selector waits whole milliseconds only, so the rest of a wait is spent in short
 * parks with a look between them.
 */
final class NioPoller implements Poller
{
    private static final long NS_PER_MS = 1_000_000;
    /** A park lasts some 55 us longer than asked, so shorter slices would mostly cost CPU. */
    private static final long SLICE_NS = 50_000;
    /** Handed to the selector: the iterator over its selected keys would allocate. */
    private static final Consumer<SelectionKey> MARKER = (key) -> ((NioSocket) key.attachment()).markReady();

    private int changedCount;
    private NioSocket[] changedSockets = new NioSocket[16];
    private final String description;
    private final Selector selector;
    private final PollerOwner owner = new PollerOwner();

    NioPoller(final String description)
    {
        this.description = description;
        try
        {
            selector = Selector.open();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("The system gave no selector: " + ex.getMessage(), ex);
        }
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        owner.check();
        return new NioSocket(this, selector, receiveBufferLength, sendBufferLength);
    }

    @Override
    public int await(final long timeoutNs)
    {
        owner.check();
        submitInterests();
        try
        {
            final int readyCount = timeoutNs <= 0 || owner.isCutShort() ?
                selector.selectNow(MARKER) : select(timeoutNs);
            owner.takeWakeup();
            return readyCount;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("The system failed to wait for sockets: " + ex.getMessage(), ex);
        }
    }

    @Override
    public long stepNs()
    {
        return NS_PER_MS;
    }

    private void submitInterests()
    {
        for (int i = 0; i < changedCount; i++)
        {
            changedSockets[i].submitInterest();
            changedSockets[i] = null;
        }
        changedCount = 0;
    }

    /** The selector queues each change until its next wait, even one that is taken back: so it hears of the last. */
    void interestChanged(final NioSocket socket)
    {
        if (changedCount == changedSockets.length)
        {
            changedSockets = Arrays.copyOf(changedSockets, 2 * changedCount);
        }
        changedSockets[changedCount++] = socket;
    }

    private int select(final long timeoutNs) throws IOException
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        long remainingNs = timeoutNs;
        do
        {
            final int readyCount = remainingNs >= NS_PER_MS ?
                selector.select(MARKER, remainingNs / NS_PER_MS) : selector.selectNow(MARKER);
            if (readyCount > 0 || owner.isCutShort())
            {
                return readyCount;
            }
            if (remainingNs < NS_PER_MS)
            {
                LockSupport.parkNanos(this, Math.min(remainingNs, SLICE_NS));
            }
            remainingNs = deadlineNs - System.nanoTime();
        }
        while (remainingNs > 0);

        return selector.selectNow(MARKER);
    }

    @Override
    public void wakeup()
    {
        if (owner.leaveWakeup())
        {
            selector.wakeup();
            LockSupport.unpark(owner.thread());
        }
    }

    @Override
    public String description()
    {
        return description;
    }

    @Override
    public void close()
    {
        try
        {
            if (selector.isOpen())
            {
                for (final SelectionKey key : selector.keys())
                {
                    ((NioSocket) key.attachment()).close();
                }
                selector.close();
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("The selector failed to close: " + ex.getMessage(), ex);
        }
    }
}
