// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.protocol.compression.Compressor;
import org.odradek.protocol.record.RecordBatchEncoder;
import org.odradek.protocol.record.RecordMemory;

/**
 * A slab of memory with the batch that is written into it, from its first record until it is acknowledged or given up.
 * The {@link BatchPool} owns all slabs; between two uses a batch belongs to no partition.
 */
final class Batch
{
    final RecordBatchEncoder encoder = new RecordBatchEncoder();
    private final RecordMemory memory;
    private final int index;
    private final int capacity;
    /** Null if batches are not compressed. */
    private final Compressor compressor;

    /** The position of the first record. */
    long firstPosition;
    /** When the first record was accepted, and later by the time for which its partition had stopped. */
    long beginNs;
    /** About to be sent, or sent: no record can be added. */
    boolean isClosed;
    /** The batch has the numbers of a producer, of which this is one: a resend must have the same. */
    boolean hasSequence;
    int sequence;
    /** Length with the header, once it is sealed. */
    int length;
    /** An attempt has ended without an answer, or with one after which the batch may be in the log. */
    boolean isMaybeWritten;
    /** What a broker answered last, or 0. */
    short errorCode;
    /** The next batch of the partition, or of the pool. */
    Batch next;

    Batch(final RecordMemory memory, final int index, final int capacity, final Compressor compressor)
    {
        this.memory = memory;
        this.index = index;
        this.capacity = capacity;
        this.compressor = compressor;
    }

    /** Begins an empty batch. */
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

    /** Whether waiting for further records would hardly make it longer. */
    boolean isFull()
    {
        return isClosed || next != null || encoder.isFull();
    }

    /** Closes the batch for further records, and compresses it if that makes it shorter. */
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

    /** Puts the closed batch under a producer's numbers or none. */
    void seal(final long producerId, final short epoch, final int newSequence)
    {
        assert isClosed && !hasSequence;
        sequence = newSequence;
        hasSequence = true;
        length = encoder.seal(producerId, epoch, newSequence);
    }
}
