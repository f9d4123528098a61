// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.protocol.compression.Compressor;
import org.odradek.protocol.record.RecordMemory;

/** The memory of all batches, in slabs of equal length, which all partitions share. */
final class BatchPool
{
    private final int batchLength;
    private final int capacity;
    private int freeCount;
    private Batch first;
    private final RecordMemory memory;
    private final boolean isCompressing;
    private int compressibleLength;

    /**
     * @param memory     the memory that is divided into slabs; its creator frees it.
     * @param compressor the compressor of all batches, or null for no compression.
     */
    BatchPool(final RecordMemory memory, final int batchLength, final Compressor compressor)
    {
        this.memory = memory;
        this.batchLength = batchLength;
        isCompressing = compressor != null;
        capacity = memory.capacity() / batchLength;
        for (int i = capacity - 1; i >= 0; i--)
        {
            release(new Batch(memory, i * batchLength, batchLength, compressor));
        }
    }

    /** Begins a duty cycle, in which at most {@code batchLength} bytes are compressed. */
    void beginWork()
    {
        compressibleLength = batchLength;
    }

    boolean isCompressing()
    {
        return isCompressing;
    }

    /**
     * @return false if the batch must wait for the next duty cycle, because this cycle has compressed enough.
     */
    boolean close(final Batch batch)
    {
        if (!batch.isClosed)
        {
            final int length = isCompressing ? batch.encoder.length() : 0;
            if (length > compressibleLength)
            {
                return false;
            }
            compressibleLength -= length;
            batch.close();
        }
        assert isConsistent();
        return true;
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
        assert isConsistent();
        return taken;
    }

    void release(final Batch batch)
    {
        batch.next = first;
        first = batch;
        freeCount++;
        assert isConsistent();
    }

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

    private boolean isConsistent()
    {
        // Each slab is in the list, or belongs to one partition.
        return freeCount >= 0 && freeCount <= capacity && (first == null) == (freeCount == 0) &&
            // A duty cycle compresses no more than a batch.
            compressibleLength >= 0;
    }
}
