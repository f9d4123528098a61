// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.concurrent.TimeUnit;

/** What the consumer has received of a response, by which it may or may not give the response up. */
final class Progress
{
    /** So many bytes renew the timeout of a request. */
    private static final int RENEWING_LENGTH = 1 << 16;
    /** In all a response may take so many request timeouts. */
    private static final int MOST_TIMEOUTS = 10;

    private long requestNs;
    private long renewedNs;
    private int length;
    private boolean isAny;

    /** The consumer begins to send a request. */
    void begin(final long nowNs)
    {
        requestNs = nowNs;
        length = 0;
        isAny = false;
    }

    /** The consumer has received bytes. */
    void received(final int bytes, final long nowNs)
    {
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
}
