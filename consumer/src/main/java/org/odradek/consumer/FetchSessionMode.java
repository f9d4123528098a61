// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * Determines whether fetches use a fetch session (KIP-227), in which the broker remembers the requested partitions, so
 * that requests and responses contain only changes. Only the first connection to a broker uses a session; further
 * connections ({@link ConsumerContext#fetchConnections(int)}) use none.
 */
public enum FetchSessionMode
{
    /** Fetches use a session with each broker from which at least 32 partitions are read over the first connection. */
    AUTO(32),
    /** Fetches use a session with every broker that grants one. */
    ON(0),
    /** Fetches use no session. */
    OFF(Integer.MAX_VALUE);

    private final int minPartitions;

    FetchSessionMode(final int minPartitions)
    {
        this.minPartitions = minPartitions;
    }

    int minPartitions()
    {
        return minPartitions;
    }
}
