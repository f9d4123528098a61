// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.agrona.CloseHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The thread that waits for the sockets and the deadlines of all idle readers of this JVM, and wakes their tasks. It
 * reads nothing and sends nothing. It sleeps until a socket is ready or a deadline expires. The first reader starts it,
 * and it ends when the last reader is closed.
 */
final class ReadinessWaiter implements Runnable
{
    static final String THREAD_NAME = "odradek-flink-waiter";

    private static final Logger LOG = LoggerFactory.getLogger(ReadinessWaiter.class);
    private static final long NS_PER_MS = 1_000_000;
    /** Passed to the selector for each ready key. */
    private static final Consumer<SelectionKey> ON_READY = ReadinessWaiter::onReady;

    /** The waiter that serves new readers; the lock of the class guards it. */
    private static ReadinessWaiter current;

    private final Selector selector;
    private final List<ReaderPoller> pollers = new CopyOnWriteArrayList<>();
    /** Volatile because other threads write or read them. */
    private volatile boolean isEnding;
    private volatile Throwable failure;

    private ReadinessWaiter()
    {
        try
        {
            selector = Selector.open();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Serves a poller from now on. */
    static synchronized ReadinessWaiter serve(final ReaderPoller poller)
    {
        if (current == null || current.failure != null)
        {
            current = started();
        }
        current.pollers.add(poller);
        return current;
    }

    private static ReadinessWaiter started()
    {
        final ReadinessWaiter waiter = new ReadinessWaiter();
        final Thread thread = new Thread(waiter, THREAD_NAME);
        thread.setDaemon(true);
        // Not the class loader of the task, which may end before this thread and is unloaded with its job.
        thread.setContextClassLoader(ReadinessWaiter.class.getClassLoader());
        boolean isStarted = false;
        try
        {
            thread.start();
            isStarted = true;
        }
        finally
        {
            if (!isStarted)
            {
                CloseHelper.quietClose(waiter.selector);
            }
        }
        return waiter;
    }

    /** Removes a poller that has closed its sockets. Without any poller the thread ends. */
    static synchronized void leave(final ReadinessWaiter waiter, final ReaderPoller poller)
    {
        waiter.pollers.remove(poller);
        if (waiter.pollers.isEmpty())
        {
            waiter.isEnding = true;
            current = waiter == current ? null : current;
        }
        waiter.wake();
    }

    Selector selector()
    {
        return selector;
    }

    /** Makes the thread apply changes: interest in sockets, deadlines, closed sockets, whose descriptors it frees. */
    void wake()
    {
        selector.wakeup();
    }

    /** Throws if the thread has ended with an error, because it would not wake the caller. */
    void check()
    {
        if (failure != null)
        {
            throw new IllegalStateException(
                "The thread " + THREAD_NAME + " has ended, so nothing wakes the reader: " + failure, failure);
        }
    }

    @Override
    public void run()
    {
        try (selector)
        {
            while (!isEnding)
            {
                final long waitNs = wakeDue(System.nanoTime());
                if (waitNs == Long.MAX_VALUE)
                {
                    selector.select(ON_READY);
                }
                else
                {
                    selector.select(ON_READY, (waitNs + NS_PER_MS - 1) / NS_PER_MS);
                }
            }
        }
        catch (final IOException | RuntimeException | Error ex)
        {
            LOG.error("The thread {} has ended; the readers of this JVM fail when they would wait next.",
                THREAD_NAME, ex);
            failure = ex;
            pollers.forEach(ReaderPoller::wake);
        }
    }

    /**
     * Wakes the tasks that have something to do.
     *
     * @return nanoseconds until the next deadline, at least 1; the greatest long if there is none.
     */
    private long wakeDue(final long nowNs)
    {
        long leastNs = Long.MAX_VALUE;
        for (final ReaderPoller poller : pollers)
        {
            final long remainingNs = poller.remainingNs(nowNs);
            if (remainingNs <= 0)
            {
                poller.wake();
            }
            else
            {
                leastNs = Math.min(leastNs, remainingNs);
            }
        }
        return leastNs;
    }

    private static void onReady(final SelectionKey key)
    {
        try
        {
            // One event is enough: the reader sets the interest again before it waits again.
            key.interestOps(0);
            ((ReaderPoller)key.attachment()).onReady();
        }
        catch (final CancelledKeyException ex)
        {
            LOG.trace("A socket was closed while it became ready.", ex);
        }
    }
}
