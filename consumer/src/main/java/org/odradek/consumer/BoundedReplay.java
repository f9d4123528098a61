// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.status.OffsetQuery;
import org.odradek.protocol.record.Record;

import java.util.Arrays;
import java.util.Objects;

/**
 * Reads ranges of offsets, each up to its end and not a record further. A partition that has reached its end is
 * unassigned, so nothing more of it is fetched. A range is done when the next offset of its partition has reached the
 * end, even if compaction or an aborted transaction has left no record there.
 * <p>
 * What is not in the log yet is waited for: an end beyond the log's, and under {@code read_committed} one beyond a
 * transaction that is open. A partition that stops for an error stops its range, too, which then is never done.
 * <pre>{@code
 * final BoundedReplay replay = new BoundedReplay(consumer);
 * replay.range(0, StartPosition.offset(1_000), 2_000);
 * while (!replay.isDone())
 * {
 *     replay.poll(handler, 1_000, timeoutNs);
 * } }</pre> The consumer is one with {@link ConsumerContext#partitions(int...)} of none; while a replay is on it is
 * polled through this alone.
 */
public final class BoundedReplay
{
    private static final byte NONE = 0;
    private static final byte AWAITING_END = 1;
    private static final byte READING = 2;
    private static final byte DONE = 3;

    private final TopicConsumer consumer;
    private final ControlledRecordHandler bounded = this::onRecord;
    private RecordHandler recordHandler;
    private ControlledRecordHandler controlledHandler;
    private int unfinished;
    private byte[] states = {};
    private long[] ends = {};
    private StartPosition[] starts = {};
    private OffsetQuery[] endQueries = {};

    /**
     * @param consumer to read with.
     */
    public BoundedReplay(final TopicConsumer consumer)
    {
        this.consumer = Objects.requireNonNull(consumer, "consumer");
    }

    /**
     * Read a partition from a place to an offset.
     *
     * @param partition its id; a range of it that was given before is given up.
     * @param from      where to begin.
     * @param toOffset  of the first record not wanted, 0 or more.
     * @return this.
     */
    public BoundedReplay range(final int partition, final StartPosition from, final long toOffset)
    {
        Objects.requireNonNull(from, "from");
        if (toOffset < 0)
        {
            throw new IllegalArgumentException("end offset " + toOffset + " is negative: an offset is 0 or more");
        }
        consumer.assign(partition, from);
        begin(partition, READING);
        ends[partition] = toOffset;
        return this;
    }

    /**
     * Read a partition from a place to where its log ends when the cluster is asked, in the polls that come.
     *
     * @param partition its id; a range of it that was given before is given up.
     * @param from      where to begin.
     * @return this.
     */
    public BoundedReplay rangeToEnd(final int partition, final StartPosition from)
    {
        return range(partition, from, consumer.queryEndOffset(partition));
    }

    /**
     * Read a partition from a place to an offset that is being asked for, such as by {@link
     * TopicConsumer#queryOffsetForTime}; to the end of the log if there is no such offset.
     *
     * @param partition its id; a range of it that was given before is given up.
     * @param from      where to begin.
     * @param to        the question for the first offset not wanted.
     * @return this.
     */
    public BoundedReplay range(final int partition, final StartPosition from, final OffsetQuery to)
    {
        Objects.requireNonNull(from, "from");
        if (to.partition() != partition)
        {
            throw new IllegalArgumentException("the end of partition " + partition + " is asked for by " + to);
        }
        begin(partition, AWAITING_END);
        starts[partition] = from;
        endQueries[partition] = to;
        if (consumer.isAssigned(partition))
        {
            consumer.unassign(partition);
        }
        return this;
    }

    private void begin(final int partition, final byte state)
    {
        if (partition >= states.length)
        {
            states = Arrays.copyOf(states, partition + 1);
            ends = Arrays.copyOf(ends, partition + 1);
            starts = Arrays.copyOf(starts, partition + 1);
            endQueries = Arrays.copyOf(endQueries, partition + 1);
        }
        unfinished += isUnfinished(states[partition]) ? 0 : 1;
        states[partition] = state;
    }

    private static boolean isUnfinished(final byte state)
    {
        return state == AWAITING_END || state == READING;
    }

    /**
     * As {@link TopicConsumer#poll(RecordHandler, int, long)}, but no record at or behind the end of its range is
     * delivered.
     *
     * @param handler     to be given each record.
     * @param recordLimit at most so many records.
     * @param timeoutNs   wait at most so long, in nanoseconds.
     * @return records delivered.
     */
    public int poll(final RecordHandler handler, final int recordLimit, final long timeoutNs)
    {
        recordHandler = Objects.requireNonNull(handler, "handler");
        controlledHandler = null;
        return poll(recordLimit, timeoutNs);
    }

    /**
     * As {@link #poll}, with a handler that says how to go on after each record.
     *
     * @param handler     to be given each record.
     * @param recordLimit at most so many records.
     * @param timeoutNs   wait at most so long, in nanoseconds.
     * @return records delivered.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int recordLimit, final long timeoutNs)
    {
        controlledHandler = Objects.requireNonNull(handler, "handler");
        recordHandler = null;
        return poll(recordLimit, timeoutNs);
    }

    private int poll(final int recordLimit, final long timeoutNs)
    {
        advance();
        final int records = unfinished == 0 ? 0 : consumer.controlledPoll(bounded, recordLimit, timeoutNs);
        advance();
        return records;
    }

    private ControlledRecordHandler.Action onRecord(final Record record)
    {
        final int partition = record.partition();
        if (partition < states.length && states[partition] == READING && record.offset() >= ends[partition])
        {
            finish(partition);
            return ControlledRecordHandler.Action.ABORT;
        }
        if (recordHandler == null)
        {
            return controlledHandler.onRecord(record);
        }
        recordHandler.onRecord(record);
        return ControlledRecordHandler.Action.CONTINUE;
    }

    private void advance()
    {
        for (int p = 0; p < states.length && unfinished > 0; p++)
        {
            if (states[p] == AWAITING_END)
            {
                takeEnd(p);
            }
            else if (states[p] == READING && consumer.isAssigned(p) && consumer.nextOffset(p) >= ends[p])
            {
                finish(p);
            }
        }
    }

    private void takeEnd(final int partition)
    {
        final OffsetQuery query = endQueries[partition];
        if (query.isFailed())
        {
            throw new IllegalStateException("the end of partition " + partition + " cannot be found: " + query);
        }
        if (query.isDone() && query.offset() == OffsetQuery.NULL_OFFSET)
        {
            endQueries[partition] = consumer.queryEndOffset(partition);
        }
        else if (query.isDone())
        {
            consumer.assign(partition, starts[partition]);
            ends[partition] = query.offset();
            states[partition] = READING;
        }
    }

    private void finish(final int partition)
    {
        states[partition] = DONE;
        unfinished--;
        consumer.unassign(partition);
    }

    /**
     * Whether all ranges have been read to their end.
     */
    public boolean isDone()
    {
        return unfinished == 0;
    }

    /**
     * Whether the range of a partition has been read to its end.
     *
     * @param partition any.
     * @return true if it has, false also if it has none.
     */
    public boolean isDone(final int partition)
    {
        return partition < states.length && states[partition] == DONE;
    }
}
