// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;

/**
 * A read-only view of one batch as the log stores it: its offsets, its header and its bytes, with its records left as
 * they are, compressed ones too. It is a record batch (magic 2) or, in logs from before Kafka 0.11, one message of
 * magic 0 or 1, which may contain a compressed set of messages. It is valid until the handler that was given it
 * returns: copy what you want to keep.
 *
 * @see <a href="https://kafka.apache.org/documentation/#recordbatch">Record batch, Kafka documentation</a>
 */
public abstract class StoredBatch
{
    /** Producer id, producer epoch, base sequence or leader epoch of a batch that has none. */
    public static final int NULL_VALUE = -1;

    int partition;
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

    public final int partition()
    {
        ViewLifetime.check(lifetime);
        return partition;
    }

    /** Of the first record that was written into the batch, whether or not compaction has left it there. */
    public final long baseOffset()
    {
        ViewLifetime.check(lifetime);
        return baseOffset;
    }

    /**
     * Of the last record that was written into the batch, whether or not compaction has left it there. Reading goes on
     * behind it.
     */
    public final long lastOffset()
    {
        ViewLifetime.check(lifetime);
        return lastOffset;
    }

    /**
     * The first offset of the batch that has not been delivered and is wanted. It is behind {@link #baseOffset()} where
     * reading began within the batch, or after records of it were delivered one by one: whoever decodes the batch is
     * to drop those before it.
     */
    public final long fromOffset()
    {
        ViewLifetime.check(lifetime);
        return fromOffset;
    }

    /**
     * Records in the batch, those before {@link #fromOffset()} among them; never 0. A record batch says so itself, and
     * is not decoded to see whether it is so.
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

    /** One of the constants of {@link CompressionType}; others are handed on as they are. */
    public final int compressionType()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.compressionType() : batch.compressionType();
    }

    /** True if all records have the time at which the broker appended the batch, {@link #maxTimestamp()}. */
    public final boolean isLogAppendTime()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.isLogAppendTime() : batch.isLogAppendTime();
    }

    /** The latest time of a record, in ms, or -1 where there is none, as in a message of magic 0. */
    public final long maxTimestamp()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? message.timestamp() : batch.maxTimestamp();
    }

    public final boolean isTransactional()
    {
        ViewLifetime.check(lifetime);
        return !isLegacy && batch.isTransactional();
    }

    /** Of an idempotent producer, or {@link #NULL_VALUE}. */
    public final long producerId()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.producerId();
    }

    /** Of an idempotent producer, or {@link #NULL_VALUE}. */
    public final short producerEpoch()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.producerEpoch();
    }

    /** Of the first record, counted by an idempotent producer, or {@link #NULL_VALUE}. */
    public final int baseSequence()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.baseSequence();
    }

    /** Of the leader that appended the batch, or {@link #NULL_VALUE}. */
    public final int leaderEpoch()
    {
        ViewLifetime.check(lifetime);
        return isLegacy ? NULL_VALUE : batch.partitionLeaderEpoch();
    }

    /** What holds the bytes, from {@link #index()} on. It holds more than them, and is not to be written to. */
    public final DirectBuffer buffer()
    {
        ViewLifetime.check(lifetime);
        return memory.buffer();
    }

    /** Of the first byte of the header. */
    public final int index()
    {
        ViewLifetime.check(lifetime);
        return index;
    }

    /** Of header and records, in bytes, as the log holds them. */
    public final int length()
    {
        ViewLifetime.check(lifetime);
        return limit - index;
    }

    /**
     * The bytes from position to limit of a view made once: for a channel, say. Valid as long as this is, and not to be
     * written to.
     */
    public final ByteBuffer byteBuffer()
    {
        ViewLifetime.check(lifetime);
        return memory.batchView(index, limit - index);
    }
}
