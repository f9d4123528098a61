// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.handler.PolledSocket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;

/**
 * A socket of {@link NioPoller}. The selector lets go of a closed one, and of its file descriptor, in its next wait.
 */
final class NioSocket implements PolledSocket
{
    private static final int NEW = 0;
    private static final int CONNECTING = 1;
    private static final int CONNECTED = 2;
    private static final int CLOSED = 3;

    private final int requestedReceiveBufferLength;
    private final int requestedSendBufferLength;
    private int interestOps;
    private int submittedOps;
    private int state = NEW;
    private boolean isReady;
    private boolean isChangeNoted;
    private final NioPoller poller;
    private final Selector selector;
    private SocketChannel channel;
    private SelectionKey key;

    NioSocket(
        final NioPoller poller, final Selector selector, final int receiveBufferLength, final int sendBufferLength)
    {
        this.poller = poller;
        this.selector = selector;
        requestedReceiveBufferLength = receiveBufferLength;
        requestedSendBufferLength = sendBufferLength;
    }

    @Override
    public boolean connect(final InetSocketAddress address) throws IOException
    {
        if (NEW != state)
        {
            throw new IllegalStateException("This socket has been connected or closed before.");
        }
        if (address.isUnresolved())
        {
            throw new UnknownHostException(address.getHostString());
        }
        channel = SocketChannel.open();
        try
        {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (requestedReceiveBufferLength > 0)
            {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, requestedReceiveBufferLength);
            }
            if (requestedSendBufferLength > 0)
            {
                channel.setOption(StandardSocketOptions.SO_SNDBUF, requestedSendBufferLength);
            }
            state = channel.connect(address) ? CONNECTED : CONNECTING;
        }
        catch (final UnsupportedAddressTypeException ex)
        {
            throw new ConnectException("This system does not speak the protocol of " + address);
        }
        submittedOps = CONNECTING == state ? SelectionKey.OP_CONNECT : interestOps;
        key = channel.register(selector, submittedOps, this);
        return CONNECTED == state;
    }

    @Override
    public boolean finishConnect() throws IOException
    {
        if (CONNECTING == state && channel.finishConnect())
        {
            state = CONNECTED;
            noteChange();
        }
        if (CONNECTING != state)
        {
            checkConnected();
            return true;
        }
        isReady = false;
        return false;
    }

    @Override
    public int receive(final ByteBuffer buffer) throws IOException
    {
        checkConnected();
        final int length = channel.read(buffer);
        if (NOTHING == length && buffer.hasRemaining())
        {
            isReady = false;
        }
        return length;
    }

    @Override
    public int send(final ByteBuffer buffer) throws IOException
    {
        checkConnected();
        final int length = channel.write(buffer);
        if (NOTHING == length && buffer.hasRemaining())
        {
            isReady = false;
        }
        return length;
    }

    @Override
    public void readInterest(final boolean on)
    {
        interest(on ? interestOps | SelectionKey.OP_READ : interestOps & ~SelectionKey.OP_READ);
    }

    @Override
    public void writeInterest(final boolean on)
    {
        interest(on ? interestOps | SelectionKey.OP_WRITE : interestOps & ~SelectionKey.OP_WRITE);
    }

    private void interest(final int ops)
    {
        if (ops != interestOps)
        {
            interestOps = ops;
            if (CONNECTED == state)
            {
                noteChange();
            }
        }
    }

    private void noteChange()
    {
        if (!isChangeNoted)
        {
            isChangeNoted = true;
            poller.interestChanged(this);
        }
    }

    void submitInterest()
    {
        isChangeNoted = false;
        if (CONNECTED == state && interestOps != submittedOps)
        {
            key.interestOps(interestOps);
            submittedOps = interestOps;
        }
    }

    @Override
    public boolean isReady()
    {
        return isReady;
    }

    @Override
    public void clearReady()
    {
        isReady = false;
    }

    void markReady()
    {
        isReady = true;
    }

    @Override
    public int receiveBufferLength()
    {
        try
        {
            return CONNECTING == state || CONNECTED == state ? channel.getOption(StandardSocketOptions.SO_RCVBUF) : 0;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("The system did not tell the receive buffer's length.", ex);
        }
    }

    @Override
    public void close()
    {
        isReady = false;
        state = CLOSED;
        if (null != channel)
        {
            try
            {
                channel.close();
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException("The socket failed to close: " + ex.getMessage(), ex);
            }
        }
    }

    private void checkConnected() throws ClosedChannelException
    {
        if (CONNECTED != state)
        {
            if (CLOSED == state)
            {
                throw new ClosedChannelException();
            }
            throw new NotYetConnectedException();
        }
    }
}
