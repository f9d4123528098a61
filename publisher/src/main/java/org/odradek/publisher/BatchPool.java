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
    private final boolean isCompressing;
    /** The bytes that may still be compressed in this duty cycle. */
    private int compressibleLength;

    /**
     * @param memory      that is divided; whoever created it frees it.
     * @param batchLength of a slab, in bytes.
     * @param compressor  of all batches, or null.
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

    /**
     * Begins a duty cycle, in which no more bytes are compressed than a batch may have: a codec may take milliseconds
     * for them.
     */
    void beginWork()
    {
        compressibleLength = batchLength;
    }

    /** Whether it takes time to close a batch. */
    boolean isCompressing()
    {
        return isCompressing;
    }

    /** @return false if the batch must wait for the next duty cycle; true if it is closed, now or before. */
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

    /** Takes back the slab that was used last next, because it is in the caches. */
    void release(final Batch batch)
    {
        batch.next = first;
        first = batch;
        freeCount++;
        assert isConsistent();
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

    private boolean isConsistent()
    {
        // Each slab is in the list, or belongs to one partition.
        return freeCount >= 0 && freeCount <= capacity && (first == null) == (freeCount == 0) &&
            // A duty cycle compresses no more than a batch.
            compressibleLength >= 0;
    }
}
