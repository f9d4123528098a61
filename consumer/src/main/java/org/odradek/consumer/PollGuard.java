// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * Who may call what when: the first thread that polls owns the consumer, and what would pull the ground from under a
 * poll is refused while one is on.
 */
final class PollGuard
{
    private boolean isPolling;
    private boolean isClosed;
    private boolean hasChanged;
    private Thread owner;

    void begin()
    {
        checkOwner();
        checkNotPolling();
        owner = Thread.currentThread();
        isPolling = true;
    }

    void end()
    {
        isPolling = false;
    }

    void checkNotPolling()
    {
        if (isPolling)
        {
            throw new IllegalStateException("the consumer is being polled: from a handler or listener it can be " +
                "sought, paused, resumed, unassigned and woken, and nothing else");
        }
    }

    void checkUse()
    {
        checkOwner();
    }

    /**
     * A call has changed something, which may have left work for the next poll.
     */
    void noteChange()
    {
        hasChanged = true;
    }

    /**
     * Whether a call has changed something since this was called last.
     */
    boolean takeChanged()
    {
        final boolean wasChanged = hasChanged;
        hasChanged = false;
        return wasChanged;
    }

    private void checkOwner()
    {
        if (isOthers())
        {
            throw new IllegalStateException("the consumer belongs to thread '" + owner.getName() +
                "', which polled it first, and was called from '" + Thread.currentThread().getName() + "'");
        }
        if (isClosed)
        {
            throw new IllegalStateException("the consumer is closed");
        }
    }

    /**
     * Another thread than the one that calls owns the consumer.
     */
    boolean isOthers()
    {
        return owner != null && owner != Thread.currentThread();
    }

    void close()
    {
        isClosed = true;
    }

    boolean isClosed()
    {
        return isClosed;
    }
}
