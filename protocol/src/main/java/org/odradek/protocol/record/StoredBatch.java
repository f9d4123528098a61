// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;

/**
 * A read-only view of one batch as the log stores it: its offsets, its header and its bytes. Its records are not
 * decoded or decompressed. The batch is a record batch (magic 2) or, in logs from before Kafka 0.11, one message of
 * magic 0 or 1, which may contain a compressed set of messages. The view is valid until the handler that received it
 * returns, so copy the bytes that you want to keep.
 *
 * @see <a href="https://kafka.apache.org/documentation/#recordbatch">Record batch, Kafka documentation</a>
 */
public abstract class StoredBatch
{
    /** The producer id, producer epoch, base sequence or leader epoch of a batch that has none. */
    public static final int NULL_VALUE = -1;

    int partition;
    int ownershipEpoch;
    int index;
    int limit;
    int recordCount;
    long baseOffset;
    long lastOffset;
    long fromOffset;
    boolean isLegacy;
    RecordMemory memory;
    RecordBatchFlyweight batch;
    LegacyMessageFlyweight message;
    ViewLifetime lifetime;

    StoredBatch()
    {
    }

    /** The id of the partition. */
    public final int partition()
    {
        ViewLifetime.check(lifetime);
        return partition;
    }

    /** The epoch of the consumer's ownership of the partition; see {@link Record#ownershipEpoch()}. */
    public final int ownershipEpoch()
    {
        ViewLifetime.check(lifetime);
        return ownershipEpoch;
    }

    /** The offset of the first record that was written to the batch, even if compaction has removed the record. */
    public final long baseOffset()
    {
        ViewLifetime.check(lifetime);
        return baseOffset;
    }

    /**
     * The offset of the last record that was written to the batch, even if compaction has removed the record. The
     * consumer continues at the offset after it.
     */
    public final long lastOffset()
    {
        ViewLifetime.check(lifetime);
        return lastOffset;
    }

    /**
     * The first offset of the batch that has not been delivered. It is greater than {@link #baseOffset()} if reading
     * began within the batch, or if some records of the batch have been delivered one by one. Code that decodes the
     * batch must skip the records before this offset.
     */
    public final long fromOffset()
    {
        ViewLifetime.check(lifetime);
        return fromOffset;
    }

    /**
     * The number of records in the batch, including those before {@link #fromOffset()}; it is never 0. For a record
     * batch it is the number in the header, which has not been compared with the records.
     */
    public final int recordCount()
    {
        ViewLifetime.check(lifetime);
        return recordCount;
    }

    /** The magic number of the format: 2 for a record batch; 0 or 1 for a message. */
    public final byte magic()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.magic() : batch.magic();
    }

    /**
     * The codec of the batch: a constant of {@link CompressionType}, or another value if the batch has an unknown
     * codec.
     */
    public final int compressionType()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.compressionType() : batch.compressionType();
    }

    /** Returns true if all records have the timestamp {@link #maxTimestamp()}, at which the broker appended them. */
    public final boolean isLogAppendTime()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.isLogAppendTime() : batch.isLogAppendTime();
    }

    /** The largest timestamp of a record in milliseconds since 1970; -1 for a message of magic 0. */
    public final long maxTimestamp()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.timestamp() : batch.maxTimestamp();
    }

    /** Returns true if a transaction wrote the batch. */
    public final boolean isTransactional()
    {
        ViewLifetime.check(lifetime);
        return !isLegacy && batch.isTransactional();
    }

    /** The id of the idempotent producer that wrote the batch, or else {@link #NULL_VALUE}. */
    public final long producerId()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.producerId();
    }

    /** The epoch of the idempotent producer that wrote the batch, or else {@link #NULL_VALUE}. */
    public final short producerEpoch()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.producerEpoch();
    }

    /**
     * The sequence number of the first record, if an idempotent producer wrote the batch, or else {@link #NULL_VALUE}.
     */
    public final int baseSequence()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.baseSequence();
    }

    /**
     * The epoch of the leader that appended the batch, or {@link #NULL_VALUE} if the log does not contain the epoch.
     */
    public final int leaderEpoch()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.partitionLeaderEpoch();
    }

    /**
     * The memory that contains the batch, from {@link #index()}, and other bytes. It must not be modified, or used
     * after the handler has returned.
     */
    public final DirectBuffer buffer()
    {
        ViewLifetime.check(lifetime);
        return memory.buffer();
    }

    /** The index of the first byte of the header in {@link #buffer()}. */
    public final int index()
    {
        ViewLifetime.check(lifetime);
        return index;
    }

    /** The length in bytes of the header and the records, as stored in the log. */
    public final int length()
    {
        ViewLifetime.check(lifetime);
        return limit - index;
    }

    /**
     * The bytes of the batch, from position to limit of a buffer that all batches share. The buffer is valid as long as
     * this view, and must not be modified.
     */
    public final ByteBuffer byteBuffer()
    {
        ViewLifetime.check(lifetime);
        return memory.batchView(index, limit - index);
    }
}
