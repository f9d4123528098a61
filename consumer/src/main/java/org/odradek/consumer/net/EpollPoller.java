// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.handler.Poller;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.Arrays;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * The poller over netty's native epoll. It drives netty's {@link EpollIoHandler} by itself, with neither an event loop
 * nor channels around it, and stands in as the context that tells the handler how long to wait.
 * <p>
 * Traps of netty 4.2.18: the handler's wake-up is lost unless it waits, hence the flag that {@link #canBlock()} reads
 * after the handler has said that it is about to wait; a delay of 0 looks like "no timer", hence at least 1; a wake-up
 * whose thread stops half-way holds the next wait until it goes on, 1 s at most.
 */
final class EpollPoller implements Poller, IoHandlerContext, ThreadAwareExecutor
{
    private boolean isWaiting;
    private boolean isClosed;
    private int readyCount;
    private int changedCount;
    private long deadlineNs;
    private EpollSocket[] changedSockets = new EpollSocket[16];
    private InterruptHook interruptHook = new InterruptHook();
    private final PollerOwner owner = new PollerOwner();
    private final IoHandler handler;

    EpollPoller()
    {
        handler = EpollIoHandler.newFactory().newHandler(this);
    }

    /** @return null if epoll works here. */
    static Throwable unavailabilityCause()
    {
        return Epoll.unavailabilityCause();
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        owner.check();
        return new EpollSocket(this, receiveBufferLength, sendBufferLength);
    }

    @Override
    public int await(final long timeoutNs)
    {
        owner.check();
        if (isClosed)
        {
            throw new IllegalStateException("This poller is closed.");
        }
        submitInterests();
        readyCount = 0;
        if (timeoutNs <= 0 || owner.isCutShort())
        {
            handler.run(this);
        }
        else
        {
            waitFor(timeoutNs);
        }
        owner.takeWakeup();
        return readyCount;
    }

    private void waitFor(final long timeoutNs)
    {
        deadlineNs = System.nanoTime() + timeoutNs;
        isWaiting = true;
        interruptHook.enter();
        try
        {
            // The handler also returns for events of its own, such as a timer or a late wake-up.
            do
            {
                handler.run(this);
            }
            while (0 == readyCount && !owner.isCutShort() && deadlineNs - System.nanoTime() > 0);
        }
        finally
        {
            isWaiting = false;
            if (!interruptHook.leave())
            {
                interruptHook = new InterruptHook();
            }
        }
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

    IoRegistration register(final EpollSocket socket) throws IOException
    {
        try
        {
            return handler.register(socket);
        }
        catch (final IOException | RuntimeException ex)
        {
            throw ex;
        }
        catch (final Exception ex)
        {
            throw new IOException("The socket could not be registered with epoll.", ex);
        }
    }

    /** The socket's interest goes to the system in the next wait, and only if it then differs. */
    void interestChanged(final EpollSocket socket)
    {
        if (changedCount == changedSockets.length)
        {
            changedSockets = Arrays.copyOf(changedSockets, 2 * changedCount);
        }
        changedSockets[changedCount++] = socket;
    }

    void onReady()
    {
        readyCount++;
    }

    @Override
    public void wakeup()
    {
        if (owner.leaveWakeup())
        {
            handler.wakeup();
        }
    }

    @Override
    public String description()
    {
        return "epoll";
    }

    @Override
    public void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            handler.prepareToDestroy();
            handler.destroy();
        }
    }

    @Override
    public boolean canBlock()
    {
        return isWaiting && !owner.isCutShort();
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
        return thread == owner.thread();
    }

    /** Reached only by a close from another thread, when the owner is done. */
    @Override
    public void execute(final Runnable command)
    {
        command.run();
    }

    /** Has {@link Thread#interrupt()} wake the poller, as it wakes a selector; used up by the interrupt. */
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
}
