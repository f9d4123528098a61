// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.concurrent.NanoClock;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Passes from the polling thread to the workers which ownerships of partitions have ended, and until when records of
 * the other ownerships may be begun. Each ownership has a number, which every message carries: a new number begins when
 * the ownership ends.
 */
final class Fences
{
    private final boolean isMember;
    private final NanoClock clock;
    private final AtomicLong deliverUntilNs = new AtomicLong();
    private volatile AtomicIntegerArray ended = new AtomicIntegerArray(0);
    private volatile boolean isClosed;

    /** @param isMember true if the partitions are those of a member of a consumer group. */
    Fences(final boolean isMember, final NanoClock clock)
    {
        this.isMember = isMember;
        this.clock = clock;
    }

    /** Returns the number of the current ownership of a partition, 1 or more; only for the polling thread. */
    int ownership(final int partition)
    {
        final AtomicIntegerArray ended = this.ended;
        return partition < ended.length() ? ended.getPlain(partition) + 1 : grow(partition);
    }

    private int grow(final int partition)
    {
        final int[] larger = new int[partition + 1];
        for (int p = 0; p < ended.length(); p++)
        {
            larger[p] = ended.getPlain(p);
        }
        ended = new AtomicIntegerArray(larger);
        return 1;
    }

    /** Ends the current ownership of a partition: workers skip its records that were dispatched before. */
    void end(final int partition)
    {
        final int ownership = ownership(partition);
        ended.setRelease(partition, ownership % (Integer.MAX_VALUE - 1));
    }

    void close()
    {
        for (int p = 0; p < ended.length() && !isClosed; p++)
        {
            end(p);
        }
        isClosed = true;
    }

    boolean isClosed()
    {
        return isClosed;
    }

    boolean isEnded(final int partition, final int ownership)
    {
        return ended.getAcquire(partition) != ownership - 1;
    }

    void deliverUntil(final long untilNs)
    {
        // A store without a change would take the cache line from the workers.
        if (untilNs != deliverUntilNs.getPlain())
        {
            deliverUntilNs.setRelease(untilNs);
        }
    }

    boolean isPast()
    {
        return isMember && clock.nanoTime() - deliverUntilNs.getAcquire() > 0;
    }

    boolean isMember()
    {
        return isMember;
    }
}
