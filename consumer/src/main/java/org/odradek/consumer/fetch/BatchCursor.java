// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.fetch.AbortedTransactionsFlyweight;
import org.odradek.protocol.record.BatchChecksum;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.StoredBatchFlyweight;

/**
 * Goes through a response from batch to batch, and stands at those that are to be delivered: sound, wanted, of no
 * aborted transaction if committed ones only are read, and never markers.
 */
final class BatchCursor
{
    private final boolean isCheckingCrcs;
    private final boolean isReadCommitted;
    private int entry;
    private int frameId;
    private int partition;
    private int generation;
    private int batchIndex;
    private long beginOffset;
    private boolean isLegacy;
    private BrokerFetcher fetcher;
    private FetchFrame frame;
    private final DecompressedBatch decompressed;
    private final LegacyBatch legacy;
    private final CorruptBatches corrupt;
    private final PartitionTable table;
    private final ConsumerEnvironment environment;
    private final CounterWriter counters;
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordFlyweight marker = new RecordFlyweight();
    private final AbortedTransactions aborted = new AbortedTransactions();
    private final AbortedTransactionsFlyweight abortedList = new AbortedTransactionsFlyweight();
    private final BatchChecksum checksum = new BatchChecksum();

    BatchCursor(
        final boolean isCheckingCrcs,
        final boolean isReadCommitted,
        final DecompressedBatch decompressed,
        final CorruptBatches corrupt,
        final PartitionTable table,
        final ConsumerEnvironment environment)
    {
        this.isCheckingCrcs = isCheckingCrcs;
        this.isReadCommitted = isReadCommitted;
        this.decompressed = decompressed;
        legacy = new LegacyBatch(isCheckingCrcs, decompressed);
        this.corrupt = corrupt;
        this.table = table;
        this.environment = environment;
        counters = environment.counters();
    }

    void open(final BrokerFetcher newFetcher)
    {
        fetcher = newFetcher;
        frame = newFetcher.frame();
        frameId = frame.id();
        entry = -1;
    }

    /**
     * Whether the response is still there: it is not once its connection has failed.
     */
    boolean isOpen()
    {
        return frame.id() == frameId;
    }

    /**
     * Go to the next batch to deliver.
     *
     * @return false after the last one of the response.
     */
    boolean next()
    {
        while (entry < frame.count())
        {
            if (entry < 0 || !isWanted())
            {
                nextEntry();
            }
            else
            {
                final int status = batch.wrap(frame.memory(), batchIndex, frame.limit(entry));
                isLegacy = status == RecordBatchFlyweight.LEGACY;
                if (isLegacy ? beginLegacy() : status == RecordBatchFlyweight.COMPLETE && beginBatch())
                {
                    return true;
                }
                if (status <= RecordBatchFlyweight.CUT_OFF)
                {
                    onNoBatch(status);
                }
            }
        }
        return false;
    }

    /**
     * Leave a note of how far the response has been read, should its connection fail.
     */
    void park()
    {
        frame.read(entry, batchIndex);
    }

    boolean isWanted()
    {
        return table.generation(partition) == generation;
    }

    int partition()
    {
        return partition;
    }

    /**
     * Of the batch, or of old messages, which have none, {@link PartitionTable#NULL_EPOCH}.
     */
    int leaderEpoch()
    {
        return isLegacy ? PartitionTable.NULL_EPOCH : batch.partitionLeaderEpoch();
    }

    int generation()
    {
        return generation;
    }

    private void nextEntry()
    {
        if (entry >= 0)
        {
            counters.add(ConsumerCounters.BYTES_DISCARDED, frame.limit(entry) - batchIndex);
            checkCaughtUp();
        }
        entry++;
        if (entry < frame.count())
        {
            partition = frame.partition(entry);
            generation = frame.generation(entry);
            batchIndex = frame.index(entry);
            beginOffset = table.nextOffset(partition);
            if (isReadCommitted)
            {
                beginAborted();
            }
        }
    }

    private void checkCaughtUp()
    {
        if (isWanted() && table.partition(partition).takeCaughtUp(table.nextOffset(partition), isReadCommitted))
        {
            environment.listener().onCaughtUp(partition, table.nextOffset(partition));
        }
    }

    private void beginAborted()
    {
        final int count = frame.abortedCount(entry);
        aborted.begin(abortedList.wrap(frame.memory().buffer(), frame.abortedIndex(entry), frame.index(entry), count,
            ApiKey.FETCH.isFlexible(frame.version())), count);
    }

    /**
     * Normally the log was cut at the byte limit of the fetch, and the next response begins with the batch that was
     * cut.
     */
    private void onNoBatch(final int status)
    {
        if (status == RecordBatchFlyweight.MALFORMED)
        {
            final int limit = CorruptBatches.limitOf(batch, frame.limit(entry));
            onCorrupt(limit < 0 ? PartitionTable.NULL_OFFSET : corrupt.offsetBehind(batch, limit, frame.limit(entry)),
                limit, batch.flaw() + inBatch());
        }
        else if (table.nextOffset(partition) == beginOffset)
        {
            // To ask again would give the same again, without end.
            onCorrupt(PartitionTable.NULL_OFFSET, frame.limit(entry), "a record set of " +
                (frame.limit(entry) - frame.index(entry)) + " bytes without a whole batch that reaches this offset");
        }
        else
        {
            batchIndex = frame.limit(entry);
            nextEntry();
        }
    }

    private boolean beginBatch()
    {
        if (batch.lastOffset() < table.nextOffset(partition))
        {
            batchIndex = batch.limit();
            return false;
        }
        if (isCheckingCrcs && checksum.compute(batch) != batch.crc())
        {
            onCorrupt(offsetBehind(false), batch.limit(), "CRC " + Integer.toHexString(checksum.compute(batch)) +
                " where " + Integer.toHexString(batch.crc()) + " was expected" + inBatch());
            return false;
        }
        if (batch.isControl())
        {
            onControl();
            return false;
        }
        if (isReadCommitted && aborted.isAborted(batch))
        {
            end(0);
            return false;
        }
        counters.add(
            ConsumerCounters.OFFSET_HOLES, Math.max(batch.baseOffset() - table.nextOffset(partition), 0));
        return true;
    }

    private boolean beginLegacy()
    {
        final int status =
            legacy.begin(frame.memory(), batchIndex, frame.limit(entry), table.nextOffset(partition));
        switch (status)
        {
            case LegacyBatch.BEGUN:
                return true;
            case LegacyBatch.SKIPPED:
                batchIndex = legacy.limit();
                return false;
            case LegacyBatch.CUT_OFF:
                onNoBatch(RecordBatchFlyweight.CUT_OFF);
                return false;
            default:
                final boolean isEndKnown = legacy.isLimitKnown() && legacy.lastOffset() >= 0;
                onCorrupt(isEndKnown ? legacy.lastOffset() + 1 : PartitionTable.NULL_OFFSET, legacy.limit(),
                    legacy.flaw());
                return false;
        }
    }

    /**
     * Control records are never delivered, whatever the isolation level.
     */
    private void onControl()
    {
        if (isReadCommitted)
        {
            marker.wrap(batch, frame.memory(), batch.recordsIndex(), batch.limit(), partition);
            aborted.onControl(batch, marker);
        }
        end(0);
    }

    /**
     * Let a record stand before the first one of the batch.
     *
     * @return false if they cannot be decompressed: then the batch is over.
     */
    boolean open(final RecordFlyweight record)
    {
        if (isLegacy)
        {
            legacy.open(partition, record);
        }
        else if (batch.compressionType() == CompressionType.NONE || batch.recordCount() == 0)
        {
            record.wrap(batch, batch.memory(), batch.recordsIndex(), batch.limit(), partition);
        }
        else if (decompressed.decompress(batch))
        {
            record.wrap(batch, decompressed.memory(), 0, decompressed.length(), partition);
        }
        else
        {
            onFlawed(decompressed.flaw());
            return false;
        }
        return true;
    }

    /**
     * Whether compaction has left no record in the batch.
     */
    boolean isEmpty()
    {
        return !isLegacy && batch.recordCount() == 0;
    }

    /**
     * Let a view of whole batches stand at the batch.
     */
    void open(final StoredBatchFlyweight stored)
    {
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
     * The batch has been delivered to its end. The position after it is behind the last offset it was written with,
     * whatever compaction has left of it: else its end would be asked for without end.
     */
    void end()
    {
        if (isLegacy)
        {
            pass(legacy.limit());
            table.delivered(partition, legacy.lastOffset() + 1, leaderEpoch());
        }
        else
        {
            end(batch.recordCount());
        }
    }

    private void end(final int recordCount)
    {
        passBatch(recordCount);
        table.delivered(partition, batch.lastOffset() + 1, leaderEpoch());
    }

    /**
     * The batch has been delivered as a whole; where its partition stands has been noted before.
     */
    void pass()
    {
        if (isLegacy)
        {
            pass(legacy.limit());
        }
        else
        {
            passBatch(batch.recordCount());
        }
    }

    private void passBatch(final int recordCount)
    {
        pass(batch.limit());
        final int holes = batch.lastOffsetDelta() + 1 - recordCount;
        if (holes > 0)
        {
            counters.add(ConsumerCounters.OFFSET_HOLES, holes);
        }
    }

    /**
     * Only now: of a batch that is given up half delivered, all bytes are fetched again, and count as discarded.
     */
    private void pass(final int limit)
    {
        counters.add(ConsumerCounters.RECORD_BYTES, limit - batchIndex);
        batchIndex = limit;
    }

    /**
     * The batch cannot be read to its end; it is over.
     *
     * @param flaw what was found where what was expected.
     */
    void onFlawed(final String flaw)
    {
        if (isLegacy)
        {
            onCorrupt(legacy.lastOffset() + 1, legacy.limit(), flaw + ", in the message at offset " +
                legacy.lastOffset());
        }
        else
        {
            // What is missing before the batch has been counted as a hole.
            onCorrupt(Math.max(batch.baseOffset(), table.nextOffset(partition)), offsetBehind(isCheckingCrcs),
                batch.limit(), flaw + inBatch());
        }
    }

    private long offsetBehind(final boolean isHeaderTrusted)
    {
        return isHeaderTrusted ? batch.lastOffset() + 1 :
            corrupt.offsetBehind(batch, batch.limit(), frame.limit(entry));
    }

    private void onCorrupt(final long toOffset, final int limit, final String what)
    {
        onCorrupt(table.nextOffset(partition), toOffset, limit, what);
    }

    private void onCorrupt(final long fromOffset, final long toOffset, final int limit, final String what)
    {
        if (corrupt.skipOrStop(fetcher.nodeId(), partition, fromOffset, toOffset, what))
        {
            counters.add(ConsumerCounters.BYTES_DISCARDED, limit - batchIndex);
            batchIndex = limit;
            generation = table.generation(partition);
        }
    }

    private String inBatch()
    {
        return ", in the batch at offset " + batch.baseOffset();
    }
}
