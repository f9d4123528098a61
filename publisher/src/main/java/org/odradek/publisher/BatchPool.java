// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.protocol.compression.Compressor;
import org.odradek.protocol.record.RecordMemory;

/**
 * The memory of all batches, in slabs of one length, which all partitions share. It is allocated at once and never
 * grows: an empty pool is back pressure.
 */
final class BatchPool
{
    private final int batchLength;
    private final int capacity;
    private int freeCount;
    private Batch first;
    private final RecordMemory memory;

    /**
     * @param memory      that is divided; whoever created it frees it.
     * @param batchLength of a slab, in bytes.
     * @param compressor  of all batches, or null.
     */
    BatchPool(final RecordMemory memory, final int batchLength, final Compressor compressor)
    {
        this.memory = memory;
        this.batchLength = batchLength;
        capacity = memory.capacity() / batchLength;
        for (int i = capacity - 1; i >= 0; i--)
        {
            release(new Batch(memory, i * batchLength, batchLength, compressor));
        }
    }

    /** Returns an empty batch, or null if there is no slab left. */
    Batch take()
    {
        final Batch taken = first;
        if (taken != null)
        {
            first = taken.next;
            freeCount--;
            taken.begin();
        }
        return taken;
    }

    /** Takes back the slab that was used last next, because it is in the caches. */
    void release(final Batch batch)
    {
        batch.next = first;
        first = batch;
        freeCount++;
    }

    /** The most bytes that a batch may have, with its header. */
    int batchLength()
    {
        return batchLength;
    }

    int freeCount()
    {
        return freeCount;
    }

    int capacity()
    {
        return capacity;
    }

    int memoryLength()
    {
        return memory.capacity();
    }
}
