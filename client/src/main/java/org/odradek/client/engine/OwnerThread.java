// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.engine;

/** Keeps the thread that owns a client, and refuses other threads as long as the owner is alive. */
public final class OwnerThread
{
    private final String client;
    private final String firstUse;
    private volatile Thread owner;

    /**
     * @param client   name of the client in a sentence, such as "the consumer".
     * @param firstUse what the owner did first, such as "polled it first".
     */
    public OwnerThread(final String client, final String firstUse)
    {
        this.client = client;
        this.firstUse = firstUse;
    }

    public void check()
    {
        final Thread thread = owner;
        if (thread != Thread.currentThread() && thread != null && thread.isAlive())
        {
            throw new IllegalStateException(client + " belongs to thread '" + thread.getName() + "', which " +
                firstUse + ", and was called from '" + Thread.currentThread().getName() + "'");
        }
    }

    public void take()
    {
        if (!isCurrent())
        {
            owner = Thread.currentThread();
        }
    }

    public boolean isCurrent()
    {
        return owner == Thread.currentThread();
    }

    /** Returns the owner, or null before the first use. */
    public Thread thread()
    {
        return owner;
    }
}
