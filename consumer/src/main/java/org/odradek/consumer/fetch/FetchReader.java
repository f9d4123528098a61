// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ConsumerException;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.StoredBatchFlyweight;
import org.odradek.protocol.record.ViewLifetime;

import java.util.Objects;

/**
 * The one loop from a response to the handler: batch by batch, and of each its records, or the whole of it. It keeps
 * its place between polls, and ends one response before it begins another.
 */
public final class FetchReader
{
    private static final int BETWEEN_BATCHES = 0;
    private static final int BEFORE_BATCH = 1;
    private static final int IN_RECORDS = 2;

    private int place;
    private int delivered;
    private long records;
    private long published;
    private boolean isHeld;
    private boolean isOpen;
    private BrokerFetcher fetcher;
    private ControlledRecordHandler recordHandler;
    private BatchHandler batchHandler;
    private final BatchCursor cursor;
    private final PartitionTable table;
    private final ConsumerEnvironment environment;
    private final CounterWriter counters;
    private final RecordFlyweight record = new RecordFlyweight();
    private final StoredBatchFlyweight stored = new StoredBatchFlyweight();
    private final LendingHandler lending = ViewLifetime.IS_CHECKED ? new LendingHandler() : null;

    /**
     * @param isCheckingCrcs    compare each batch with its checksum.
     * @param isReadCommitted   deliver nothing of aborted transactions.
     * @param isSkippingCorrupt go on behind a corrupt batch, where that can be.
     * @param decompressed      where compressed batches are decompressed into.
     * @param errors            what to do with a partition in error.
     * @param table             of the partitions.
     */
    public FetchReader(
        final boolean isCheckingCrcs,
        final boolean isReadCommitted,
        final boolean isSkippingCorrupt,
        final DecompressedBatch decompressed,
        final PartitionErrors errors,
        final PartitionTable table)
    {
        this.table = table;
        environment = errors.environment();
        counters = environment.counters();
        final CorruptBatches corrupt = new CorruptBatches(isSkippingCorrupt, errors, table);
        cursor = new BatchCursor(isCheckingCrcs, isReadCommitted, decompressed, corrupt, table, environment);
    }

    /**
     * Deliver records from now on.
     *
     * @param handler to give each to.
     */
    public void deliverRecordsTo(final ControlledRecordHandler handler)
    {
        Objects.requireNonNull(handler, "handler");
        final ControlledRecordHandler next = ViewLifetime.IS_CHECKED ? lending.recordsTo(handler) : handler;
        // Mostly that of the poll before, and a reference that is written costs a collector's barrier.
        if (recordHandler != next)
        {
            recordHandler = next;
        }
        batchHandler = null;
    }

    /**
     * Deliver whole batches from now on.
     *
     * @param handler to give each to.
     */
    public void deliverBatchesTo(final BatchHandler handler)
    {
        Objects.requireNonNull(handler, "handler");
        batchHandler = ViewLifetime.IS_CHECKED ? lending.batchesTo(handler) : handler;
        recordHandler = null;
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
        cursor.open(newFetcher);
        place = BETWEEN_BATCHES;
        isOpen = true;
    }

    /**
     * Deliver of the response that was begun.
     *
     * @param limit at most so many records, or batches.
     * @return records, or batches, delivered.
     */
    public int poll(final int limit)
    {
        if (!cursor.isOpen())
        {
            isOpen = false;
            return 0;
        }
        isHeld = false;
        delivered = 0;
        records = 0;
        published = 0;
        leaveUnwanted();
        try
        {
            while (delivered < limit && !isHeld)
            {
                if (place == BETWEEN_BATCHES && !nextBatch())
                {
                    isOpen = false;
                    fetcher.endFrame();
                    break;
                }
                if (batchHandler == null)
                {
                    deliverRecords(recordHandler, limit - delivered);
                }
                else
                {
                    deliverWhole(batchHandler);
                }
            }
        }
        finally
        {
            publish(records);
            if (isOpen)
            {
                cursor.park();
            }
        }
        return delivered;
    }

    private boolean nextBatch()
    {
        final boolean isThere = cursor.next();
        place = isThere ? BEFORE_BATCH : BETWEEN_BATCHES;
        return isThere;
    }

    private boolean openRecords()
    {
        final boolean isDone = cursor.open(record);
        place = isDone ? IN_RECORDS : BETWEEN_BATCHES;
        return isDone;
    }

    private void deliverRecords(final ControlledRecordHandler handler, final int recordLimit)
    {
        if (place == BEFORE_BATCH && !openRecords())
        {
            return;
        }
        final RecordFlyweight record = this.record;
        final int partition = cursor.partition();
        final int generation = cursor.generation();
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
                        count -= steer(action, records + count);
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
            onHandlerFailed("at offset " + record.offset() + "; the record counts", ex);
        }
        finally
        {
            delivered += count;
            records += count;
            noteEpoch(partition, count, nextOffset);
        }
        leaveUnwanted();
    }

    /**
     * Of a batch that is delivered in part, unless its handler has sought elsewhere.
     */
    private void noteEpoch(final int partition, final int count, final long behindOffset)
    {
        final long nextOffset = table.nextOffset(partition);
        if (count > 0 && (nextOffset == behindOffset || isHeld && nextOffset == behindOffset - 1))
        {
            table.offsetEpoch(partition, cursor.leaderEpoch());
        }
    }

    /**
     * Do what a handler asked for other than to go on.
     *
     * @return how many records it took back.
     */
    private int steer(final Action action, final long recordsSoFar)
    {
        switch (action)
        {
            case COMMIT:
                publish(recordsSoFar);
                return 0;
            case ABORT:
                isHeld = true;
                if (table.refuse(cursor.partition(), record.offset(), record.offset() + 1, cursor.generation()))
                {
                    record.stepBack();
                }
                return 1;
            default:
                isHeld = true;
                return 0;
        }
    }

    private void endRecords()
    {
        place = BETWEEN_BATCHES;
        if (record.flaw() == null)
        {
            cursor.end();
        }
        else
        {
            cursor.onFlawed(record.flaw());
        }
    }

    private void deliverWhole(final BatchHandler handler)
    {
        if (!hasRecords())
        {
            return;
        }
        cursor.open(stored);
        final int partition = cursor.partition();
        final int generation = cursor.generation();
        final long fromOffset = table.nextOffset(partition);
        final long toOffset = stored.lastOffset() + 1;
        final int fromEpoch = table.offsetEpoch(partition);
        // As with a record, the place moves first, so that a handler may seek and may fail.
        table.delivered(partition, toOffset, cursor.leaderEpoch());
        Action action = Action.CONTINUE;
        try
        {
            action = handler.onBatch(stored);
        }
        catch (final Exception ex)
        {
            onHandlerFailed("at offsets " + stored.baseOffset() + " to " + stored.lastOffset() +
                "; the batch counts", ex);
        }
        finally
        {
            if (action != Action.ABORT)
            {
                onTaken(action);
            }
        }
        if (action == Action.ABORT)
        {
            isHeld = true;
            if (table.refuse(partition, fromOffset, toOffset, generation))
            {
                table.offsetEpoch(partition, fromEpoch);
            }
        }
        leaveUnwanted();
    }

    /**
     * Whether the batch holds a record that has not been delivered.
     */
    private boolean hasRecords()
    {
        if (place == BEFORE_BATCH && cursor.isEmpty())
        {
            openRecords();
        }
        if (place == IN_RECORDS)
        {
            if (!record.next())
            {
                endRecords();
                return false;
            }
            record.stepBack();
        }
        return true;
    }

    private void onTaken(final Action action)
    {
        cursor.pass();
        place = BETWEEN_BATCHES;
        delivered++;
        records += stored.recordCount();
        isHeld |= action == Action.BREAK;
        if (action == Action.COMMIT)
        {
            publish(records);
        }
    }

    private void leaveUnwanted()
    {
        if (place != BETWEEN_BATCHES && !cursor.isWanted())
        {
            place = BETWEEN_BATCHES;
        }
    }

    private void publish(final long recordsSoFar)
    {
        if (recordsSoFar != published)
        {
            counters.add(ConsumerCounters.RECORDS, recordsSoFar - published);
            published = recordsSoFar;
        }
    }

    private void onHandlerFailed(final String what, final Exception cause)
    {
        isHeld = true;
        counters.add(ConsumerCounters.HANDLER_ERRORS, 1);
        environment.errorHandler().onError(new ConsumerException(
            "The handler failed on partition " + cursor.partition() + " " + what + " as delivered.", cause));
    }
}
