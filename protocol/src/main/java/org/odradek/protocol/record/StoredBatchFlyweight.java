// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/**
 * A view of one batch as the log holds it: its range, its header and its bytes, with its records left as they are,
 * compressed ones too. It is a record batch (magic 2), or in logs from before Kafka 0.11 one message of magic 0 or 1,
 * which may hold a compressed set of messages. A handler gets it for the length of one call: what it keeps it must copy
 * before it returns.
 *
 * @see <a href="https://kafka.apache.org/documentation/#recordbatch">Record batch, Kafka documentation</a>
 */
public final class StoredBatchFlyweight
{
    /**
     * Producer id, producer epoch, base sequence or leader epoch of a batch that has none.
     */
    public static final int NULL_VALUE = -1;

    private int partition;
    private int index;
    private int limit;
    private int recordCount;
    private long baseOffset;
    private long lastOffset;
    private long fromOffset;
    private boolean isLegacy;
    private RecordMemory memory;
    private RecordBatchFlyweight batch;
    private LegacyMessageFlyweight message;
    private ViewLifetime lifetime;

    /**
     * View a record batch.
     *
     * @param newBatch     a complete one.
     * @param newPartition that it belongs to.
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
     * View a message of magic 0 or 1; its {@link #range} is to be told.
     *
     * @param newMessage   a complete one.
     * @param newPartition that it belongs to.
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
     * What the header of a compressed message of magic 0 or 1 does not say.
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

    private void wrap(final RecordMemory newMemory, final int newIndex, final int newLimit, final int newPartition)
    {
        memory = newMemory;
        index = newIndex;
        limit = newLimit;
        partition = newPartition;
    }

    /**
     * Another view of the same batch.
     *
     * @param copy of its bytes, and of nothing else.
     */
    StoredBatchFlyweight copy(final RecordMemory copy)
    {
        final StoredBatchFlyweight other = new StoredBatchFlyweight();
        if (isLegacy)
        {
            final LegacyMessageFlyweight sameMessage = new LegacyMessageFlyweight();
            sameMessage.wrap(copy, 0, copy.capacity());
            other.wrapLegacy(sameMessage, partition);
        }
        else
        {
            final RecordBatchFlyweight sameBatch = new RecordBatchFlyweight();
            sameBatch.wrap(copy, 0, copy.capacity());
            other.wrap(sameBatch, partition, fromOffset);
        }
        other.range(baseOffset, lastOffset, recordCount, fromOffset);
        return other;
    }

    /**
     * Let the accessors check whether it is over.
     */
    void lifetime(final ViewLifetime lent)
    {
        lifetime = lent;
    }

    public int partition()
    {
        ViewLifetime.check(lifetime);
        return partition;
    }

    /**
     * Of the first record that was written into the batch, whether or not compaction has left it there.
     */
    public long baseOffset()
    {
        ViewLifetime.check(lifetime);
        return baseOffset;
    }

    /**
     * Of the last record that was written into the batch, whether or not compaction has left it there. Reading goes on
     * behind it.
     */
    public long lastOffset()
    {
        ViewLifetime.check(lifetime);
        return lastOffset;
    }

    /**
     * The first offset of the batch that has not been delivered and is wanted. It is behind {@link #baseOffset()} where
     * reading began within the batch, or after records of it were delivered one by one: whoever decodes the batch is
     * to drop those before it.
     */
    public long fromOffset()
    {
        ViewLifetime.check(lifetime);
        return fromOffset;
    }

    /**
     * Records in the batch, those before {@link #fromOffset()} among them; never 0. A record batch says so itself, and
     * is not decoded to see whether it is so.
     */
    public int recordCount()
    {
        ViewLifetime.check(lifetime);
        return recordCount;
    }

    /**
     * 2 for a record batch; 0 or 1 for a message.
     */
    public byte magic()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.magic() : batch.magic();
    }

    /**
     * One of the constants of {@link CompressionType}; others are handed on as they are.
     */
    public int compressionType()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.compressionType() : batch.compressionType();
    }

    /**
     * True if all records have the time at which the broker appended the batch, {@link #maxTimestamp()}.
     */
    public boolean isLogAppendTime()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.isLogAppendTime() : batch.isLogAppendTime();
    }

    /**
     * The latest time of a record, in ms, or -1 where there is none, as in a message of magic 0.
     */
    public long maxTimestamp()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.timestamp() : batch.maxTimestamp();
    }

    public boolean isTransactional()
    {
        ViewLifetime.check(lifetime);
        return !isLegacy && batch.isTransactional();
    }

    /**
     * Of an idempotent producer, or {@link #NULL_VALUE}.
     */
    public long producerId()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.producerId();
    }

    /**
     * Of an idempotent producer, or {@link #NULL_VALUE}.
     */
    public short producerEpoch()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.producerEpoch();
    }

    /**
     * Of the first record, counted by an idempotent producer, or {@link #NULL_VALUE}.
     */
    public int baseSequence()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.baseSequence();
    }

    /**
     * Of the leader that appended the batch, or {@link #NULL_VALUE}.
     */
    public int leaderEpoch()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.partitionLeaderEpoch();
    }

    /**
     * What holds the bytes, from {@link #index()} on. It holds more than them, and is not to be written to.
     */
    public UnsafeBuffer buffer()
    {
        ViewLifetime.check(lifetime);
        return memory.buffer();
    }

    /**
     * Of the first byte of the header.
     */
    public int index()
    {
        ViewLifetime.check(lifetime);
        return index;
    }

    /**
     * Of header and records, in bytes, as the log holds them.
     */
    public int length()
    {
        ViewLifetime.check(lifetime);
        return limit - index;
    }

    /**
     * The bytes from position to limit of a view made once: for a channel, say. Valid as long as this is, and not to be
     * written to.
     */
    public ByteBuffer byteBuffer()
    {
        ViewLifetime.check(lifetime);
        return memory.batchView(index, limit - index);
    }
}
