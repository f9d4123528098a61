// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.PolledSocket;
import org.odradek.client.PollerUser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Waits with the JDK's selector, which waits for whole milliseconds only. A wait of 10 ms or more is rounded up to
 * whole milliseconds. The remaining fraction of a millisecond of a shorter wait is spent in short parks, and the
 * selector is polled before each park.
 */
class NioPoller extends TransportPoller
{
    private static final long NS_PER_MS = 1_000_000;
    private static final long PARK_NS = 50_000;
    private static final long LEAST_COARSE_NS = 10 * NS_PER_MS;
    /** The action that is passed to the selector, because an iterator over its selected keys would allocate. */
    private static final Consumer<SelectionKey> SET_READY = (key) -> ((NioSocket) key.attachment()).onReady();

    private final Selector selector;

    NioPoller(final String description)
    {
        this(description, openSelector());
    }

    NioPoller(final String description, final Selector selector)
    {
        super(description);
        this.selector = selector;
    }

    /**
     * Opens a selector, and makes its first wait, the first park and the first conversion of a time, in which the JDK
     * allocates. A selector converts a time when a signal, such as that of a profiler, interrupts its wait.
     */
    private static Selector openSelector()
    {
        try
        {
            final Selector opened = Selector.open();
            opened.wakeup();
            opened.select(SET_READY, 1);
            LockSupport.parkNanos(0);
            TimeUnit.MILLISECONDS.convert(0, TimeUnit.NANOSECONDS);
            return opened;
        }
        catch (final IOException ex)
        {
            throw selectorFailed(ex);
        }
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
    {
        checkOwner();
        return new NioSocket(receiveBufferLength, sendBufferLength, user);
    }

    @Override
    int select(final long timeoutNs)
    {
        try
        {
            return timeoutNs <= 0 ? selector.selectNow(SET_READY) : selectFor(timeoutNs);
        }
        catch (final IOException ex)
        {
            throw selectorFailed(ex);
        }
    }

    private int selectFor(final long timeoutNs) throws IOException
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        long remainingNs = timeoutNs;
        while (remainingNs >= NS_PER_MS)
        {
            final long waitMs = timeoutNs >= LEAST_COARSE_NS ?
                (remainingNs - 1) / NS_PER_MS + 1 : remainingNs / NS_PER_MS;
            final int readyCount = selector.select(SET_READY, waitMs);
            if (readyCount > 0 || isWaitCancelled())
            {
                return readyCount;
            }
            remainingNs = deadlineNs - System.nanoTime();
        }
        return remainingNs > 0 ? parkFor(deadlineNs) : 0;
    }

    private int parkFor(final long deadlineNs) throws IOException
    {
        long remainingNs = deadlineNs - System.nanoTime();
        while (remainingNs > 0)
        {
            final int readyCount = selector.selectNow(SET_READY);
            if (readyCount > 0 || isWaitCancelled())
            {
                return readyCount;
            }
            LockSupport.parkNanos(this, Math.min(remainingNs, PARK_NS));
            remainingNs = deadlineNs - System.nanoTime();
        }
        return selector.selectNow(SET_READY);
    }

    @Override
    void wakeSelect()
    {
        selector.wakeup();
        LockSupport.unpark(owner);
    }

    @Override
    void closeSelect()
    {
        try (selector)
        {
            for (final SelectionKey key : selector.keys())
            {
                ((NioSocket) key.attachment()).closeNow();
            }
        }
        catch (final IOException ex)
        {
            throw selectorFailed(ex);
        }
    }

    Object attachment(final NioSocket socket)
    {
        return socket;
    }

    void onClosed(final NioSocket socket)
    {
    }

    private static UncheckedIOException selectorFailed(final IOException ex)
    {
        return new UncheckedIOException("The JDK's selector failed: " + ex.getMessage(), ex);
    }

    /** After a close, the selector frees the file descriptor in its next wait. */
    final class NioSocket extends TransportSocket
    {
        private SocketChannel channel;
        private SelectionKey key;

        NioSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
        {
            super(receiveBufferLength, sendBufferLength, user);
        }

        @Override
        boolean beginConnect(final InetSocketAddress address) throws IOException
        {
            channel = SocketChannel.open();
            try
            {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
                if (requestedReceiveBufferLength > 0)
                {
                    channel.setOption(StandardSocketOptions.SO_RCVBUF, requestedReceiveBufferLength);
                }
                if (requestedSendBufferLength > 0)
                {
                    channel.setOption(StandardSocketOptions.SO_SNDBUF, requestedSendBufferLength);
                }
                final boolean isConnected = channel.connect(address);
                key = channel.register(selector, 0, attachment(this));
                return isConnected;
            }
            catch (final UnsupportedAddressTypeException ex)
            {
                throw new ConnectException("This system does not support the protocol of " + address);
            }
        }

        @Override
        boolean endConnect() throws IOException
        {
            return channel.finishConnect();
        }

        @Override
        int read(final ByteBuffer buffer) throws IOException
        {
            return channel.read(buffer);
        }

        @Override
        int write(final ByteBuffer buffer) throws IOException
        {
            return channel.write(buffer);
        }

        @Override
        void shutdownSystemOutput() throws IOException
        {
            channel.shutdownOutput();
        }

        @Override
        void submitInterest(final int newInterest)
        {
            final int writeOp = state == CONNECTING ? SelectionKey.OP_CONNECT : SelectionKey.OP_WRITE;
            final int ops = ((newInterest & READ) != 0 ? SelectionKey.OP_READ : 0) |
                ((newInterest & WRITE) != 0 ? writeOp : 0);
            if (ops != key.interestOps())
            {
                key.interestOps(ops);
            }
        }

        @Override
        int systemReceiveBufferLength() throws IOException
        {
            return channel.getOption(StandardSocketOptions.SO_RCVBUF);
        }

        @Override
        void closeSystemSocket() throws IOException
        {
            if (channel != null)
            {
                channel.close();
            }
            onClosed(this);
        }
    }
}
