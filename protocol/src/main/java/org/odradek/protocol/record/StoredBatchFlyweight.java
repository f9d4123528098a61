// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

/** The {@link StoredBatch} that the delivery loop wraps around each batch in turn. */
public final class StoredBatchFlyweight extends StoredBatch
{
    /**
     * Views a record batch.
     *
     * @param newBatch     a complete batch.
     * @param newPartition of the batch.
     * @param nextOffset   of the partition.
     */
    public void wrap(final RecordBatchFlyweight newBatch, final int newPartition, final long nextOffset)
    {
        isLegacy = false;
        batch = newBatch;
        wrap(newBatch.memory(), newBatch.index(), newBatch.limit(), newPartition);
        range(newBatch.baseOffset(), newBatch.lastOffset(), newBatch.recordCount(), nextOffset);
    }

    /**
     * Views a message of magic 0 or 1. Its {@link #range} must be set next.
     *
     * @param newMessage   a complete message.
     * @param newPartition of the message.
     * @return this.
     */
    public StoredBatchFlyweight wrapLegacy(final LegacyMessageFlyweight newMessage, final int newPartition)
    {
        isLegacy = true;
        message = newMessage;
        wrap(newMessage.memory(), newMessage.index(), newMessage.limit(), newPartition);
        return this;
    }

    /**
     * Sets the values that the header of a compressed message of magic 0 or 1 does not contain.
     *
     * @param newBaseOffset  of the first record.
     * @param newLastOffset  of the last record.
     * @param newRecordCount at least 1.
     * @param nextOffset     of the partition.
     */
    public void range(
        final long newBaseOffset, final long newLastOffset, final int newRecordCount, final long nextOffset)
    {
        baseOffset = newBaseOffset;
        lastOffset = newLastOffset;
        recordCount = newRecordCount;
        fromOffset = Math.max(newBaseOffset, nextOffset);
    }

    /** Sets the epoch of the batches that follow. */
    public void ownershipEpoch(final int epoch)
    {
        ownershipEpoch = epoch;
    }

    private void wrap(final RecordMemory newMemory, final int newIndex, final int newLimit, final int newPartition)
    {
        memory = newMemory;
        index = newIndex;
        limit = newLimit;
        partition = newPartition;
    }

    /**
     * Creates another view of the same batch.
     *
     * @param bytes a copy of the batch, and nothing else.
     */
    static StoredBatch copyOf(final StoredBatch batch, final RecordMemory bytes, final ViewLifetime lifetime)
    {
        final StoredBatchFlyweight copy = new StoredBatchFlyweight();
        if (batch.isLegacy)
        {
            final LegacyMessageFlyweight message = new LegacyMessageFlyweight();
            message.wrap(bytes, 0, bytes.capacity());
            copy.wrapLegacy(message, batch.partition);
        }
        else
        {
            final RecordBatchFlyweight recordBatch = new RecordBatchFlyweight();
            recordBatch.wrap(bytes, 0, bytes.capacity());
            copy.wrap(recordBatch, batch.partition, batch.fromOffset);
        }
        copy.range(batch.baseOffset, batch.lastOffset, batch.recordCount, batch.fromOffset);
        copy.ownershipEpoch = batch.ownershipEpoch;
        copy.lifetime = lifetime;
        return copy;
    }
}
