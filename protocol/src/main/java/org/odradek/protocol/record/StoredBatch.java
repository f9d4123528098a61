// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;

/**
 * A read-only view of one batch as the log stores it: its offsets, its header and its bytes. Its records are not
 * decoded or decompressed. It is a record batch (magic 2) or, in logs from before Kafka 0.11, one message of magic 0 or
 * 1, which may contain a compressed set of messages. It is valid until the handler that received it returns: copy what
 * you want to keep.
 *
 * @see <a href="https://kafka.apache.org/documentation/#recordbatch">Record batch, Kafka documentation</a>
 */
public abstract class StoredBatch
{
    /** Producer id, producer epoch, base sequence or leader epoch of a batch that has none. */
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

    /** The partition id. */
    public final int partition()
    {
        ViewLifetime.check(lifetime);
        return partition;
    }

    /** The epoch under which the consumer reads the partition: see {@link Record#ownershipEpoch()}. */
    public final int ownershipEpoch()
    {
        ViewLifetime.check(lifetime);
        return ownershipEpoch;
    }

    /** Offset of the first record that was written to the batch, even if compaction has removed it. */
    public final long baseOffset()
    {
        ViewLifetime.check(lifetime);
        return baseOffset;
    }

    /**
     * Offset of the last record that was written to the batch, even if compaction has removed it. Reading continues at
     * the offset after it.
     */
    public final long lastOffset()
    {
        ViewLifetime.check(lifetime);
        return lastOffset;
    }

    /**
     * The first offset of the batch that has not been delivered. It is greater than {@link #baseOffset()} if reading
     * began within the batch or if records of it have been delivered one by one. Code that decodes the batch must skip
     * the records before it.
     */
    public final long fromOffset()
    {
        ViewLifetime.check(lifetime);
        return fromOffset;
    }

    /**
     * Number of records in the batch, including those before {@link #fromOffset()}; never 0. This is the number in the
     * header of a record batch, which has not been compared with its records.
     */
    public final int recordCount()
    {
        ViewLifetime.check(lifetime);
        return recordCount;
    }

    /** 2 for a record batch; 0 or 1 for a message. */
    public final byte magic()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.magic() : batch.magic();
    }

    /** One of the constants of {@link CompressionType}, or any other value that the batch contains. */
    public final int compressionType()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.compressionType() : batch.compressionType();
    }

    /** True if the timestamp of all records is the time when the broker appended them, {@link #maxTimestamp()}. */
    public final boolean isLogAppendTime()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.isLogAppendTime() : batch.isLogAppendTime();
    }

    /** Largest timestamp of a record in milliseconds since 1970, or -1 in a message of magic 0. */
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

    /** Set by an idempotent producer, else {@link #NULL_VALUE}. */
    public final long producerId()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.producerId();
    }

    /** Set by an idempotent producer, else {@link #NULL_VALUE}. */
    public final short producerEpoch()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.producerEpoch();
    }

    /** Sequence number of the first record, set by an idempotent producer, else {@link #NULL_VALUE}. */
    public final int baseSequence()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.baseSequence();
    }

    /** Epoch of the leader that appended the batch, or {@link #NULL_VALUE}. */
    public final int leaderEpoch()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.partitionLeaderEpoch();
    }

    /** The memory that contains the batch from {@link #index()}, and other bytes. It must not be written to. */
    public final DirectBuffer buffer()
    {
        ViewLifetime.check(lifetime);
        return memory.buffer();
    }

    /** Index of the first byte of the header. */
    public final int index()
    {
        ViewLifetime.check(lifetime);
        return index;
    }

    /** Length of header and records in bytes, as stored in the log. */
    public final int length()
    {
        ViewLifetime.check(lifetime);
        return limit - index;
    }

    /**
     * The bytes of the batch, from position to limit of one buffer that all batches share. It is valid as long as this
     * view and must not be written to.
     */
    public final ByteBuffer byteBuffer()
    {
        ViewLifetime.check(lifetime);
        return memory.batchView(index, limit - index);
    }
}
