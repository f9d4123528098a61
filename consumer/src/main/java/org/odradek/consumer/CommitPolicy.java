// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * Determines which offsets a member of a consumer group commits, and when. It commits only offsets of partitions that
 * it owns. After a kill, records from the last committed offset on are delivered again, to another member.
 */
public final class CommitPolicy
{
    private static final CommitPolicy EXPLICIT = new CommitPolicy(0);

    private final int intervalMs;

    private CommitPolicy(final int intervalMs)
    {
        this.intervalMs = intervalMs;
    }

    /**
     * Commits the offset after the last record whose handler has returned: at an interval, before a partition is
     * revoked, and when the consumer closes. It is for handlers that are done with a record when they return.
     *
     * @param intervalMs between two commits, in milliseconds; 1 or more.
     */
    public static CommitPolicy delivered(final int intervalMs)
    {
        if (intervalMs < 1)
        {
            throw new IllegalArgumentException("intervalMs of a commit policy is " + intervalMs +
                ": it must be 1 or more; with CommitPolicy.explicit nothing is committed at an interval");
        }
        return new CommitPolicy(intervalMs);
    }

    /** Commits only the offsets that the application passes to it: for handlers that pass records on. */
    public static CommitPolicy explicit()
    {
        return EXPLICIT;
    }

    public boolean isDelivered()
    {
        return intervalMs > 0;
    }

    /** In milliseconds; 0 for explicit commits. */
    public int intervalMs()
    {
        return intervalMs;
    }

    @Override
    public String toString()
    {
        return isDelivered() ? "delivered every " + intervalMs + " ms" : "explicit";
    }
}
