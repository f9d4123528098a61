// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

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

    /** The position of the first record. */
    long firstPosition;
    /** When the first record was accepted, or its partition went on. */
    long beginNs;
    /** Taken by a request at least once: no record can be added. */
    boolean isSealed;
    /** The numbers below are those of the batch: a resend must have the same. */
    boolean hasSequence;
    long producerId;
    short epoch;
    int sequence;
    /** Length with the header, once it is sealed. */
    int length;
    /** An attempt has ended without an answer, or with one after which the batch may be in the log. */
    boolean isMaybeWritten;
    /** What a broker answered last, or 0. */
    short errorCode;
    /** The next batch of the partition, or of the pool. */
    Batch next;

    Batch(final RecordMemory memory, final int index, final int capacity)
    {
        this.memory = memory;
        this.index = index;
        this.capacity = capacity;
    }

    /** Begins an empty batch. */
    void begin()
    {
        encoder.begin(memory, index, capacity);
        isSealed = false;
        hasSequence = false;
        isMaybeWritten = false;
        errorCode = 0;
        next = null;
    }

    int count()
    {
        return encoder.recordCount();
    }

    /** Closes the batch, under a producer's numbers or none. */
    void seal(final long newProducerId, final short newEpoch, final int newSequence)
    {
        producerId = newProducerId;
        epoch = newEpoch;
        sequence = newSequence;
        isSealed = true;
        hasSequence = true;
        length = encoder.seal(newProducerId, newEpoch, newSequence);
    }
}
