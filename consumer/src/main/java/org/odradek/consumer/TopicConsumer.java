// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.control.Conductor;
import org.odradek.consumer.fetch.HandlerAdapter;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.TransportType;
import org.odradek.consumer.net.Pollers;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.consumer.status.OffsetQuery;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

import java.util.function.BooleanSupplier;

/**
 * Reads one topic of a Kafka cluster on the thread of its caller. Nothing happens between two polls: no thread, no
 * lock, no queue. Once warm it allocates nothing.
 * <p>
 * The first thread that polls owns the consumer; from any other only {@link #wakeup()} and {@link #close()} may be
 * called.
 */
public final class TopicConsumer implements AutoCloseable
{
    final ConsumerParts parts;
    private final Conductor conductor;
    private final DutyCycle dutyCycle;
    private final PollGuard guard;
    private final PartitionSteering steering;
    private final HandlerAdapter adapter = new HandlerAdapter();

    /** Set by another thread, with a wake-up of the poller, so that a wait sees it. */
    private volatile boolean isCloseWanted;

    private TopicConsumer(final ConsumerContext context)
    {
        parts = new ConsumerParts(context);
        conductor = parts.conductor;
        dutyCycle = parts.dutyCycle;
        guard = parts.guard;
        steering = new PartitionSteering(context, parts, guard);
        parts.starts.assignNamed();
        parts.status.begin();
    }

    /**
     * Opens a poller that several consumers of one thread can share ({@link ConsumerContext#poller}).
     *
     * @throws IllegalStateException if {@link TransportType#EPOLL} is requested and does not work here.
     */
    public static Poller openPoller(final TransportType type)
    {
        return Pollers.open(type);
    }

    /**
     * Make a consumer. Looks up the names of the bootstrap servers, which may block; everything else happens in polls.
     *
     * @throws IllegalArgumentException if a setting is wrong.
     */
    public static TopicConsumer connect(final ConsumerContext context)
    {
        StringConstants.make();
        return new TopicConsumer(context.use());
    }

    /**
     * Deliver records that have arrived, and do everything else there is to do, without waiting.
     *
     * @param handler     to be given each record.
     * @param recordLimit at most so many records, at least 1.
     * @return records delivered; 0 if there were none.
     * @throws IllegalArgumentException if the limit is less than 1.
     */
    public int poll(final RecordHandler handler, final int recordLimit)
    {
        return poll(handler, recordLimit, 0);
    }

    /**
     * As {@link #poll(RecordHandler, int)}, but wait for the first record.
     *
     * @param timeoutNs wait at most so long, in nanoseconds; also ended by {@link #wakeup()} and by an interrupt.
     * @return records delivered; 0 if there were none.
     */
    public int poll(final RecordHandler handler, final int recordLimit, final long timeoutNs)
    {
        guard.begin();
        try
        {
            return dutyCycle.poll(adapter.delegate(handler), recordLimit, timeoutNs);
        }
        finally
        {
            end();
        }
    }

    /**
     * As {@link #poll(RecordHandler, int)}, with a handler that says how to go on after each record.
     *
     * @return records delivered; 0 if there were none.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int recordLimit)
    {
        return controlledPoll(handler, recordLimit, 0);
    }

    /**
     * As {@link #poll(RecordHandler, int, long)}, with a handler that says how to go on after each record. A record
     * that is refused is not waited on: the poll returns.
     *
     * @param timeoutNs wait at most so long, in nanoseconds.
     * @return records delivered; 0 if there were none.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int recordLimit, final long timeoutNs)
    {
        guard.begin();
        try
        {
            return dutyCycle.poll(handler, recordLimit, timeoutNs);
        }
        finally
        {
            end();
        }
    }

    /**
     * Deliver whole batches that have arrived, their records undecoded, without waiting.
     *
     * @param handler    to be given each batch.
     * @param batchLimit at most so many batches.
     * @return batches delivered; 0 if there were none.
     */
    public int pollBatches(final BatchHandler handler, final int batchLimit)
    {
        return pollBatches(handler, batchLimit, 0);
    }

    /**
     * As {@link #pollBatches(BatchHandler, int)}, but wait for the first batch.
     *
     * @param timeoutNs wait at most so long, in nanoseconds.
     * @return batches delivered; 0 if there were none.
     */
    public int pollBatches(final BatchHandler handler, final int batchLimit, final long timeoutNs)
    {
        guard.begin();
        try
        {
            return dutyCycle.pollBatches(handler, batchLimit, timeoutNs);
        }
        finally
        {
            end();
        }
    }

    /**
     * Wait until every assigned partition can be fetched, delivering nothing.
     *
     * @param timeoutNs wait at most so long, in nanoseconds.
     * @return false if the time is over, or it was woken or interrupted; {@link #describe()} says what is missing.
     */
    public boolean awaitReady(final long timeoutNs)
    {
        return await(conductor::isReady, timeoutNs);
    }

    /**
     * Wait until a condition holds, such as {@code query::isDone} or {@code offsets::isCommitted}. Everything but the
     * delivery of records goes on meanwhile.
     *
     * @param condition that is checked after each step of work, on this thread.
     * @param timeoutNs wait at most so long, in nanoseconds.
     * @return whether the condition holds; false if the time has passed, or the wait was woken or interrupted.
     */
    public boolean await(final BooleanSupplier condition, final long timeoutNs)
    {
        guard.begin();
        try
        {
            return dutyCycle.await(condition, timeoutNs);
        }
        finally
        {
            end();
        }
    }

    private void end()
    {
        guard.end();
        if (isCloseWanted)
        {
            free();
        }
    }

    /** Make the poll that waits, or else the next one that would, return at once. From any thread. */
    public void wakeup()
    {
        dutyCycle.wakeup();
    }

    /**
     * Read a partition, or read it anew from another place.
     *
     * @param partition its id.
     * @param position  to begin at.
     */
    public void assign(final int partition, final StartPosition position)
    {
        steering.assign(partition, position);
    }

    /**
     * Read a partition no longer.
     *
     * @param partition an assigned one.
     */
    public void unassign(final int partition)
    {
        steering.unassign(partition);
    }

    /**
     * Go on with a partition from another offset. What has arrived of it is dropped. A fetch that is on its way is not
     * called back: where the broker holds it because nothing new is there, up to {@code fetchMaxWaitMs} pass before
     * the first record comes from the new place.
     *
     * @param partition an assigned one.
     * @param offset    of the next record wanted, 0 or more.
     */
    public void seek(final int partition, final long offset)
    {
        steering.seek(partition, offset);
    }

    /**
     * Deliver nothing of a partition until it is resumed. What has arrived of it is dropped, and fetched again then.
     *
     * @param partition an assigned one.
     */
    public void pause(final int partition)
    {
        steering.pause(partition);
    }

    /**
     * End a pause. The partition is in the next fetch; one that is on its way for others is not called back, so it may
     * take up to {@code fetchMaxWaitMs} until the first record comes.
     *
     * @param partition an assigned one.
     */
    public void resume(final int partition)
    {
        steering.resume(partition);
    }

    public boolean isAssigned(final int partition)
    {
        return steering.isAssigned(partition);
    }

    public boolean isPaused(final int partition)
    {
        return steering.isPaused(partition);
    }

    /**
     * The next offset that a partition will deliver, or -1 while its place is being looked for.
     *
     * @param partition an assigned one.
     */
    public long nextOffset(final int partition)
    {
        return steering.nextOffset(partition);
    }

    /**
     * The offset behind the last record that all in-sync replicas have, as of the last fetch; -1 before.
     *
     * @param partition an assigned one.
     */
    public long highWatermark(final int partition)
    {
        return steering.highWatermark(partition);
    }

    /**
     * The offset before which every transaction has been decided, as of the last fetch; -1 before.
     *
     * @param partition an assigned one.
     */
    public long lastStableOffset(final int partition)
    {
        return steering.lastStableOffset(partition);
    }

    /**
     * How many offsets a partition is behind, as of the last fetch; -1 before. Behind its last stable offset if
     * committed records only are read, else behind its high watermark.
     *
     * @param partition an assigned one.
     */
    public long lag(final int partition)
    {
        return steering.lag(partition);
    }

    /** Partitions the topic has, 0 until the cluster has told it. */
    public int partitionCount()
    {
        return conductor.partitionCount();
    }

    /**
     * Ask for the first offset that the log of a partition holds. The answer comes while the consumer is polled.
     *
     * @param partition any of the topic.
     * @return where the answer will be.
     */
    public OffsetQuery queryBeginningOffset(final int partition)
    {
        return steering.query(partition, ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP);
    }

    /**
     * Ask for the offset behind the last record of a partition.
     *
     * @param partition any of the topic.
     * @return where the answer will be.
     */
    public OffsetQuery queryEndOffset(final int partition)
    {
        return steering.query(partition, ListOffsetsRequestEncoder.LATEST_TIMESTAMP);
    }

    /**
     * Ask for the offset of the first record that is not older than a time.
     *
     * @param partition   any of the topic.
     * @param timestampMs milliseconds since 1970.
     * @return where the answer will be.
     */
    public OffsetQuery queryOffsetForTime(final int partition, final long timestampMs)
    {
        return steering.query(partition, StartPosition.timestamp(timestampMs).value());
    }

    /**
     * Offsets in Kafka under a group id, which need no group to be joined. To be asked for once and kept.
     *
     * @param groupId of the group.
     * @return what stores and tells them.
     */
    public GroupOffsets groupOffsets(final String groupId)
    {
        guard.checkUse();
        return new GroupOffsets(guard, parts.table, conductor.group(groupId));
    }

    /**
     * Store the next offset of every assigned partition in a file. From a handler this counts the record that it was
     * given as dealt with.
     *
     * @param file of this topic.
     */
    public void storeOffsets(final OffsetFile file)
    {
        steering.store(file);
    }

    public ConsumerCounters counters()
    {
        return parts.counters;
    }

    /** The transport in use, and why it is not another where that is of interest. */
    public String transport()
    {
        return parts.poller.description();
    }

    /** The whole state in lines of text, for a human. */
    public String describe()
    {
        return parts.describe(guard.isClosed());
    }

    /**
     * Close all connections and give all memory back. From another thread than the owner's it makes a poll return,
     * and the owner closes when that poll ends, or with its next one. Closing twice does nothing.
     */
    @Override
    public void close()
    {
        if (guard.isOthers())
        {
            isCloseWanted = true;
            wakeup();
        }
        else
        {
            guard.checkNotPolling();
            free();
        }
    }

    private void free()
    {
        if (!guard.isClosed())
        {
            guard.close();
            parts.free();
        }
    }
}
