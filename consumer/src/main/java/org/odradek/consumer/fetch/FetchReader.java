// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.StoredBatchFlyweight;
import org.odradek.protocol.record.ViewLifetime;

import java.util.Objects;

/**
 * Delivers fetch responses to the handler, record by record or batch by batch. The next poll continues a response that
 * has not been delivered to its end.
 */
public final class FetchReader
{
    private static final int BETWEEN_BATCHES = 0;
    private static final int BEFORE_BATCH = 1;
    private static final int IN_RECORDS = 2;

    /** The clock is read after at most this number of batches, or of records for a member of a group. */
    private static final int MAX_STEP = 16;

    /** If this time passes between two readings of the clock, the clock is read again after one batch or record. */
    private static final long SLOW_STEP_NS = DutyClock.LONGEST_CYCLE_NS / 10;

    private final boolean isMember;
    private int state;
    private int delivered;
    private long records;
    private boolean isPollEnded;
    private boolean isRefused;
    private Throwable thrown;
    private boolean isOpen;
    private int step = MAX_STEP;
    private int stepLeft;
    private long readNs;
    private long untilNs;
    private boolean hasBegun;
    private boolean hasWorked;
    private BrokerFetcher fetcher;
    private ControlledRecordHandler recordHandler;
    private BatchHandler batchHandler;
    private final BatchCursor cursor;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final DutyClock clock;
    private final CounterWriter counters;
    private final RecordFlyweight record = new RecordFlyweight();
    private final StoredBatchFlyweight stored = new StoredBatchFlyweight();
    private final HandlerAdapter.Lending lending = ViewLifetime.IS_CHECKED ? new HandlerAdapter.Lending() : null;

    public FetchReader(
        final DecompressedBatch decompressed,
        final PartitionErrors errors,
        final PartitionTable table,
        final Environment environment)
    {
        this.table = table;
        this.errors = errors;
        isMember = environment.settings().group != null;
        clock = environment.clock();
        untilNs = clock.nowNs() + Long.MAX_VALUE / 2;
        counters = environment.counters();
        cursor = new BatchCursor(decompressed, errors, table, environment);
    }

    public void deliverRecordsTo(final ControlledRecordHandler handler)
    {
        Objects.requireNonNull(handler);
        final ControlledRecordHandler next = ViewLifetime.IS_CHECKED ? lending.to(handler, null) : handler;
        // The handler is usually that of the previous poll, and storing a reference costs a barrier of the garbage
        // collector.
        if (recordHandler != next)
        {
            recordHandler = next;
        }
        batchHandler = null;
    }

    public void deliverBatchesTo(final BatchHandler handler)
    {
        Objects.requireNonNull(handler);
        batchHandler = ViewLifetime.IS_CHECKED ? lending.to(null, handler) : handler;
        recordHandler = null;
    }

    public boolean isFenced()
    {
        return table.isDeliveryLimited && table.isFenced(clock.readNs());
    }

    /**
     * Limits the time of the following calls of {@link #poll} together to {@link DutyClock#LONGEST_CYCLE_NS}. Without a
     * group, the time is checked only between batches.
     *
     * @param nowNs the time that {@link DutyClock#readNs()} has returned.
     */
    public void begin(final long nowNs)
    {
        untilNs = nowNs + DutyClock.LONGEST_CYCLE_NS;
        readNs = nowNs;
        stepLeft = step;
        hasBegun = false;
        hasWorked = false;
    }

    /** Returns the partition of the record set that is or was delivered last. */
    public int partition()
    {
        return cursor.partition;
    }

    public boolean isOpen()
    {
        return isOpen;
    }

    /**
     * Returns true if the last poll ended with a record or batch that is delivered again, because the handler has
     * returned ABORT or thrown an AgentTerminationException.
     */
    public boolean isRefused()
    {
        return isRefused;
    }

    /**
     * Returns, once, the exception or error of the handler that the poll must throw at its end; null if there is none.
     */
    public Throwable takeThrown()
    {
        final Throwable taken = thrown;
        thrown = null;
        return taken;
    }

    public void open(final BrokerFetcher newFetcher)
    {
        fetcher = newFetcher;
        cursor.open(newFetcher.responses.frame);
        state = BETWEEN_BATCHES;
        isOpen = true;
    }

    public int poll(final int limit)
    {
        isRefused = false;
        if (!cursor.isOpen())
        {
            isOpen = false;
            return 0;
        }
        isPollEnded = false;
        delivered = 0;
        records = 0;
        try
        {
            while (isOpen && delivered < limit && !isPollEnded && beginStep())
            {
                if (state == BETWEEN_BATCHES && !nextBatch())
                {
                    continue;
                }
                if (batchHandler == null)
                {
                    deliverRecords(recordHandler, limit - delivered);
                }
                else
                {
                    deliverBatch(batchHandler);
                }
            }
        }
        finally
        {
            if (records > 0)
            {
                counters.add(ConsumerCounters.RECORDS, records);
            }
        }
        assert isConsistent() && delivered <= limit;
        return delivered;
    }

    private boolean beginStep()
    {
        if (state != BETWEEN_BATCHES && !cursor.isCurrent())
        {
            // The partition of the batch was sought, paused or unassigned between two polls.
            state = BETWEEN_BATCHES;
        }
        final boolean isInTime = !isMember && stepLeft > 0 || readClock();
        stepLeft--;
        hasBegun = true;
        return isInTime;
    }

    private boolean readClock()
    {
        final long nowNs = clock.readNs();
        step = nowNs - readNs >= SLOW_STEP_NS ? 1 : hasWorked ? Math.min(2 * step, MAX_STEP) : step;
        stepLeft = step;
        readNs = nowNs;
        hasWorked = false;
        isPollEnded = hasBegun && untilNs - nowNs <= 0 || table.isFenced(nowNs);
        return !isPollEnded;
    }

    private boolean nextBatch()
    {
        switch (cursor.next())
        {
            case BatchCursor.BATCH:
                state = BEFORE_BATCH;
                stepLeft = cursor.isCompressed() ? 0 : stepLeft;
                return true;
            case BatchCursor.SKIPPED:
                stepLeft = 0;
                return false;
            default:
                isOpen = false;
                fetcher.endFrame();
                return false;
        }
    }

    private boolean openRecords()
    {
        final boolean isDone = cursor.open(record);
        state = isDone ? IN_RECORDS : BETWEEN_BATCHES;
        return isDone;
    }

    private void deliverRecords(final ControlledRecordHandler handler, final int recordLimit)
    {
        if (state == BEFORE_BATCH && !openRecords())
        {
            return;
        }
        final RecordFlyweight record = this.record;
        final int partition = cursor.partition;
        final int generation = cursor.generation;
        final int[] generations = table.generations;
        final long[] nextOffsets = table.nextOffsets;
        final long fromOffset = nextOffsets[partition];
        final int fromEpoch = table.offsetEpoch(partition);
        final int ownershipEpoch = cursor.ownershipEpoch();
        long nextOffset = fromOffset;
        long endOffset = fromOffset;
        int count = 0;
        int limit = isMember ? Math.min(step, recordLimit) : recordLimit;
        Throwable failure = null;
        // Like the offset, the epoch is stored before the handler is called, because the handler may commit both.
        table.beginRecords(partition, cursor.leaderEpoch());
        try
        {
            while (generations[partition] == generation)
            {
                if (count >= limit)
                {
                    limit = nextLimit(count, recordLimit);
                    if (count >= limit)
                    {
                        break;
                    }
                }
                if (!record.next())
                {
                    endRecords();
                    break;
                }
                final long offset = record.offset();
                if (offset >= nextOffset)          // a batch may begin before the offset that was requested
                {
                    endOffset = nextOffset;
                    nextOffset = offset + 1;
                    nextOffsets[partition] = nextOffset;
                    count++;
                    final Action action = handler.onRecord(record);
                    if (action != Action.CONTINUE && action != null)
                    {
                        isPollEnded = true;
                        count -= action == Action.ABORT ? refuse(true) : 0;
                        nextOffset = action == Action.ABORT ? endOffset : nextOffset;
                        break;
                    }
                }
                else
                {
                    limit--;
                }
            }
        }
        catch (final Throwable ex)
        {
            failure = ex;
            count -= errors.isSkipped(ex) ? 0 : refuse(PartitionErrors.isTermination(ex));
            nextOffset = errors.isSkipped(ex) ? nextOffset : endOffset;
        }
        onDelivered(count, nextOffset, fromOffset, fromEpoch, ownershipEpoch);
        checkFailure(record.offset(), record.offset(), failure);
    }

    private void onDelivered(
        final int count, final long nextOffset, final long fromOffset, final int fromEpoch, final int ownershipEpoch)
    {
        delivered += count;
        records += count;
        hasWorked |= count > 0;
        if (count == 0)
        {
            table.endNoRecords(cursor.partition, fromOffset, fromEpoch);
        }
        else
        {
            table.endRecords(cursor.partition, ownershipEpoch, nextOffset);
        }
    }

    /**
     * Returns the count up to which records are delivered before the clock is read again; a result of {@code count}
     * ends the loop.
     */
    private int nextLimit(final int count, final int recordLimit)
    {
        if (!isMember || count == recordLimit)
        {
            return recordLimit;
        }
        hasWorked |= count > 0;
        return readClock() ? Math.min(recordLimit, count + step) : count;
    }

    private int refuse(final boolean isAgain)
    {
        isPollEnded = true;
        isRefused = isAgain;
        if (table.refuse(cursor.partition, record.offset(), record.offset() + 1, cursor.generation))
        {
            record.stepBack();
        }
        return 1;
    }

    private void checkFailure(final long baseOffset, final long lastOffset, final Throwable failure)
    {
        if (failure != null)
        {
            isPollEnded = true;
            thrown = errors.onHandlerFailed(cursor.partition, baseOffset, lastOffset, failure);
        }
    }

    private void endRecords()
    {
        state = BETWEEN_BATCHES;
        if (record.flaw() == null)
        {
            cursor.end();
        }
        else
        {
            cursor.onFlawed(record.flaw());
        }
    }

    private void deliverBatch(final BatchHandler handler)
    {
        if (!findRecords())
        {
            return;
        }
        cursor.open(stored);
        final int partition = cursor.partition;
        final int generation = cursor.generation;
        final long fromOffset = table.nextOffset(partition);
        final long toOffset = stored.lastOffset() + 1;
        final int fromEpoch = table.offsetEpoch(partition);
        final int ownershipEpoch = cursor.ownershipEpoch();
        // As with a record, the offset is advanced first, so that the handler may seek and may fail.
        table.delivered(partition, toOffset, cursor.leaderEpoch());
        Action action = Action.CONTINUE;
        Throwable failure = null;
        try
        {
            action = handler.onBatch(stored);
        }
        catch (final Throwable ex)
        {
            failure = ex;
            action = errors.isSkipped(ex) ? Action.BREAK : Action.ABORT;
        }
        if (action == Action.ABORT)
        {
            isPollEnded = true;
            isRefused = failure == null || PartitionErrors.isTermination(failure);
            if (table.refuse(partition, fromOffset, toOffset, generation))
            {
                table.endNoRecords(partition, fromOffset, fromEpoch);
            }
        }
        else
        {
            onBatchDelivered(action);
            table.endRecords(partition, ownershipEpoch, toOffset);
        }
        checkFailure(stored.baseOffset(), stored.lastOffset(), failure);
    }

    /** @return false if no record of the batch is left to deliver, and the batch was ended. */
    private boolean findRecords()
    {
        if (state == BEFORE_BATCH && cursor.isEmpty())
        {
            openRecords();
        }
        if (state == IN_RECORDS)
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

    private void onBatchDelivered(final Action action)
    {
        cursor.pass();
        state = BETWEEN_BATCHES;
        delivered++;
        hasWorked = true;
        records += stored.recordCount();
        isPollEnded |= action == Action.BREAK;
    }

    private boolean isConsistent()
    {
        // An open response belongs to a fetcher.
        return (!isOpen || fetcher != null) &&
            // A record is refused only at the end of a poll.
            (!isRefused || isPollEnded) &&
            // There is one handler, of records or of batches.
            recordHandler == null != (batchHandler == null) &&
            // The clock is read after 1 to MAX_STEP batches or records.
            step >= 1 && step <= MAX_STEP && stepLeft <= step;
    }
}
