// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.core.PerPartition;
import org.odradek.consumer.fetch.HandlerAdapter;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * Reads ranges of offsets and delivers no record at or after the end of a range. When a partition reaches the end of
 * its range, the partition is unassigned, so that no more of its records are fetched.
 * <p>
 * If the end of the range is after the end of the log or, with {@code READ_COMMITTED}, after the last stable offset,
 * the range is done only when the log or the last stable offset has reached the end of the range.
 * <pre>{@code
 * final BoundedReplay replay = new BoundedReplay(consumer);
 * replay.range(0, StartPosition.offset(1_000), 2_000);
 * while (!replay.isDone())
 * {
 *     replay.poll(handler, 1_000, timeoutNs);
 * }
 * }</pre>
 * Create the consumer with {@link ConsumerContext#noPartitions()}, and poll it only through this class until all ranges
 * are done. Only the polling thread may use this object.
 */
public final class BoundedReplay
{
    private static final byte NONE = 0;
    private static final byte AWAITING_END = 1;
    private static final byte READING = 2;
    private static final byte DONE = 3;

    private final TopicConsumer consumer;
    private final ControlledRecordHandler bounded = this::onRecord;
    private final BooleanSupplier hasTurned = this::hasTurned;
    private final HandlerAdapter adapter = new HandlerAdapter();
    private ControlledRecordHandler handler;
    private int unfinished;
    private final PerPartition<Range> ranges = new PerPartition<>(Range::new);

    private static final class Range
    {
        private byte state = NONE;
        private long end;
        private StartPosition start;
        private OffsetQuery endQuery;
    }

    /** @param consumer the consumer that reads the ranges. */
    public BoundedReplay(final TopicConsumer consumer)
    {
        this.consumer = Objects.requireNonNull(consumer, "consumer");
    }

    /**
     * Reads a partition from a position to an offset. The range replaces an earlier range of the partition.
     *
     * @param from     the position of the first record.
     * @param toOffset the offset at which the range ends, 0 or more; a record at this offset is not delivered.
     * @throws IllegalArgumentException if the end is negative.
     */
    public BoundedReplay range(final int partition, final StartPosition from, final long toOffset)
    {
        Objects.requireNonNull(from, "from");
        if (toOffset < 0)
        {
            throw new IllegalArgumentException("end offset " + toOffset + " is negative: an offset is 0 or more");
        }
        consumer.assign(partition, from);
        begin(partition, READING).end = toOffset;
        return this;
    }

    /**
     * Reads a partition from a position to the end offset that {@link TopicConsumer#queryEndOffset} finds.
     *
     * @param from the position of the first record.
     */
    public BoundedReplay rangeToEnd(final int partition, final StartPosition from)
    {
        return range(partition, from, consumer.queryEndOffset(partition));
    }

    /**
     * Reads a partition from a position to the offset that a query finds, or to the end of the log if the query finds
     * none.
     *
     * @param from the position of the first record.
     * @param to   a query of the consumer for the offset at which the range ends, such as {@link
     *             TopicConsumer#queryOffsetForTime}.
     * @throws IllegalArgumentException if the query is for another partition.
     */
    public BoundedReplay range(final int partition, final StartPosition from, final OffsetQuery to)
    {
        Objects.requireNonNull(from, "from");
        if (to.partition() != partition)
        {
            throw new IllegalArgumentException("the end of partition " + partition + " cannot be taken from " + to);
        }
        final Range range = begin(partition, AWAITING_END);
        range.start = from;
        range.endQuery = to;
        if (consumer.isAssigned(partition))
        {
            consumer.unassign(partition);
        }
        return this;
    }

    private Range begin(final int partition, final byte state)
    {
        ranges.ensureSize(partition + 1);
        final Range range = ranges.get(partition);
        unfinished += range.state == AWAITING_END || range.state == READING ? 0 : 1;
        range.state = state;
        return range;
    }

    /**
     * Polls like {@link TopicConsumer#poll(RecordHandler, int, long)}, but delivers no record at or after the end of
     * its range.
     *
     * @return the number of records that were delivered.
     * @throws IllegalStateException if the query for the end of a range has failed, or the partition of a range has
     *                               stopped; this range is then given up, and {@link #isDone()} leaves the range out.
     *                               If several ranges are given up, each of the next calls throws for one of them.
     */
    public int poll(final RecordHandler handler, final int recordLimit, final long timeoutNs)
    {
        return controlledPoll(
            adapter.delegate(Objects.requireNonNull(handler, "handler")), recordLimit, timeoutNs);
    }

    /**
     * Polls like {@link TopicConsumer#controlledPoll(ControlledRecordHandler, int, long)}, but delivers no record at or
     * after the end of its range.
     *
     * @return the number of records that were delivered.
     * @throws IllegalStateException if the query for the end of a range has failed, or the partition of a range has
     *                               stopped.
     */
    public int controlledPoll(final ControlledRecordHandler newHandler, final int recordLimit, final long timeoutNs)
    {
        handler = Objects.requireNonNull(newHandler, "handler");
        advance();
        final int records = unfinished == 0 ? 0 : consumer.pollUntil(hasTurned, bounded, recordLimit, timeoutNs);
        advance();
        return records;
    }

    private ControlledRecordHandler.Action onRecord(final Record record)
    {
        final int partition = record.partition();
        if (ranges.has(partition) && ranges.get(partition).state == READING &&
            record.offset() >= ranges.get(partition).end)
        {
            // The record is refused, so that the next offset of the partition stays at the end of the range.
            finish(partition);
            return ControlledRecordHandler.Action.ABORT;
        }
        return handler.onRecord(record);
    }

    /** At most one range is given up, so that each has an exception. */
    private void advance()
    {
        for (int p = 0; p < ranges.size() && unfinished > 0; p++)
        {
            final Range range = ranges.get(p);
            if (range.state == AWAITING_END)
            {
                takeEnd(p, range);
            }
            else if (isRead(p, range))
            {
                finish(p);
            }
            else if (isStopped(p, range))
            {
                giveUp(range, "partition " + p + " has stopped at offset " + consumer.nextOffset(p) +
                    ": its range to " + range.end + " is given up");
            }
        }
    }

    private void giveUp(final Range range, final String sentence)
    {
        range.state = NONE;
        unfinished--;
        throw new IllegalStateException(sentence);
    }

    private boolean isStopped(final int partition, final Range range)
    {
        return range.state == READING && consumer.isAssigned(partition) && consumer.isStopped(partition);
    }

    private boolean isRead(final int partition, final Range range)
    {
        return range.state == READING && consumer.isAssigned(partition) && consumer.nextOffset(partition) >= range.end;
    }

    private boolean hasTurned()
    {
        boolean hasTurned = false;
        for (int p = 0; p < ranges.size() && !hasTurned; p++)
        {
            final Range range = ranges.get(p);
            hasTurned = range.state == AWAITING_END && (range.endQuery.isDone() || range.endQuery.isFailed()) ||
                isRead(p, range) || isStopped(p, range);
        }
        return hasTurned;
    }

    private void takeEnd(final int partition, final Range range)
    {
        final OffsetQuery query = range.endQuery;
        if (query.isFailed())
        {
            giveUp(range, "the end of partition " + partition + " cannot be found: " + query);
        }
        if (query.isDone() && query.offset() == OffsetQuery.NULL_OFFSET)
        {
            range.endQuery = consumer.queryEndOffset(partition);
        }
        else if (query.isDone())
        {
            consumer.assign(partition, range.start);
            range.end = query.offset();
            range.state = READING;
        }
    }

    private void finish(final int partition)
    {
        ranges.get(partition).state = DONE;
        unfinished--;
        consumer.unassign(partition);
    }

    /** Returns true if all ranges have been read to their ends, except those that were given up. */
    public boolean isDone()
    {
        return unfinished == 0;
    }

    /** Returns true if the range of a partition has been read to its end; false if the partition has no range. */
    public boolean isDone(final int partition)
    {
        return ranges.has(partition) && ranges.get(partition).state == DONE;
    }
}
