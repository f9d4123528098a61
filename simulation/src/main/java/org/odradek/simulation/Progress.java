// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.concurrent.TimeUnit;

/** What was sent of a request and received of its response, by which the consumer may or must give the response up. */
final class Progress
{
    /** So many bytes renew the timeout of a request. */
    private static final int RENEWING_LENGTH = 1 << 16;
    /** In all a response may take so many request timeouts. */
    private static final int MOST_TIMEOUTS = 10;
    /** After a pause of its thread the consumer reads once more, so much later. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long NEVER = Long.MIN_VALUE;

    private long requestNs;
    private long renewedNs;
    private int length;
    private boolean isAny;
    /** When bytes were sent or received last, or a response that was held was released. */
    private long movedNs;
    /** When bytes were received last. */
    private long receivedNs = NEVER;
    private boolean isHeld;
    /** When the first call has ended that began after the response was overdue. */
    private long missedNs = NEVER;

    /** The consumer begins to send a request. */
    void begin(final long nowNs)
    {
        requestNs = nowNs;
        length = 0;
        isAny = false;
    }

    /** The consumer has sent bytes. */
    void sent(final long nowNs)
    {
        movedNs = nowNs;
        missedNs = NEVER;
    }

    /** The consumer reads no more, because it holds a response, or reads again. */
    void held(final boolean isNowHeld, final long nowNs)
    {
        isHeld = isNowHeld;
        movedNs = nowNs;
        missedNs = NEVER;
    }

    /** The consumer has received bytes. */
    void received(final int bytes, final long nowNs)
    {
        movedNs = bytes > 0 ? nowNs : movedNs;
        receivedNs = bytes > 0 ? nowNs : receivedNs;
        missedNs = bytes > 0 ? NEVER : missedNs;
        length += bytes;
        if (length >= RENEWING_LENGTH)
        {
            length = 0;
            renewedNs = nowNs;
            isAny = true;
        }
    }

    /** Returns whether the response has made so much progress that it must be waited for. */
    boolean isWithin(final int requestTimeoutMs, final long nowNs)
    {
        final long timeoutNs = TimeUnit.MILLISECONDS.toNanos(requestTimeoutMs);
        return isAny && nowNs - renewedNs < timeoutNs && nowNs - requestNs < MOST_TIMEOUTS * timeoutNs;
    }

    /** Returns whether a response that is awaited is overdue. */
    boolean isOverdue(final int requestTimeoutMs, final long nowNs)
    {
        return !isHeld && nowNs - movedNs >= TimeUnit.MILLISECONDS.toNanos(requestTimeoutMs);
    }

    /**
     * A call of the consumer has ended, and the response is awaited still. What was received in the call may have been
     * the end of the response before, which was held until the call ended.
     */
    void onCall(final int requestTimeoutMs, final long callNs, final long nowNs)
    {
        movedNs = receivedNs != NEVER && receivedNs - callNs >= 0 ? nowNs : movedNs;
        missedNs = missedNs == NEVER && isOverdue(requestTimeoutMs, callNs) ? nowNs : missedNs;
    }

    /** Returns true if a whole call has read nothing of a response that was overdue, long before this call began. */
    boolean isMissed(final long callNs)
    {
        return missedNs != NEVER && callNs - missedNs > GRACE_NS;
    }
}
