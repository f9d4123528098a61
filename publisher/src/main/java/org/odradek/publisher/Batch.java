// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.protocol.compression.Compressor;
import org.odradek.protocol.record.RecordBatchEncoder;
import org.odradek.protocol.record.RecordMemory;

/**
 * A slab of memory of the {@link BatchPool}, and the batch in that slab, from its first record until it is acknowledged
 * or given up.
 */
final class Batch
{
    final RecordBatchEncoder encoder = new RecordBatchEncoder();
    private final RecordMemory memory;
    private final int index;
    private final int capacity;
    /** This field is null if batches are not compressed. */
    private final Compressor compressor;

    long firstPosition;
    /** The time when the first record was accepted, plus the time for which the partition had stopped since. */
    long beginNs;
    boolean isClosed;
    /** True if the batch can be sent again with the same header, also if the publisher is not idempotent. */
    boolean hasSequence;
    int sequence;
    int length;
    boolean isMaybeWritten;
    short errorCode;
    Batch next;

    Batch(final RecordMemory memory, final int index, final int capacity, final Compressor compressor)
    {
        this.memory = memory;
        this.index = index;
        this.capacity = capacity;
        this.compressor = compressor;
    }

    void begin()
    {
        encoder.begin(memory, index, capacity);
        isClosed = false;
        hasSequence = false;
        isMaybeWritten = false;
        errorCode = 0;
        next = null;
    }

    int count()
    {
        return encoder.recordCount();
    }

    boolean isFull()
    {
        return isClosed || next != null || encoder.isFull();
    }

    void close()
    {
        assert !isClosed && !hasSequence && count() > 0;
        isClosed = true;
        if (compressor != null)
        {
            final int compressedLength =
                compressor.compress(memory.byteBuffer(), encoder.recordsIndex(), encoder.recordsLength());
            if (compressedLength != Compressor.NOT_SHORTER)
            {
                encoder.replaceRecords(compressor.codec(), compressor.output(), compressedLength);
            }
        }
    }

    void seal(final long producerId, final short epoch, final int newSequence)
    {
        assert isClosed && !hasSequence;
        sequence = newSequence;
        hasSequence = true;
        length = encoder.seal(producerId, epoch, newSequence);
    }
}
