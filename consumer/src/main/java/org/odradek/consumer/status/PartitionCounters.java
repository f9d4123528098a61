// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.status;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

import java.util.Arrays;

/**
 * Three counters for each partition in a {@link CountersFile}: next offset, high watermark, lag. They are made when a
 * partition is first told of, which allocates; after that telling of it allocates nothing. Of the polling thread.
 */
public final class PartitionCounters
{
    private static final int PER_PARTITION = 3;

    private final CountersManager manager;
    private final AtomicBuffer values;
    /**
     * Of the partition's first counter; the others follow it. 0, which is never one of a partition, where there is
     * none.
     */
    private int[] ids = {};
    private int left;

    PartitionCounters(final CountersManager manager)
    {
        this.manager = manager;
        values = manager.valuesBuffer();
        left = manager.available() / PER_PARTITION;
    }

    /**
     * Write how far a partition is.
     *
     * @param partition     its id.
     * @param nextOffset    to deliver, or -1.
     * @param highWatermark or -1.
     * @param lag           or -1.
     * @return false if there is no room for its counters.
     */
    public boolean set(final int partition, final long nextOffset, final long highWatermark, final long lag)
    {
        final int id = partition < ids.length && ids[partition] != 0 ? ids[partition] : make(partition);
        if (id < 0)
        {
            return false;
        }
        final int index = CountersReader.counterOffset(id);
        values.putLongRelease(index, nextOffset);
        values.putLongRelease(index + CountersReader.COUNTER_LENGTH, highWatermark);
        values.putLongRelease(index + 2 * CountersReader.COUNTER_LENGTH, lag);
        return true;
    }

    private int make(final int partition)
    {
        if (partition >= ids.length)
        {
            ids = Arrays.copyOf(ids, partition + 1);
        }
        ids[partition] = CountersReader.NULL_COUNTER_ID;
        if (left > 0)
        {
            left--;
            ids[partition] = make(partition, CountersFile.NEXT_OFFSET_TYPE_ID, "next offset");
            make(partition, CountersFile.HIGH_WATERMARK_TYPE_ID, "high watermark");
            make(partition, CountersFile.LAG_TYPE_ID, "lag");
        }
        return ids[partition];
    }

    private int make(final int partition, final int typeId, final String name)
    {
        return manager.allocate(name + " of partition " + partition, typeId, (key) -> key.putInt(0, partition));
    }
}
