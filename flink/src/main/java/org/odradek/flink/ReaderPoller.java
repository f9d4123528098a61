// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.handler.Poller;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The poller of one reader. It never blocks the task: when the consumer would wait, the poller remembers for how long
 * and ends the poll. The reader then returns {@link #whenReady()} to Flink, a future that the {@link ReadinessWaiter}
 * completes when a socket is ready or the time has passed. All methods but {@link #wake()} and {@link #remainingNs} are
 * for the task's thread.
 */
final class ReaderPoller implements Poller
{
    /** The consumer counts time in which it is not polled as at most one second of a request's timeout. */
    private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

    private final ReadinessWaiter waiter;
    private final List<ReaderSocket> sockets = new ArrayList<>();
    private Runnable endPoll;
    private boolean isIdle;
    private long idleUntilNs;
    /** Volatile because both threads use them. The future is written after the others, and read before them. */
    private volatile boolean isAnyReady;
    private volatile long deadlineNs;
    private volatile CompletableFuture<Void> future = READY;

    ReaderPoller()
    {
        waiter = ReadinessWaiter.serve(this);
    }

    /** @param newEndPoll ends the poll of the consumer that waits. */
    void onIdle(final Runnable newEndPoll)
    {
        endPoll = newEndPoll;
    }

    /** Must be called before each poll, so that only its own end counts as idle. */
    void beginPoll()
    {
        isIdle = false;
    }

    /**
     * Returns a future that is completed when the consumer has to be polled again. It is already complete if the last
     * poll did not end because there was nothing to do.
     */
    CompletableFuture<Void> whenReady()
    {
        if (!isIdle)
        {
            return READY;
        }
        waiter.check();
        final CompletableFuture<Void> next = new CompletableFuture<>();
        isAnyReady = false;
        deadlineNs = idleUntilNs;
        future = next;
        // After the future: an event of these sockets completes this future and not the last one.
        for (int i = 0; i < sockets.size(); i++)
        {
            sockets.get(i).submitInterest();
        }
        waiter.wake();
        return next;
    }

    /** Completes the future that Flink waits on, if there is one. Any thread may call this. */
    void wake()
    {
        future.complete(null);
    }

    /** How long the waiter may sleep, in nanoseconds; 0 or less if it has to wake the task now. */
    long remainingNs(final long nowNs)
    {
        if (future.isDone())
        {
            return Long.MAX_VALUE;
        }
        return isAnyReady ? 0 : deadlineNs - nowNs;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        final ReaderSocket socket = new ReaderSocket(receiveBufferLength, sendBufferLength);
        sockets.add(socket);
        return socket;
    }

    /**
     * A call that may wait only stores for how long, and ends the poll. A call that may not wait reports every socket
     * with interest as ready: the consumer then reads it, which is cheaper than a system call that checks readiness.
     */
    @Override
    public int await(final long timeoutNs)
    {
        if (timeoutNs > 0)
        {
            isIdle = true;
            idleUntilNs = System.nanoTime() + Math.min(timeoutNs, MAX_WAIT_NS);
            endPoll.run();
            return 0;
        }
        int readyCount = 0;
        for (int i = 0; i < sockets.size(); i++)
        {
            readyCount += sockets.get(i).supposeReady();
        }
        return readyCount;
    }

    /** No call of this poller blocks, so there is none to end. */
    @Override
    public void wakeup()
    {
    }

    @Override
    public String description()
    {
        return "nio, with waits on thread " + ReadinessWaiter.THREAD_NAME;
    }

    @Override
    public void close()
    {
        while (!sockets.isEmpty())
        {
            sockets.get(sockets.size() - 1).close();
        }
        wake();
        ReadinessWaiter.leave(waiter, this);
    }

    /** A socket of the JDK. The task reads and writes it; the waiter only waits for its readiness. */
    final class ReaderSocket implements PolledSocket
    {
        private final int requestedReceiveBufferLength;
        private final int requestedSendBufferLength;
        private boolean isConnected;
        private boolean hasReadInterest;
        private boolean hasWriteInterest;
        /** Volatile because the waiter sets it. */
        private volatile boolean isReady;
        private SocketChannel channel;
        private SelectionKey key;

        private ReaderSocket(final int receiveBufferLength, final int sendBufferLength)
        {
            requestedReceiveBufferLength = receiveBufferLength;
            requestedSendBufferLength = sendBufferLength;
        }

        @Override
        public boolean connect(final InetSocketAddress address) throws IOException
        {
            if (address.isUnresolved())
            {
                throw new UnknownHostException(address.getHostString());
            }
            channel = SocketChannel.open();
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
            try
            {
                isConnected = channel.connect(address);
            }
            catch (final UnsupportedAddressTypeException ex)
            {
                throw new IOException("addresses such as " + address + " are not supported on this system", ex);
            }
            key = channel.register(waiter.selector(), 0, this);
            return isConnected;
        }

        @Override
        public boolean finishConnect() throws IOException
        {
            isConnected = isConnected || channel.finishConnect();
            if (!isConnected)
            {
                isReady = false;
            }
            return isConnected;
        }

        @Override
        public int receive(final ByteBuffer buffer) throws IOException
        {
            checkConnected();
            final int length = channel.read(buffer);
            if (length == NOTHING && buffer.hasRemaining())
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
            if (length == NOTHING && buffer.hasRemaining())
            {
                isReady = false;
            }
            return length;
        }

        private void checkConnected()
        {
            if (!isConnected)
            {
                throw new NotYetConnectedException();
            }
        }

        private int interest()
        {
            return !isConnected ? SelectionKey.OP_CONNECT :
                (hasReadInterest ? SelectionKey.OP_READ : 0) | (hasWriteInterest ? SelectionKey.OP_WRITE : 0);
        }

        private void submitInterest()
        {
            if (key != null)
            {
                key.interestOps(interest());
            }
        }

        private int supposeReady()
        {
            if (key != null && interest() != 0)
            {
                isReady = true;
            }
            return isReady ? 1 : 0;
        }

        /** Called by the waiter. */
        void onReady()
        {
            isReady = true;
            isAnyReady = true;
        }

        @Override
        public void readInterest(final boolean on)
        {
            hasReadInterest = on;
        }

        @Override
        public void writeInterest(final boolean on)
        {
            hasWriteInterest = on;
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
        public int receiveBufferLength()
        {
            try
            {
                return channel == null || !channel.isOpen() ? 0 : channel.getOption(StandardSocketOptions.SO_RCVBUF);
            }
            catch (final IOException ex)
            {
                throw new IllegalStateException("A socket does not tell its buffer length: " + ex.getMessage(), ex);
            }
        }

        @Override
        public void close()
        {
            isReady = false;
            sockets.remove(this);
            try
            {
                if (channel != null)
                {
                    channel.close();
                }
            }
            catch (final IOException ex)
            {
                throw new IllegalStateException("A socket cannot be closed: " + ex.getMessage(), ex);
            }
            waiter.wake();
        }
    }
}
