// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/**
 * What the leaders of partitions that wait for a place are to be asked, in arrays indexed by partition id.
 */
public final class PartitionSearches
{
    private long[] timestamps = {};
    private int[] counts = {};

    void ensureCapacity(final int to)
    {
        timestamps = Arrays.copyOf(timestamps, to);
        counts = Arrays.copyOf(counts, to);
    }

    void begin(final int partition, final long timestamp)
    {
        timestamps[partition] = timestamp;
        end(partition);
    }

    /**
     * What may still be answered is stale.
     */
    void end(final int partition)
    {
        counts[partition]++;
    }

    /**
     * For which a place is wanted, as ListOffsets takes it.
     */
    public long timestamp(final int partition)
    {
        return timestamps[partition];
    }

    /**
     * Another number for each search; an answer to an older one is stale.
     */
    public int count(final int partition)
    {
        return counts[partition];
    }
}
