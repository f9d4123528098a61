// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.CountersFileReader;
import org.odradek.client.core.CountersFile;

import java.util.Arrays;

/** The counters of each partition in the counters file: next offset, high watermark and lag. */
public final class PartitionCounters
{
    private final CountersFile file;
    /** The id of the first counter of each partition; 0 if the partition has no counters yet. */
    private int[] ids = {};

    public PartitionCounters(final CountersFile file)
    {
        this.file = file;
    }

    /** @return false if the file has no room for the counters of the partition. */
    public boolean set(final int partition, final long nextOffset, final long highWatermark, final long lag)
    {
        if (partition >= ids.length)
        {
            ids = Arrays.copyOf(ids, partition + 1);
        }
        if (ids[partition] == 0)
        {
            ids[partition] = allocate(partition);
        }
        final int id = ids[partition];
        if (id == CountersReader.NULL_COUNTER_ID)
        {
            return false;
        }
        file.counters().set(id, nextOffset);
        file.counters().set(id + 1, highWatermark);
        file.counters().set(id + 2, lag);
        return true;
    }

    private int allocate(final int partition)
    {
        final String suffix = " of partition " + partition;
        return file.allocate(partition, new String[] {"next offset" + suffix, "high watermark" + suffix,
            "lag" + suffix}, CountersFileReader.NEXT_OFFSET_TYPE_ID);
    }
}
