// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.engine;

/**
 * The thread that owns a client: the first one that uses it, and after its end the next one that does. A check costs
 * one volatile read.
 */
public final class OwnerThread
{
    private final String client;
    private final String firstUse;
    /** Written by the first use, and by the next one after the end of that thread; read by every thread that calls. */
    private volatile Thread owner;

    /**
     * Creates one without a thread.
     *
     * @param client   in a sentence, such as "the consumer".
     * @param firstUse what the thread did, such as "polled it first".
     */
    public OwnerThread(final String client, final String firstUse)
    {
        this.client = client;
        this.firstUse = firstUse;
    }

    /** @throws IllegalStateException if another thread that lives is the owner. */
    public void check()
    {
        final Thread thread = owner;
        if (thread != Thread.currentThread() && thread != null && thread.isAlive())
        {
            throw new IllegalStateException(client + " belongs to thread '" + thread.getName() + "', which " +
                firstUse + ", and was called from '" + Thread.currentThread().getName() + "'");
        }
    }

    /** Makes this thread the owner. */
    public void take()
    {
        if (!isCurrent())
        {
            owner = Thread.currentThread();
        }
    }

    /** Returns whether this thread is the owner. */
    public boolean isCurrent()
    {
        return owner == Thread.currentThread();
    }

    /** The owner, or null before the first use. */
    public Thread thread()
    {
        return owner;
    }
}
