// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.handler.PolledSocket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;

import io.netty.channel.ChannelException;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import org.agrona.BufferUtil;

/**
 * A socket of {@link EpollPoller}, level-triggered while there is interest.
 * <p>
 * Traps of netty 4.2.18: its finishConnect says true while the connection is still being made, hence the look at the
 * peer's address; its receive and send go on with the number of a closed socket, which may be another's by then, hence
 * our own state; an event of EPOLLIN and EPOLLOUT at once costs it 32 bytes.
 */
final class EpollSocket implements PolledSocket, EpollIoHandle
{
    private static final int NEW = 0;
    private static final int CONNECTING = 1;
    private static final int CONNECTED = 2;
    private static final int CLOSED = 3;

    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVLOWAT = 18;

    private static final int READ = 1;
    private static final int WRITE = 2;
    /**
     * No interest: EPOLLERR and EPOLLHUP come unasked, and edge-triggered they come once. Netty would take an empty set
     * for a removal and then fail to add the socket again.
     */
    private static final EpollIoOps PARKED = EpollIoOps.EPOLLET;
    /** By the bits of interest. */
    private static final EpollIoOps[] OPS =
    {
        PARKED, EpollIoOps.EPOLLIN, EpollIoOps.EPOLLOUT, EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT)
    };

    private final int requestedReceiveBufferLength;
    private final int requestedSendBufferLength;
    private int state = NEW;
    private int interest;
    private boolean isReady;
    private boolean isChangeNoted;
    private boolean isMarkRefused;
    private EpollIoOps submittedOps;
    private final EpollPoller poller;
    private Socket socket;
    private IoRegistration registration;

    EpollSocket(final EpollPoller poller, final int receiveBufferLength, final int sendBufferLength)
    {
        this.poller = poller;
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
        socket = newSocket();
        socket.setTcpNoDelay(true);
        if (requestedReceiveBufferLength > 0)
        {
            socket.setReceiveBufferSize(requestedReceiveBufferLength);
        }
        if (requestedSendBufferLength > 0)
        {
            socket.setSendBufferSize(requestedSendBufferLength);
        }
        state = socket.connect(address) ? CONNECTED : CONNECTING;
        // Not earlier: a socket that does not connect yet is in EPOLLHUP.
        registration = poller.register(this);
        noteChange();
        return CONNECTED == state;
    }

    private static Socket newSocket() throws SocketException
    {
        try
        {
            return Socket.newSocketStream();
        }
        catch (final ChannelException ex)
        {
            throw new SocketException("The system gave no socket: " + ex.getMessage());
        }
    }

    @Override
    public boolean finishConnect() throws IOException
    {
        if (CONNECTING == state && socket.finishConnect() && null != socket.remoteAddress())
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
        if (!buffer.hasRemaining())
        {
            return NOTHING;
        }
        final int length = socket.recvAddress(BufferUtil.address(buffer), buffer.position(), buffer.limit());
        moved(buffer, length);
        return length;
    }

    @Override
    public int send(final ByteBuffer buffer) throws IOException
    {
        checkConnected();
        if (!buffer.hasRemaining())
        {
            return NOTHING;
        }
        final int length = socket.sendAddress(BufferUtil.address(buffer), buffer.position(), buffer.limit());
        moved(buffer, length);
        return length;
    }

    private void moved(final ByteBuffer buffer, final int length)
    {
        if (length > 0)
        {
            buffer.position(buffer.position() + length);
        }
        else if (NOTHING == length)
        {
            isReady = false;
        }
    }

    @Override
    public void readInterest(final boolean on)
    {
        interest(on ? interest | READ : interest & ~READ);
    }

    @Override
    public void writeInterest(final boolean on)
    {
        interest(on ? interest | WRITE : interest & ~WRITE);
    }

    /** Who refuses the mark is left alone; a broken connection is told by the next receive. */
    @Override
    public void receiveLowWaterMark(final int length)
    {
        if (CONNECTED == state && !isMarkRefused)
        {
            try
            {
                socket.setIntOpt(SOL_SOCKET, SO_RCVLOWAT, length);
            }
            catch (final IOException ex)
            {
                isMarkRefused = true;
            }
        }
    }

    private void interest(final int newInterest)
    {
        if (newInterest != interest)
        {
            interest = newInterest;
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
        final EpollIoOps ops = CONNECTING == state ? EpollIoOps.EPOLLOUT : OPS[interest];
        if (ops != submittedOps && CLOSED != state)
        {
            registration.submit(ops);
            submittedOps = ops;
        }
    }

    /** Only marks: netty swallows an exception from here and sleeps a second. */
    @Override
    public void handle(final IoRegistration ioRegistration, final IoEvent event)
    {
        if (PARKED != submittedOps)
        {
            isReady = true;
            poller.onReady();
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

    @Override
    public FileDescriptor fd()
    {
        return socket;
    }

    @Override
    public int receiveBufferLength()
    {
        try
        {
            return CONNECTING == state || CONNECTED == state ? socket.getReceiveBufferSize() : 0;
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
        if (null != registration)
        {
            registration.cancel();
        }
        if (null != socket)
        {
            try
            {
                socket.close();
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
