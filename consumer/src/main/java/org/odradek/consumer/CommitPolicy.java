// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * Determines which offsets a member of a consumer group commits, and when. The default of {@link GroupSettings} is
 * {@link #delivered} with an interval of 5 seconds.
 */
public final class CommitPolicy
{
    private static final int DEFAULT_INTERVAL_MS = 5_000;
    private static final CommitPolicy EXPLICIT = new CommitPolicy(0, false);

    private final int intervalMs;
    private final boolean isAcknowledged;

    private CommitPolicy(final int intervalMs, final boolean isAcknowledged)
    {
        this.intervalMs = intervalMs;
        this.isAcknowledged = isAcknowledged;
    }

    /**
     * Commits the next offset of each partition at an interval, and before the partition is revoked if the revocation
     * handler has returned true. A leave, and a close by the polling thread, revoke all partitions. A record counts as
     * delivered when its handler has returned, unless the handler has returned {@code ABORT}. If the handler has
     * thrown, the record counts as delivered only with {@code HandlerErrorPolicy.SKIP}.
     *
     * @param intervalMs the time between two commits, in milliseconds; 1 or more.
     * @throws IllegalArgumentException if the interval is less than 1.
     */
    public static CommitPolicy delivered(final int intervalMs)
    {
        return new CommitPolicy(checked(intervalMs), false);
    }

    /** Calls {@link #acknowledged(int)} with an interval of 5 seconds. */
    public static CommitPolicy acknowledged()
    {
        return acknowledged(DEFAULT_INTERVAL_MS);
    }

    /**
     * Commits the offset before which the application has acknowledged all delivered records, at an interval and before
     * the partition is revoked. A leave, and a close by the polling thread, revoke all partitions. Before a revocation
     * the consumer waits for missing acknowledgements for up to half of {@code revocationTimeoutMs} or, in a close,
     * half of the timeout of the close if that is shorter. The policy is for handlers that pass records on to other
     * threads, which acknowledge them through {@link GroupMembership#acknowledgements()}.
     *
     * @param intervalMs the time between two commits, in milliseconds; 1 or more.
     * @throws IllegalArgumentException if the interval is less than 1.
     */
    public static CommitPolicy acknowledged(final int intervalMs)
    {
        return new CommitPolicy(checked(intervalMs), true);
    }

    private static int checked(final int intervalMs)
    {
        if (intervalMs < 1)
        {
            throw new IllegalArgumentException("intervalMs of a commit policy is " + intervalMs +
                ": it must be 1 or more; with CommitPolicy.explicit nothing is committed at an interval");
        }
        return intervalMs;
    }

    /** Commits only the offsets that the application passes to {@link GroupMembership#commitAsync}. */
    public static CommitPolicy explicit()
    {
        return EXPLICIT;
    }

    /** Returns true for the policy {@link #delivered}. */
    public boolean isDelivered()
    {
        return intervalMs > 0 && !isAcknowledged;
    }

    /** Returns true for the policy {@link #acknowledged(int)}. */
    public boolean isAcknowledged()
    {
        return isAcknowledged;
    }

    /** Returns the time between two commits in milliseconds; 0 with {@link #explicit}. */
    public int intervalMs()
    {
        return intervalMs;
    }

    @Override
    public String toString()
    {
        return intervalMs == 0 ? "explicit" :
            (isAcknowledged ? "acknowledged" : "delivered") + " every " + intervalMs + " ms";
    }
}
