// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.engine.OwnerThread;

/**
 * Determines which calls of a publisher are allowed. The publisher belongs to the first thread that works, offers or
 * claims, and after the end of that thread to the next thread that does so. A listener must not claim, work, wait or
 * close. While a claim is open, offers, further claims, skips and flushes are refused, and work or a close aborts the
 * claim. After a close, work is refused, and an offer returns {@link OfferResult#CLOSED}.
 */
final class UseGuard
{
    /** The owner. Before the first work, offer or claim, one thread may prepare the publisher for another thread. */
    private final OwnerThread owner = new OwnerThread("the publisher", "worked or offered first");
    private boolean isWorking;
    private boolean isClaimOpen;
    private boolean isAccepting = true;
    private boolean isClosed;

    void checkThread()
    {
        owner.check();
    }

    /** Checks the thread as {@link #checkThread()} does, and makes it the owner of the publisher. */
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

    /** @return false if the publisher is closed, or if a close reports the records that were not acknowledged. */
    boolean beginOffer()
    {
        own();
        checkNoClaim();
        return isAccepting;
    }

    /** @return false if the publisher is closed, or if a close reports the records that were not acknowledged. */
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

    /** Checks that work is allowed. Work is allowed while a claim is open, because it aborts the claim. */
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
     * From now on refuses the calls that a listener must not make.
     *
     * @return true if these calls were refused before, because a listener is the caller.
     */
    boolean beginEvents()
    {
        final boolean wasWorking = isWorking;
        isWorking = true;
        return wasWorking;
    }

    /** @param wasWorking the result of {@link #beginEvents()}. */
    void endEvents(final boolean wasWorking)
    {
        isWorking = wasWorking;
    }

    boolean isClaimOpen()
    {
        return isClaimOpen;
    }

    /** @return false if the owner's thread has ended: then everything can be freed, but no socket can be used. */
    boolean beginClose()
    {
        final boolean isOwner = owner.thread() == null || owner.isCurrent();
        checkThread();
        checkNotWorking();
        isWorking = true;
        owner.take();
        return isOwner;
    }

    /** Refuses all later offers, because nothing would report the end of their records. */
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

    /** Returns the thread that owns the publisher; null before the first use. */
    Thread owner()
    {
        return owner.thread();
    }

    boolean isClosed()
    {
        return isClosed;
    }
}
