// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;


/**
 * Determines how long to retry requests for a partition that the brokers do not know: for a minute, as with Kafka's
 * default.api.timeout.ms.
 */
public final class UnknownPartitionTimeout
{
    public static final long NEVER = Long.MIN_VALUE;

    private static final long GONE_NS = 60_000_000_000L;

    private UnknownPartitionTimeout()
    {
    }

    /**
     * Returns the time since when a partition has not been known, or {@link #NEVER}.
     *
     * @param sinceNs result of this method after the previous answer.
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
