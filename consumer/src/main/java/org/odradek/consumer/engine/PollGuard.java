// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.odradek.client.engine.OwnerThread;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Guards a consumer: one thread owns the consumer, no two calls that change it run at the same time, and it is freed
 * exactly once, never during such a call.
 * <pre>
 *  state         next
 *  0             BUSY (a call begins), CLOSING (close frees at once)
 *  BUSY          0 (the call ends), BUSY + CLOSING (close by another thread)
 *  BUSY+CLOSING  the end of the call frees
 *  CLOSING       final
 * </pre>
 */
public final class PollGuard
{
    public interface Call extends AutoCloseable
    {
        @Override
        void close();
    }

    private static final int IDLE = 0;
    private static final int BUSY = 1;
    private static final int CLOSING = 2;

    private final AtomicInteger state = new AtomicInteger(IDLE);
    private final CountDownLatch freed = new CountDownLatch(1);
    private final Runnable freeAll;
    private final Call outermost = this::end;
    private final Call nested = () -> {};
    private final OwnerThread owner = new OwnerThread("the consumer", "polled it first");
    private boolean isPolling;
    private boolean hasChanged;
    /**
     * The thread that makes an outermost call other than a poll, or that frees everything; otherwise null. A thread
     * only compares this field with itself, so the field needs no volatile access.
     */
    private Thread inside;
    /** True if all requests have been sent, and everything is being freed. */
    private boolean isEnded;

    public PollGuard(final Runnable freeAll)
    {
        this.freeAll = freeAll;
    }

    public Call beginPoll()
    {
        checkUse();
        begin();
        owner.take();
        isPolling = true;
        return outermost;
    }

    private void begin()
    {
        if (!state.compareAndSet(IDLE, BUSY))
        {
            throw isInside() ? polling() : isClosing() ? closed() : new IllegalStateException(
                "the consumer is being used by another thread than '" + Thread.currentThread().getName() +
                "': only one thread at a time may use it, also before the first poll");
        }
    }

    private void end()
    {
        assert (state.get() & BUSY) != 0;
        isPolling = false;
        inside = null;
        if (!state.compareAndSet(BUSY, IDLE))
        {
            free();
        }
    }

    /**
     * Begins a call after which the next poll has something to do. A callback may begin such a call within another
     * call.
     */
    public Call beginChange()
    {
        checkUse();
        final boolean isNested = isInside();
        if (!isNested)
        {
            begin();
            inside = Thread.currentThread();
        }
        hasChanged = true;
        return isNested ? nested : outermost;
    }

    /** Begins a call like {@link #beginChange()} that uses sockets, and makes the thread the owner. */
    public Call beginWork()
    {
        final Call call = beginChange();
        owner.take();
        return call;
    }

    /**
     * Begins a call like {@link #beginWork()} that another consumer of the same thread makes.
     *
     * @return the call, or null if this thread must not use the consumer now.
     */
    public Call tryWork()
    {
        if (!isOwner() || isEnded)
        {
            return null;
        }
        final boolean isNested = isInside();
        if (!isNested && !state.compareAndSet(IDLE, BUSY))
        {
            return null;
        }
        inside = isNested ? inside : Thread.currentThread();
        hasChanged = true;
        return isNested ? nested : outermost;
    }

    public boolean hasChanged()
    {
        return hasChanged;
    }

    public boolean takeChanged()
    {
        final boolean wasChanged = hasChanged;
        hasChanged = false;
        return wasChanged;
    }

    /**
     * Throws if another live thread is the owner, or if the consumer has been closed. A callback may use the consumer
     * until everything is freed.
     */
    public void checkUse()
    {
        owner.check();
        if (isClosing() && (isEnded || !isInside()))
        {
            throw closed();
        }
    }

    /** Refuses all later calls, also those of callbacks, because the objects that they use are being freed. */
    public void refuseAll()
    {
        isEnded = true;
    }

    public void checkNotPolling()
    {
        if (isInside())
        {
            throw polling();
        }
    }

    /**
     * Returns true if this thread polls, makes another outermost call or frees everything, so that the current call
     * comes from a callback.
     */
    private boolean isInside()
    {
        return isPolling && isOwner() || inside == Thread.currentThread();
    }

    public boolean hasOwner()
    {
        return owner.thread() != null;
    }

    public boolean isOwner()
    {
        return owner.isCurrent();
    }

    public boolean isClosing()
    {
        return (state.get() & CLOSING) != 0;
    }

    private static IllegalStateException closed()
    {
        return new IllegalStateException("the consumer is closed");
    }

    private static IllegalStateException polling()
    {
        return new IllegalStateException("the consumer is being polled: a handler, listener or condition may " +
            "seek, pause, resume, unassign and wake it up, but neither poll, assign nor close it");
    }

    /**
     * Frees everything now if no call is running; otherwise wakes the running poll, and waits until the end of the
     * running call frees everything. The caller must call {@link #checkNotPolling()} before.
     *
     * @return false if the timeout has passed or the thread was interrupted before everything was freed.
     */
    public boolean close(final Runnable wakeup, final long timeoutNs)
    {
        final int before = state.getAndUpdate((value) -> value | CLOSING);
        if (before == IDLE)
        {
            free();
            return true;
        }
        if (before == BUSY)
        {
            wakeup.run();
        }
        try
        {
            return freed.await(timeoutNs, TimeUnit.NANOSECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return isFreed();
        }
    }

    private void free()
    {
        assert isClosing() && !isFreed();
        // A close may call handlers and listeners of a group, which may call the consumer as within a poll.
        inside = Thread.currentThread();
        try
        {
            freeAll.run();
        }
        finally
        {
            inside = null;
            freed.countDown();
        }
    }

    public Thread owner()
    {
        return owner.thread();
    }

    public boolean isFreed()
    {
        return freed.getCount() == 0;
    }
}
