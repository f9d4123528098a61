// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.net.SharedSelectorPoller;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The poller of one reader. It never blocks the task: when the consumer would wait, the poller remembers for how long
 * and ends the poll. The reader then returns {@link #whenReady()} to Flink, a future that the {@link ReadinessWaiter}
 * completes when a socket is ready or the time has passed. All methods but {@link #wake()}, {@link #onReady()} and
 * {@link #remainingNs} are for the task's thread.
 */
final class ReaderPoller implements Poller
{
    /** The consumer counts time in which it is not polled as at most one second of the timeout of a connect. */
    private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

    private final ReadinessWaiter waiter;
    private final SharedSelectorPoller sockets;
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
        sockets = new SharedSelectorPoller(waiter.selector(), this);
    }

    /** @param newEndPoll ends the poll of the consumer that waits. */
    void onIdle(final Runnable newEndPoll)
    {
        endPoll = newEndPoll;
    }

    /** Must be called before each poll, which reads the sockets if one is ready. Only its own end counts as idle. */
    void beginPoll()
    {
        if (isIdle && isAnyReady)
        {
            sockets.await(0);
        }
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
        sockets.watch();
        waiter.wake();
        return next;
    }

    /** Completes the future that Flink waits on, if there is one. Any thread may call this. */
    void wake()
    {
        future.complete(null);
    }

    /** Called by the waiter when it has found a socket ready. */
    void onReady()
    {
        isAnyReady = true;
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
        return sockets.openSocket(receiveBufferLength, sendBufferLength);
    }

    /** A call that may wait only stores for how long, and ends the poll. */
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
        return sockets.await(0);
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
        try
        {
            sockets.close();
        }
        finally
        {
            wake();
            ReadinessWaiter.leave(waiter, this);
        }
    }
}
