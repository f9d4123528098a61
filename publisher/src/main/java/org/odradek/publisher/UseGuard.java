// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.engine.OwnerThread;

/**
 * Determines which calls of a publisher are allowed, depending on the thread, on an open claim, on a listener that
 * makes the call, and on a close.
 */
final class UseGuard
{
    private final OwnerThread owner = new OwnerThread("the publisher", "worked or offered first");
    private boolean isWorking;
    private boolean isClaimOpen;
    private boolean isAccepting = true;
    private boolean isClosed;

    void checkThread()
    {
        owner.check();
    }

    private void own()
    {
        if (!owner.isCurrent())
        {
            owner.check();
            owner.take();
        }
    }

    private void checkNoClaim()
    {
        if (isClaimOpen)
        {
            throw new IllegalStateException("a claim is open: commit or abort it first");
        }
    }

    private void checkNotWorking()
    {
        if (isWorking)
        {
            throw new IllegalStateException("the publisher is at work: a listener may offer records, but neither " +
                "claim them, nor work, wait or close");
        }
    }

    boolean beginOffer()
    {
        own();
        checkNoClaim();
        return isAccepting;
    }

    boolean beginClaim()
    {
        checkNotWorking();
        return beginOffer();
    }

    void claimed()
    {
        assert !isClaimOpen && !isWorking && !isClosed;
        isClaimOpen = true;
    }

    void endClaim()
    {
        isClaimOpen = false;
    }

    void checkClaim()
    {
        checkThread();
        if (!isClaimOpen)
        {
            throw new IllegalStateException("no claim is open");
        }
    }

    void checkOpen()
    {
        checkThread();
        checkNoClaim();
        checkNotClosed();
    }

    private void checkNotClosed()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the publisher is closed");
        }
    }

    /** An open claim does not forbid work, because work aborts the claim. */
    void checkWork()
    {
        own();
        checkNotWorking();
        checkNotClosed();
    }

    void beginWork()
    {
        checkWork();
        isWorking = true;
    }

    void endWork()
    {
        assert isWorking && !isClaimOpen;
        isWorking = false;
    }

    /**
     * Refuses the calls that a listener must not make, until {@link #endEvents}.
     *
     * @return the argument for {@link #endEvents}.
     */
    boolean beginEvents()
    {
        final boolean wasWorking = isWorking;
        isWorking = true;
        return wasWorking;
    }

    void endEvents(final boolean wasWorking)
    {
        isWorking = wasWorking;
    }

    boolean isClaimOpen()
    {
        return isClaimOpen;
    }

    /** @return false if the publisher's thread has ended; then this thread must not use the sockets. */
    boolean beginClose()
    {
        final boolean isOwner = owner.thread() == null || owner.isCurrent();
        checkThread();
        checkNotWorking();
        isWorking = true;
        owner.take();
        return isOwner;
    }

    void endOffers()
    {
        isAccepting = false;
    }

    void endClose()
    {
        isAccepting = false;
        isWorking = false;
        isClosed = true;
    }

    Thread owner()
    {
        return owner.thread();
    }

    boolean isClosed()
    {
        return isClosed;
    }
}
