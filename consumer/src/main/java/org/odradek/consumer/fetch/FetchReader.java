/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.fetch;

import org.odradek.consumer.handler.ConsumerException;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.fetch.AbortedTransactionsFlyweight;
import org.odradek.protocol.record.BatchChecksum;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;

/**
 * The one loop from a response to the handler: partition, batch, record. It keeps its place between polls, and ends
 * one response before it begins another.
 */
public final class FetchReader
{
    private final boolean isCheckingCrcs;
    private final boolean isReadCommitted;
    private final DecompressedBatch decompressed;
    private final LegacyBatch legacy;
    private int entry;
    private int frameId;
    private int partition;
    private int generation;
    private int batchIndex;
    private long beginOffset;
    private int delivered;
    private int published;
    private boolean isInBatch;
    private boolean isLegacy;
    private boolean isHeld;
    private boolean isOpen;
    private BrokerFetcher fetcher;
    private FetchFrame frame;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final ConsumerEnvironment environment;
    private final ConsumerCounters counters;
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordFlyweight record = new RecordFlyweight();
    private final AbortedTransactions aborted = new AbortedTransactions();
    private final AbortedTransactionsFlyweight abortedList = new AbortedTransactionsFlyweight();
    private final BatchChecksum checksum = new BatchChecksum();

    /**
     * @param isCheckingCrcs  compare each batch with its checksum.
     * @param isReadCommitted deliver nothing of aborted transactions.
     * @param decompressed    where compressed batches are decompressed into.
     * @param errors          what to do with a partition in error.
     * @param table           of the partitions.
     */
    public FetchReader(
        final boolean isCheckingCrcs,
        final boolean isReadCommitted,
        final DecompressedBatch decompressed,
        final PartitionErrors errors,
        final PartitionTable table)
    {
        this.isReadCommitted = isReadCommitted;
        this.decompressed = decompressed;
        legacy = new LegacyBatch(isCheckingCrcs, decompressed);
        this.isCheckingCrcs = isCheckingCrcs;
        this.errors = errors;
        this.table = table;
        environment = errors.environment();
        counters = environment.counters();
    }

    /**
     * Whether a response has been begun and not ended.
     */
    public boolean isOpen()
    {
        return isOpen;
    }

    /**
     * Begin the response that a fetcher holds.
     *
     * @param newFetcher that {@link BrokerFetcher#isDelivering()}.
     */
    public void open(final BrokerFetcher newFetcher)
    {
        fetcher = newFetcher;
        frame = newFetcher.frame();
        frameId = frame.id();
        entry = -1;
        isInBatch = false;
        isOpen = true;
    }

    /**
     * Deliver records of the response that was begun.
     *
     * @param handler     to call.
     * @param recordLimit at most so many.
     * @return records delivered.
     */
    public int poll(final ControlledRecordHandler handler, final int recordLimit)
    {
        if (frame.id() != frameId)
        {
            isOpen = false;
            return 0;
        }
        isHeld = false;
        delivered = 0;
        published = 0;
        try
        {
            while (delivered < recordLimit && !isHeld)
            {
                if (!isInBatch && !nextBatch())
                {
                    isOpen = false;
                    fetcher.endFrame();
                    break;
                }
                deliverBatch(handler, recordLimit - delivered);
            }
        }
        finally
        {
            publish(delivered);
        }
        return delivered;
    }

    /**
     * Go to the next batch with records to deliver.
     *
     * @return false after the last one of the response.
     */
    private boolean nextBatch()
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

    private boolean isWanted()
    {
        return table.generation(partition) == generation;
    }

    private void nextEntry()
    {
        if (entry >= 0)
        {
            counters.add(ConsumerCounters.BYTES_DISCARDED, frame.limit(entry) - batchIndex);
            if (isWanted() &&
                table.logs().takeCaughtUp(partition, table.nextOffset(partition), isReadCommitted))
            {
                environment.listener().onCaughtUp(partition, table.nextOffset(partition));
            }
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
            onCorrupt(batch.flaw() + inBatch());
        }
        else if (table.nextOffset(partition) == beginOffset)
        {
            // To ask again would give the same again, without end.
            onCorrupt("a record set of " + (frame.limit(entry) - frame.index(entry)) +
                " bytes without a whole batch that reaches this offset");
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
            onCorrupt("CRC " + Integer.toHexString(checksum.compute(batch)) + " where " +
                Integer.toHexString(batch.crc()) + " was expected" + inBatch());
            return false;
        }
        if (batch.isControl())
        {
            onControl();
            return false;
        }
        if (isReadCommitted && aborted.isAborted(batch))
        {
            endBatch(0);
            return false;
        }
        if (batch.compressionType() == CompressionType.NONE || batch.recordCount() == 0)
        {
            record.wrap(batch, frame.memory(), batch.recordsIndex(), batch.limit(), partition);
        }
        else if (decompressed.decompress(batch))
        {
            record.wrap(batch, decompressed.memory(), 0, decompressed.length(), partition);
        }
        else
        {
            onCorrupt(decompressed.flaw() + inBatch());
            return false;
        }
        counters.add(
            ConsumerCounters.OFFSET_HOLES, Math.max(batch.baseOffset() - table.nextOffset(partition), 0));
        isInBatch = true;
        return true;
    }

    private boolean beginLegacy()
    {
        final int status = legacy.begin(
            frame.memory(), batchIndex, frame.limit(entry), table.nextOffset(partition), partition, record);
        switch (status)
        {
            case LegacyBatch.BEGUN:
                isInBatch = true;
                return true;
            case LegacyBatch.SKIPPED:
                batchIndex = legacy.limit();
                return false;
            case LegacyBatch.CUT_OFF:
                onNoBatch(RecordBatchFlyweight.CUT_OFF);
                return false;
            default:
                onCorrupt(legacy.flaw());
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
            record.wrap(batch, frame.memory(), batch.recordsIndex(), batch.limit(), partition);
            aborted.onControl(batch, record);
        }
        endBatch(0);
    }

    private void deliverBatch(final ControlledRecordHandler handler, final int recordLimit)
    {
        final RecordFlyweight record = this.record;
        final int partition = this.partition;
        final int generation = this.generation;
        final int[] generations = table.generations();
        final long[] nextOffsets = table.nextOffsets();
        long nextOffset = nextOffsets[partition];
        int count = 0;
        try
        {
            while (count < recordLimit && generations[partition] == generation)
            {
                if (!record.next())
                {
                    endRecords();
                    break;
                }
                final long offset = record.offset();
                if (offset >= nextOffset)          // a batch may begin before the offset that was asked for
                {
                    nextOffset = offset + 1;
                    nextOffsets[partition] = nextOffset;
                    count++;
                    final Action action = handler.onRecord(record);
                    if (action != Action.CONTINUE && action != null)
                    {
                        count -= steer(action, delivered + count);
                        if (isHeld)
                        {
                            break;
                        }
                    }
                }
            }
        }
        catch (final Exception ex)
        {
            onHandlerFailed(ex);
        }
        finally
        {
            delivered += count;
            noteEpoch(count, nextOffset);
        }
        isInBatch &= isWanted();
    }

    /**
     * Of a batch that is delivered in part, unless its handler has sought elsewhere.
     */
    private void noteEpoch(final int count, final long behindOffset)
    {
        final long nextOffset = table.nextOffset(partition);
        if (count > 0 && (nextOffset == behindOffset || isHeld && nextOffset == behindOffset - 1))
        {
            table.offsetEpoch(partition, isLegacy ? PartitionTable.NULL_EPOCH : batch.partitionLeaderEpoch());
        }
    }

    /**
     * Do what a handler asked for other than to go on.
     *
     * @return how many records it took back.
     */
    private int steer(final Action action, final int deliveredSoFar)
    {
        switch (action)
        {
            case COMMIT:
                publish(deliveredSoFar);
                return 0;
            case ABORT:
                isHeld = true;
                if (table.refuse(partition, record.offset(), generation))
                {
                    record.rewind();
                }
                return 1;
            default:
                isHeld = true;
                return 0;
        }
    }

    private void publish(final int deliveredSoFar)
    {
        if (deliveredSoFar != published)
        {
            counters.add(ConsumerCounters.RECORDS, deliveredSoFar - published);
            published = deliveredSoFar;
        }
    }

    private void endRecords()
    {
        isInBatch = false;
        if (record.flaw() != null)
        {
            onCorrupt(record.flaw() + inBatch());
        }
        else if (isLegacy)
        {
            counters.add(ConsumerCounters.RECORD_BYTES, legacy.limit() - batchIndex);
            batchIndex = legacy.limit();
            table.delivered(partition, legacy.lastOffset() + 1, PartitionTable.NULL_EPOCH);
        }
        else
        {
            endBatch(batch.recordCount());
        }
    }

    /**
     * The position after a batch is behind the last offset it was written with, whatever compaction has left of it:
     * else its end would be asked for without end.
     */
    private void endBatch(final int recordCount)
    {
        // Only now: of a batch that is given up half delivered, all bytes are fetched again, and count as discarded.
        batchIndex = batch.limit();
        counters.add(ConsumerCounters.RECORD_BYTES, batch.limit() - batch.index());
        final int holes = batch.lastOffsetDelta() + 1 - recordCount;
        if (holes > 0)
        {
            counters.add(ConsumerCounters.OFFSET_HOLES, holes);
        }
        table.delivered(partition, batch.lastOffset() + 1, batch.partitionLeaderEpoch());
    }

    private void onCorrupt(final String what)
    {
        isInBatch = false;
        errors.onCorrupt(fetcher.nodeId(), partition, what);
    }

    private String inBatch()
    {
        return ", in the batch at offset " + batch.baseOffset();
    }

    private void onHandlerFailed(final Exception cause)
    {
        isHeld = true;
        counters.add(ConsumerCounters.HANDLER_ERRORS, 1);
        environment.errorHandler().onError(new ConsumerException(
            "The handler failed on partition " + partition + " at offset " + record.offset() +
                "; the record counts as delivered.", cause));
    }

    /**
     * A response is begun and will be held beyond this poll.
     */
    public void park()
    {
        if (isOpen && frame.id() == frameId)
        {
            fetcher.park();
        }
    }
}
