// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;


/**
 * What is done about a partition that the brokers do not know. It may have been created a moment ago, or be gone
 * because the topic was deleted, or created again with fewer partitions. A request for it is retried for a minute,
 * which is Kafka's default.api.timeout.ms, and then ends with the error.
 */
public final class UnknownPartitionTimeout
{
    /** The time of a partition that is known. */
    public static final long NEVER = Long.MIN_VALUE;

    private static final long GONE_NS = 60_000_000_000L;

    private UnknownPartitionTimeout()
    {
    }

    /**
     * Returns since when a partition has not been known.
     *
     * @param sinceNs what this has returned after the answer before.
     */
    public static long sinceNs(final boolean isUnknown, final long sinceNs, final long nowNs)
    {
        return !isUnknown ? NEVER : sinceNs == NEVER ? nowNs : sinceNs;
    }

    public static boolean isGone(final long sinceNs, final long nowNs)
    {
        return sinceNs != NEVER && nowNs - sinceNs > GONE_NS;
    }
}
