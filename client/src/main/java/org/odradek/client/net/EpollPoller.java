// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import io.netty.channel.ChannelException;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.netty.util.concurrent.ThreadAwareExecutor;
import org.agrona.BufferUtil;
import org.odradek.client.PolledSocket;
import org.odradek.client.PollerUser;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;

/**
 * Waits with netty's native epoll, by direct calls of netty's {@link EpollIoHandler}.
 * <p>
 * In netty 4.2.18 the handler loses a wake-up that arrives before it has announced its wait. After the announcement the
 * handler calls {@link #canBlock()}, which therefore reads this poller's own flag.
 */
final class EpollPoller extends TransportPoller implements IoHandlerContext, ThreadAwareExecutor
{
    private boolean isWaiting;
    private int readyCount;
    private long deadlineNs;
    private InterruptHook interruptHook;
    private final IoHandler handler;

    EpollPoller(final String description)
    {
        super(description);
        handler = EpollIoHandler.newFactory().newHandler(this);
        interruptHook = newInterruptHook();
    }

    /**
     * Returns a hook that was used once unless the thread is interrupted, because the JDK allocates memory at the first
     * use.
     */
    private InterruptHook newInterruptHook()
    {
        final InterruptHook hook = new InterruptHook();
        if (Thread.currentThread().isInterrupted())
        {
            return hook;
        }
        hook.enter();
        return hook.leave() ? hook : new InterruptHook();
    }

    /** @return null if epoll works here. */
    static Throwable unavailabilityCause()
    {
        return Epoll.unavailabilityCause();
    }

    @Override
    void checkMayOwn(final Thread thread)
    {
        if (VirtualThreads.contain(thread))
        {
            throw new IllegalStateException("The transport EPOLL would hold the carrier of a virtual thread in each " +
                "wait, so that other virtual threads do not run: set the transport AUTO or NIO, or use a platform " +
                "thread.");
        }
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
    {
        checkOwner();
        return new EpollSocket(receiveBufferLength, sendBufferLength, user);
    }

    @Override
    int select(final long timeoutNs)
    {
        readyCount = 0;
        if (timeoutNs <= 0)
        {
            handler.run(this);
        }
        else
        {
            selectFor(timeoutNs);
        }
        return readyCount;
    }

    private void selectFor(final long timeoutNs)
    {
        deadlineNs = System.nanoTime() + timeoutNs;
        isWaiting = true;
        interruptHook.enter();
        try
        {
            // The handler also returns because of its own events, such as a timer or a late wake-up.
            do
            {
                handler.run(this);
            }
            while (readyCount == 0 && !isWaitCancelled() && deadlineNs - System.nanoTime() > 0);
        }
        finally
        {
            isWaiting = false;
            if (!interruptHook.leave())
            {
                interruptHook = newInterruptHook();
            }
        }
    }

    @Override
    void wakeSelect()
    {
        handler.wakeup();
    }

    @Override
    void closeSelect()
    {
        handler.prepareToDestroy();
        handler.destroy();
    }

    @Override
    public boolean canBlock()
    {
        return isWaiting && !isWaitCancelled();
    }

    @Override
    public long delayNanos(final long nowNs)
    {
        return Math.max(1, deadlineNs - nowNs);
    }

    @Override
    public long deadlineNanos()
    {
        return deadlineNs;
    }

    @Override
    public boolean isExecutorThread(final Thread thread)
    {
        return thread == owner;
    }

    @Override
    public void execute(final Runnable command)
    {
        command.run();
    }

    /** Makes {@link Thread#interrupt()} wake the poller, as it wakes a selector. An interrupt closes the hook. */
    private final class InterruptHook extends AbstractInterruptibleChannel
    {
        void enter()
        {
            begin();
        }

        boolean leave()
        {
            try
            {
                end(true);
                return isOpen();
            }
            catch (final AsynchronousCloseException ex)
            {
                return false;
            }
        }

        @Override
        protected void implCloseChannel()
        {
            wakeup();
        }
    }

    /**
     * In netty 4.2.18 finishConnect may return true while the connection is still being established, so this class also
     * checks the peer's address.
     */
    private final class EpollSocket extends TransportSocket implements EpollIoHandle
    {
        private static final int SOL_SOCKET = 1;
        private static final int SO_RCVLOWAT = 18;
        private static final int IPPROTO_TCP = 6;
        private static final int TCP_INFO = 11;
        /** The index of the smoothed round trip time, in microseconds, in Linux's struct tcp_info. */
        private static final int TCP_INFO_RTT = 68;
        private static final int FAR_RTT_US = 1_000;
        /**
         * The operations of a socket without interest. With EPOLLET, EPOLLERR and EPOLLHUP are reported only once. An
         * empty set cannot be used, because netty then removes the socket and fails to add it again.
         */
        private static final EpollIoOps PARKED = EpollIoOps.EPOLLET;
        private static final EpollIoOps[] OPS =
        {
            PARKED, EpollIoOps.EPOLLIN, EpollIoOps.EPOLLOUT, EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT)
        };

        /**
         * True if the round trip of the connect took less than 1 ms and the system has not refused a low-water mark
         * since.
         */
        private boolean takesLowWaterMark;
        private final ByteBuffer tcpInfo =
            ByteBuffer.allocate(TCP_INFO_RTT + Integer.BYTES).order(ByteOrder.nativeOrder());
        private EpollIoOps submittedOps;
        private Socket socket;
        private IoRegistration registration;

        EpollSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
        {
            super(receiveBufferLength, sendBufferLength, user);
        }

        @Override
        boolean beginConnect(final InetSocketAddress address) throws IOException
        {
            try
            {
                socket = Socket.newSocketStream();
            }
            catch (final ChannelException ex)
            {
                throw new SocketException("The system could not create a socket: " + ex.getMessage());
            }
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            if (requestedReceiveBufferLength > 0)
            {
                socket.setReceiveBufferSize(requestedReceiveBufferLength);
            }
            if (requestedSendBufferLength > 0)
            {
                socket.setSendBufferSize(requestedSendBufferLength);
            }
            final boolean isConnected = socket.connect(address);
            // The socket is not registered earlier, because epoll reports EPOLLHUP for a socket that has not begun to
            // connect.
            try
            {
                registration = handler.register(this);
            }
            catch (final IOException | RuntimeException ex)
            {
                throw ex;
            }
            catch (final Exception ex)
            {
                throw new IOException("The socket could not be registered with epoll.", ex);
            }
            takesLowWaterMark = isConnected && roundTripUs() < FAR_RTT_US;
            return isConnected;
        }

        @Override
        boolean endConnect() throws IOException
        {
            final boolean isFinished = socket.finishConnect() && socket.remoteAddress() != null;
            takesLowWaterMark = isFinished && roundTripUs() < FAR_RTT_US;
            return isFinished;
        }

        /**
         * @return the round trip time of the connect in microseconds, or {@link #FAR_RTT_US} if the system does not
         *         report it.
         */
        private int roundTripUs()
        {
            try
            {
                tcpInfo.clear();
                socket.getRawOpt(IPPROTO_TCP, TCP_INFO, tcpInfo);
                return tcpInfo.getInt(TCP_INFO_RTT);
            }
            catch (final IOException ex)
            {
                return FAR_RTT_US;
            }
        }

        @Override
        int read(final ByteBuffer buffer) throws IOException
        {
            return advanced(
                buffer, socket.recvAddress(BufferUtil.address(buffer), buffer.position(), buffer.limit()));
        }

        @Override
        int write(final ByteBuffer buffer) throws IOException
        {
            return advanced(
                buffer, socket.sendAddress(BufferUtil.address(buffer), buffer.position(), buffer.limit()));
        }

        @Override
        void shutdownSystemOutput() throws IOException
        {
            socket.shutdown(false, true);
        }

        private static int advanced(final ByteBuffer buffer, final int length)
        {
            buffer.position(buffer.position() + Math.max(0, length));
            return length;
        }

        @Override
        public void receiveLowWaterMark(final int length)
        {
            if (state == CONNECTED && takesLowWaterMark)
            {
                try
                {
                    socket.setIntOpt(SOL_SOCKET, SO_RCVLOWAT, length);
                }
                catch (final IOException ex)
                {
                    takesLowWaterMark = false;
                }
            }
        }

        @Override
        void submitInterest(final int newInterest)
        {
            final EpollIoOps ops = OPS[newInterest];
            if (ops != submittedOps)
            {
                registration.submit(ops);
                submittedOps = ops;
            }
        }

        /**
         * This method sets fields only, because netty swallows an exception that this method throws, and then sleeps
         * for a second.
         */
        @Override
        public void handle(final IoRegistration ioRegistration, final IoEvent event)
        {
            if (submittedOps != PARKED)
            {
                onReady();
                readyCount++;
            }
        }

        @Override
        public FileDescriptor fd()
        {
            return socket;
        }

        @Override
        int systemReceiveBufferLength() throws IOException
        {
            return socket.getReceiveBufferSize();
        }

        @Override
        void closeSystemSocket() throws IOException
        {
            if (registration != null)
            {
                registration.cancel();
            }
            if (socket != null)
            {
                socket.close();
            }
        }
    }
}
