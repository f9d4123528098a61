// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.protocol.compression.Compressor;
import org.odradek.protocol.record.RecordBatchEncoder;
import org.odradek.protocol.record.RecordMemory;

/**
 * A slab of memory with the batch that is written into it, from the first record of the batch until the batch is
 * acknowledged or given up. The {@link BatchPool} owns all slabs; between two uses a slab belongs to no partition.
 */
final class Batch
{
    final RecordBatchEncoder encoder = new RecordBatchEncoder();
    private final RecordMemory memory;
    private final int index;
    private final int capacity;
    /** This field is null if batches are not compressed. */
    private final Compressor compressor;

    /** The position of the first record. */
    long firstPosition;
    /** The time when the first record was accepted, plus the time for which its partition had stopped. */
    long beginNs;
    /** True if no record can be added, because the batch is about to be sent or has been sent. */
    boolean isClosed;
    /**
     * True if the batch is sealed: its header has a producer id, an epoch and the sequence below, or none without
     * idempotence. Each resend must have the same header.
     */
    boolean hasSequence;
    int sequence;
    /** The length in bytes with the header, once the batch is sealed. */
    int length;
    /**
     * True if an attempt to send the batch has ended without an answer, or with an answer after which the batch may be
     * in the log.
     */
    boolean isMaybeWritten;
    /** The last error code with which a broker has answered, or 0. */
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

    /** Returns true if waiting for further records would hardly make the batch longer. */
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

    /** Writes a producer id, an epoch and a sequence, or none, into the header of the closed batch. */
    void seal(final long producerId, final short epoch, final int newSequence)
    {
        assert isClosed && !hasSequence;
        sequence = newSequence;
        hasSequence = true;
        length = encoder.seal(producerId, epoch, newSequence);
    }
}
