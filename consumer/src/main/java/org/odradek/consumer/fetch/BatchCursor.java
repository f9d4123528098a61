// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.CounterWriter;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.fetch.AbortedTransactionsFlyweight;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordMemory;
import org.odradek.protocol.record.StoredBatchFlyweight;

/** A cursor over the batches of a fetch response, which stops at the batches to deliver. */
final class BatchCursor
{
    static final int END = 0;
    /** The step has ended without a batch to deliver. */
    static final int SKIPPED = 1;
    static final int BATCH = 2;

    private final boolean isCheckingCrcs;
    private final boolean isReadCommitted;
    private final boolean isSkippingCorrupt;
    private int frameId;
    int partition;
    int generation;
    private long beginOffset;
    private boolean isLegacy;
    private FetchFrame frame;
    private final DecompressedBatch decompressed;
    private final LegacyBatch legacy;
    private final PartitionErrors errors;
    private final PartitionTable table;
    private final Environment environment;
    private final CounterWriter counters;
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordBatchFlyweight following = new RecordBatchFlyweight();
    private final RecordFlyweight marker = new RecordFlyweight();
    private final AbortedTransactions aborted = new AbortedTransactions();
    private final AbortedTransactionsFlyweight abortedList = new AbortedTransactionsFlyweight();

    BatchCursor(
        final DecompressedBatch decompressed,
        final PartitionErrors errors,
        final PartitionTable table,
        final Environment environment)
    {
        this.environment = environment;
        isCheckingCrcs = environment.settings().checkCrcs;
        isReadCommitted = environment.settings().isReadCommitted;
        isSkippingCorrupt = environment.settings().isSkippingCorrupt;
        this.decompressed = decompressed;
        this.errors = errors;
        this.table = table;
        legacy = new LegacyBatch(isCheckingCrcs, decompressed);
        counters = environment.counters();
    }

    void open(final FetchFrame newFrame)
    {
        frame = newFrame;
        frameId = frame.id;
    }

    boolean isOpen()
    {
        return frame.id == frameId;
    }

    /** @return {@link #BATCH}, {@link #SKIPPED} or {@link #END}. */
    int next()
    {
        while (frame.entry < frame.count)
        {
            if (frame.entry < 0 || !isCurrent())
            {
                nextEntry();
                continue;
            }
            final int status = batch.wrap(frame.memory, frame.batchIndex, frame.limits[frame.entry]);
            isLegacy = status == RecordBatchFlyweight.LEGACY;
            if (status > RecordBatchFlyweight.CUT_OFF)
            {
                return (isLegacy ? beginLegacy() : beginBatch()) ? BATCH : SKIPPED;
            }
            if (!onNoBatch(status))
            {
                return SKIPPED;
            }
        }
        return END;
    }

    boolean isCompressed()
    {
        return isLegacy ? legacy.isCompressed() : batch.compressionType() != CompressionType.NONE;
    }

    boolean isCurrent()
    {
        return table.generation(partition) == generation;
    }

    /** Returns the leader epoch of the batch; {@link PartitionTable#NULL_EPOCH} for messages of magic 0 and 1. */
    int leaderEpoch()
    {
        return isLegacy ? PartitionTable.NULL_EPOCH : batch.partitionLeaderEpoch();
    }

    int ownershipEpoch()
    {
        return table.partition(partition).ownershipEpoch();
    }

    private void nextEntry()
    {
        final int next = frame.entry + 1;
        if (isReadCommitted && next < frame.count)
        {
            // This is done first: if there is no memory for the list, the cursor must not have moved.
            beginAborted(next);
        }
        if (frame.entry >= 0)
        {
            counters.add(ConsumerCounters.BYTES_DISCARDED, frame.limits[frame.entry] - frame.batchIndex);
            checkCaughtUp();
        }
        frame.entry = next;
        if (next < frame.count)
        {
            partition = frame.partitions[next];
            generation = frame.generations[next];
            frame.batchIndex = frame.indexes[next];
            beginOffset = table.nextOffset(partition);
        }
        assert frame.isConsistent();
    }

    private void beginAborted(final int next)
    {
        final int count = frame.abortedCounts[next];
        aborted.begin(abortedList.wrap(frame.memory.buffer(), frame.abortedIndexes[next], frame.indexes[next], count,
            ApiKey.FETCH.isFlexible(frame.version)), count);
    }

    private void checkCaughtUp()
    {
        if (isCurrent() && table.partition(partition).takeCaughtUp(table.nextOffset(partition), isReadCommitted))
        {
            environment.listener().onCaughtUp(partition, table.nextOffset(partition));
        }
    }

    /** @return true at the end of the record set, which the cursor has left; false if the record set is corrupt. */
    private boolean onNoBatch(final int status)
    {
        final int recordsLimit = frame.limits[frame.entry];
        if (status == RecordBatchFlyweight.MALFORMED)
        {
            final int limit = limitOfMalformed(recordsLimit);
            onCorrupt(table.nextOffset(partition), limit < 0 ? PartitionTable.NULL_OFFSET : offsetAfter(limit), limit,
                PartitionErrors.inBatch(batch.flaw(), batch.baseOffset()));
        }
        else if (table.nextOffset(partition) == beginOffset)
        {
            // Every further request would return the same record set.
            onCorrupt(beginOffset, PartitionTable.NULL_OFFSET, recordsLimit,
                "a record set of " + (recordsLimit - frame.indexes[frame.entry]) +
                " bytes without a whole batch that reaches this offset");
        }
        else
        {
            frame.batchIndex = recordsLimit;
            nextEntry();
            return true;
        }
        return false;
    }

    private boolean beginBatch()
    {
        final long nextOffset = table.nextOffset(partition);
        // The checksum of a batch before the next offset is checked, too, because its last offset may be corrupt.
        if (isCheckingCrcs && batch.computeCrc() != batch.crc())
        {
            onCorrupt(nextOffset, offsetAfter(batch.limit()), batch.limit(),
                PartitionErrors.crcFlaw(batch.computeCrc(), batch.crc(), batch.baseOffset()));
            return false;
        }
        if (isReadCommitted && batch.isControl())
        {
            // A marker before the next offset counts, too, because the list may name the transaction that it ends.
            marker.wrap(batch, frame.memory, batch.recordsIndex(), batch.limit(), partition);
            aborted.onControl(batch, marker);
        }
        if (batch.lastOffset() < nextOffset)
        {
            frame.batchIndex = batch.limit();
            return false;
        }
        // Control records are never delivered, whatever the isolation level.
        if (batch.isControl() || isReadCommitted && aborted.findAborted(batch))
        {
            end(0);
            return false;
        }
        counters.add(ConsumerCounters.OFFSET_HOLES, Math.max(batch.baseOffset() - nextOffset, 0));
        return true;
    }

    private boolean beginLegacy()
    {
        final long nextOffset = table.nextOffset(partition);
        switch (legacy.begin(frame.memory, frame.batchIndex, frame.limits[frame.entry], nextOffset))
        {
            case LegacyBatch.BEGUN:
                return true;
            case LegacyBatch.SKIPPED:
                frame.batchIndex = legacy.limit();
                return false;
            case LegacyBatch.CUT_OFF:
                onNoBatch(RecordBatchFlyweight.CUT_OFF);
                return false;
            default:
                final boolean isEndKnown =
                    legacy.isLimitKnown() && legacy.lastOffset() >= 0 && legacy.lastOffset() < Long.MAX_VALUE;
                onCorrupt(nextOffset, isEndKnown ? legacy.lastOffset() + 1 : PartitionTable.NULL_OFFSET,
                    legacy.limit(), legacy.flaw());
                return false;
        }
    }

    /** @return false if the records cannot be decompressed; the batch was then handled as corrupt. */
    boolean open(final RecordFlyweight record)
    {
        record.ownershipEpoch(ownershipEpoch());
        if (isLegacy)
        {
            legacy.open(partition, record);
        }
        else if (batch.compressionType() == CompressionType.NONE || batch.recordCount() == 0)
        {
            record.wrap(batch, batch.memory(), batch.recordsIndex(), batch.limit(), partition);
        }
        else if (decompressed.decompress(batch.compressionType(), batch.magic(), batch.memory(), batch.recordsIndex(),
            batch.limit() - batch.recordsIndex()))
        {
            record.wrap(batch, decompressed.memory, 0, decompressed.length, partition);
        }
        else
        {
            onFlawed(decompressed.flaw);
            return false;
        }
        return true;
    }

    boolean isEmpty()
    {
        return !isLegacy && batch.recordCount() == 0;
    }

    void open(final StoredBatchFlyweight stored)
    {
        stored.ownershipEpoch(ownershipEpoch());
        if (isLegacy)
        {
            legacy.open(partition, table.nextOffset(partition), stored);
        }
        else
        {
            stored.wrap(batch, partition, table.nextOffset(partition));
        }
    }

    /**
     * Sets the next offset to one more than the last offset in the header of the batch, even if compaction has removed
     * the last record.
     */
    void end()
    {
        if (isLegacy)
        {
            pass(legacy.limit(), 0);
            table.delivered(partition, legacy.lastOffset() + 1, PartitionTable.NULL_EPOCH);
        }
        else
        {
            end(batch.recordCount());
        }
    }

    private void end(final int recordCount)
    {
        pass(batch.limit(), batch.lastOffsetDelta() + 1 - recordCount);
        table.delivered(partition, batch.lastOffset() + 1, batch.partitionLeaderEpoch());
    }

    /** Moves past a batch that has been delivered as a whole, and does not change the next offset. */
    void pass()
    {
        if (isLegacy)
        {
            pass(legacy.limit(), 0);
        }
        else
        {
            pass(batch.limit(), batch.lastOffsetDelta() + 1 - batch.recordCount());
        }
    }

    /**
     * Counts the bytes of a batch at its end, because a batch that is delivered in part may be fetched again as a
     * whole.
     */
    private void pass(final int limit, final int holes)
    {
        counters.add(ConsumerCounters.RECORD_BYTES, limit - frame.batchIndex);
        frame.batchIndex = limit;
        if (holes > 0)
        {
            counters.add(ConsumerCounters.OFFSET_HOLES, holes);
        }
        assert frame.isConsistent();
    }

    void onFlawed(final String flaw)
    {
        if (isLegacy)
        {
            onCorrupt(table.nextOffset(partition), legacy.lastOffset() + 1, legacy.limit(),
                PartitionErrors.inMessage(flaw, legacy.lastOffset()));
        }
        else
        {
            // Offsets missing before the batch have been counted as holes.
            onCorrupt(Math.max(batch.baseOffset(), table.nextOffset(partition)),
                isCheckingCrcs ? batch.lastOffset() + 1 : offsetAfter(batch.limit()), batch.limit(),
                PartitionErrors.inBatch(flaw, batch.baseOffset()));
        }
    }

    private void onCorrupt(final long fromOffset, final long toOffset, final int limit, final String flaw)
    {
        final StopReason reason = decompressed.takeReason();
        if (!isSkippingCorrupt || reason != StopReason.CORRUPT_BATCH)
        {
            errors.onUnreadable(frame.nodeId(), partition, reason, flaw);
        }
        else if (errors.skipOrStop(frame.nodeId(), partition, fromOffset, toOffset, flaw))
        {
            counters.add(ConsumerCounters.BYTES_DISCARDED, limit - frame.batchIndex);
            frame.batchIndex = limit;
            generation = table.generation(partition);
        }
    }

    /** Returns the index after a batch with a malformed header, or -1 if its length is impossible, too. */
    private int limitOfMalformed(final int recordsLimit)
    {
        final int length = batch.batchLength();
        final int begin = batch.index() + RecordBatchFlyweight.LENGTH_OVERHEAD;
        final boolean isPossible =
            length >= RecordBatchFlyweight.HEADER_LENGTH - RecordBatchFlyweight.LENGTH_OVERHEAD &&
            length <= recordsLimit - begin;
        return isPossible ? begin + length : -1;
    }

    /**
     * Returns the first offset after a batch whose header cannot be trusted: the base offset of the next batch in the
     * record set, or else one more than the last offset in the header.
     *
     * @return the offset, or {@link PartitionTable#NULL_OFFSET} if it is not known.
     */
    private long offsetAfter(final int limit)
    {
        final boolean isFormatKnown = batch.magic() == RecordBatchFlyweight.MAGIC_V2;
        final long next = baseOffsetAt(batch.memory(), limit, isFormatKnown);
        if (next != PartitionTable.NULL_OFFSET || !isFormatKnown)
        {
            return next;
        }
        final boolean isPossible = (batch.baseOffset() | batch.lastOffsetDelta() | batch.lastOffset() + 1) >= 0;
        return isPossible ? batch.lastOffset() + 1 : PartitionTable.NULL_OFFSET;
    }

    /** @param isHeaderEnough false if a batch must be complete to be recognized. */
    private long baseOffsetAt(final RecordMemory memory, final int index, final boolean isHeaderEnough)
    {
        final int limit = frame.limits[frame.entry];
        final int status = following.wrap(memory, index, limit);
        final boolean isBatch = status == RecordBatchFlyweight.COMPLETE || isHeaderEnough &&
            status == RecordBatchFlyweight.CUT_OFF && limit - index > RecordBatchFlyweight.MAGIC_FIELD_OFFSET;
        return isBatch && following.baseOffset() >= 0 ? following.baseOffset() : PartitionTable.NULL_OFFSET;
    }
}
