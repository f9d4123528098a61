// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.AuthenticationException;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.core.StringConstants;
import org.odradek.client.net.Pollers;
import org.odradek.consumer.engine.Conductor;
import org.odradek.consumer.engine.DutyCycle;
import org.odradek.consumer.engine.PollGuard;
import org.odradek.consumer.fetch.HandlerAdapter;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Reads one topic of a Kafka cluster on the thread of its caller. All work happens inside its polls: there is no other
 * thread, no lock and no queue. Once warm it allocates nothing.
 * <p>
 * The first thread that polls owns the consumer, and after its end the next one that polls. Other threads may only call
 * {@link #wakeup()}, {@link #close()} and {@link #close(long)}, and read {@link #counters()}, {@link #histograms()},
 * {@link #countersFile()}, {@link #topic()}, {@link #clientId()} and {@link #owner()}.
 * <p>
 * Polls, waits, changes and queries by another thread or after a close throw IllegalStateException, as do calls for a
 * partition that is not assigned where it has to be. Values that are not allowed, such as a negative offset or a limit
 * of less than 1, throw IllegalArgumentException.
 */
@SuppressWarnings("try")    // a call is ended by what closes it, and not used before
public final class TopicConsumer implements AutoCloseable
{
    /** The string constants of our classes, written by the build. */
    static final String OWN_CONSTANTS = "/org/odradek/consumer/own-string-constants.txt";

    /** How long {@link #close()} waits for a poll of another thread to end. */
    public static final long CLOSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    final ConsumerResources resources;
    private final PollGuard guard;
    private final DutyCycle dutyCycle;
    private final PartitionTable table;
    private final Conductor conductor;
    /** Null without a group. */
    private final GroupMembership group;
    private final HandlerAdapter adapter = new HandlerAdapter();

    private TopicConsumer(final ConsumerContext context)
    {
        resources = new ConsumerResources(context);
        guard = resources.guard;
        dutyCycle = resources.dutyCycle;
        table = resources.table;
        conductor = resources.conductor;
        group = resources.reconciliation == null ? null :
            new GroupMembership(guard, dutyCycle, resources.reconciliation,
                context.group().commitPolicy().intervalMs() > 0);
    }

    /**
     * Opens a poller that several consumers of one thread can share ({@link ConsumerContext#poller(Poller)}).
     *
     * @throws IllegalStateException if {@link TransportType#EPOLL} is requested and does not work here.
     */
    public static Poller openPoller(final TransportType type)
    {
        return Pollers.open(type);
    }

    /**
     * Creates a consumer. Looks up the names of the bootstrap servers, which may block; everything else happens in
     * polls. If it fails, nothing stays open.
     *
     * @throws IllegalArgumentException if a setting is wrong.
     */
    public static TopicConsumer connect(final ConsumerContext context)
    {
        StringConstants.make(OWN_CONSTANTS, TopicConsumer.class::getResourceAsStream);
        return new TopicConsumer(context.use());
    }

    /**
     * Delivers records that have arrived, and does all other work that is due, without waiting. It ends 100 ms after it
     * has begun to deliver, at the end of a batch or, for a member of a group, of a record; the next poll continues.
     *
     * @param handler     is given each record.
     * @param recordLimit the most records to deliver; IllegalArgumentException if it is less than 1.
     * @return records delivered; 0 if there were none.
     */
    public int poll(final RecordHandler handler, final int recordLimit)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            dutyCycle.deliverRecordsTo(adapter.delegate(handler));
            return dutyCycle.poll(recordLimit, 0, DutyCycle.NEVER);
        }
    }

    /**
     * As {@link #poll(RecordHandler, int)}, but waits for the first record. On a shared poller the wait also ends when
     * another consumer or publisher has something to do, so that the thread can serve it; but only once until it does.
     *
     * @param timeoutNs the longest wait in nanoseconds; {@link #wakeup()}, an interrupt and a close end it, too.
     * @return records delivered; 0 if there were none.
     */
    public int poll(final RecordHandler handler, final int recordLimit, final long timeoutNs)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            dutyCycle.deliverRecordsTo(adapter.delegate(handler));
            return dutyCycle.poll(recordLimit, timeoutNs, DutyCycle.NEVER);
        }
    }

    /**
     * As {@link #poll(RecordHandler, int)}, with a handler that decides after each record how to continue.
     *
     * @return records delivered; 0 if there were none.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int recordLimit)
    {
        return controlledPoll(handler, recordLimit, 0);
    }

    /**
     * As {@link #poll(RecordHandler, int, long)}, with a handler that decides after each record how to continue. When a
     * record is refused, the poll returns and does not wait.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return records delivered; 0 if there were none.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int recordLimit, final long timeoutNs)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            dutyCycle.deliverRecordsTo(handler);
            return dutyCycle.poll(recordLimit, timeoutNs, DutyCycle.NEVER);
        }
    }

    /** As {@link #controlledPoll}, with another condition that ends the wait. */
    int pollUntil(
        final BooleanSupplier isOver,
        final ControlledRecordHandler handler,
        final int recordLimit,
        final long timeoutNs)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            dutyCycle.deliverRecordsTo(handler);
            return dutyCycle.poll(recordLimit, timeoutNs, isOver);
        }
    }

    /**
     * Delivers whole batches that have arrived, with their records undecoded, without waiting.
     *
     * @param handler    is given each batch.
     * @param batchLimit the most batches to deliver, at least 1.
     * @return batches delivered; 0 if there were none.
     */
    public int pollBatches(final BatchHandler handler, final int batchLimit)
    {
        return pollBatches(handler, batchLimit, 0);
    }

    /**
     * As {@link #pollBatches(BatchHandler, int)}, but waits for the first batch.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return batches delivered; 0 if there were none.
     */
    public int pollBatches(final BatchHandler handler, final int batchLimit, final long timeoutNs)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            dutyCycle.deliverBatchesTo(handler);
            return dutyCycle.poll(batchLimit, timeoutNs, DutyCycle.NEVER);
        }
    }

    /**
     * The time of {@link System#nanoTime()}, or of the clock that was given, at which a poll has something to do even
     * if no byte arrives; it has passed if there are records to deliver. A thread that waits in one poller for several
     * clients waits no longer than for the earliest of these times, and then polls each of them without a timeout. A
     * record that the handler has refused does not count: whoever refused it knows when to poll again.
     */
    public long nextDeadlineNs()
    {
        guard.checkUse();
        return dutyCycle.nextDeadlineNs();
    }

    /**
     * Waits until every assigned partition can be fetched, and delivers nothing. A member of a consumer group waits
     * with {@link GroupMembership#awaitStable} until partitions are assigned. Other consumers on the same poller do
     * nothing meanwhile, as in {@link #await}.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return false if the time has expired, or the wait was woken or interrupted; {@link #describe()} shows why.
     * @throws AuthenticationException if a broker refuses the consumer's credentials meanwhile; polls continue to try.
     */
    public boolean awaitReady(final long timeoutNs)
    {
        final long refusals = counters().get(ConsumerCounters.AUTHENTICATION_FAILURES);
        final boolean isEnded = await(
            () -> conductor.isReady() || isRefusedSince(refusals), timeoutNs);
        // Without a refusal it was ready; another thread may have closed the consumer since.
        if (isEnded && isRefusedSince(refusals) && !conductor.isReady())
        {
            throw resources.callbacks.lastRefusal();
        }
        return isEnded;
    }

    /** A further connection that is refused beside others is counted, and is no refusal of the credentials. */
    private boolean isRefusedSince(final long refusals)
    {
        return counters().get(ConsumerCounters.AUTHENTICATION_FAILURES) != refusals &&
            resources.callbacks.lastRefusal() != null;
    }

    /**
     * Waits until a condition is true, such as {@code query::isDone} or {@code offsets::isCommitted}. Meanwhile the
     * consumer does all its work except delivering records. Other consumers on the same poller do nothing: data that
     * has arrived for them does not end the wait, uses no CPU time and does not cause a check of the condition.
     *
     * @param condition is checked after each step of work of this consumer, on this thread.
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if the condition is; false if the time has expired, or the wait was woken or interrupted.
     */
    public boolean await(final BooleanSupplier condition, final long timeoutNs)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            return dutyCycle.await(condition, timeoutNs);
        }
    }

    /** Ends the wait of the current poll, or else of the next one that would wait. Any thread may call it. */
    public void wakeup()
    {
        if (!guard.isFreed())
        {
            dutyCycle.wakeup();
        }
    }

    /**
     * Assigns a partition. If it is assigned already, it is read again from the new position.
     *
     * @param partition id, 0 or more.
     * @param position  of the first record to read.
     * @throws IllegalStateException if the consumer is a member of a consumer group, or if called by a handler.
     */
    public void assign(final int partition, final StartPosition position)
    {
        checkNoGroup();
        guard.checkNotPolling();
        try (PollGuard.Call call = guard.beginChange())
        {
            checkPartition(partition);
            resources.assignment.assign(partition, position.start);
        }
    }

    /** Stops reading an assigned partition. Its records that have arrived are discarded. */
    public void unassign(final int partition)
    {
        checkNoGroup();
        try (PollGuard.Call call = guard.beginChange())
        {
            checkAssigned(partition);
            table.unassign(partition);
        }
    }

    /**
     * Continues an assigned partition at another offset. Records of it that have arrived are discarded. A fetch in
     * flight is not cancelled: if the broker holds it because there is nothing new, up to {@code fetchMaxWaitMs} pass
     * before the first record from the new offset arrives. While a consumer group revokes the partition, its next owner
     * begins at the new offset, unless the commit policy is {@link CommitPolicy#explicit}.
     *
     * @param partition id.
     * @param offset    of the next record to deliver, 0 or more.
     */
    public void seek(final int partition, final long offset)
    {
        try (PollGuard.Call call = guard.beginChange())
        {
            checkAssigned(partition);
            GroupMembership.checkOffset(partition, offset);
            if (isRevoking(partition))
            {
                resources.reconciliation.seek(partition, offset);
            }
            else
            {
                table.seek(partition, offset);
            }
        }
    }

    /**
     * Stops the delivery of an assigned partition until it is resumed. Its records that have arrived are discarded and
     * fetched again then. It has no effect on a partition that a consumer group revokes.
     */
    public void pause(final int partition)
    {
        try (PollGuard.Call call = guard.beginChange())
        {
            checkAssigned(partition);
            if (table.isAssigned(partition))
            {
                table.pause(partition);
            }
        }
    }

    /**
     * Ends a pause if there is one, otherwise a stop by the handler: {@link
     * org.odradek.consumer.handler.HandlerErrorPolicy}. It has no effect on a partition that has stopped for another
     * reason, which needs a {@link #seek}. The next fetch requests the partition; a fetch in flight is not cancelled,
     * so up to {@code fetchMaxWaitMs} may pass before its first record arrives. After a stop by the handler the record
     * at which it failed is delivered again, but not before {@code retryBackoffMs} have passed since then, which double
     * while the handler fails at the same offset.
     */
    public void resume(final int partition)
    {
        try (PollGuard.Call call = guard.beginChange())
        {
            checkAssigned(partition);
            if (table.isAssigned(partition))
            {
                table.resume(partition);
            }
        }
    }

    private void checkNoGroup()
    {
        if (group != null)
        {
            throw new IllegalStateException("the consumer is a member of group " + group.groupId() +
                ", whose coordinator assigns partitions: it cannot be given others, nor drop one; seek and pause work");
        }
    }

    private static void checkPartition(final int partition)
    {
        if (partition < 0 || partition >= WireLimits.MAX_PARTITIONS)
        {
            throw new IllegalArgumentException(
                "partition is " + partition + ": it must be from 0 to " + (WireLimits.MAX_PARTITIONS - 1));
        }
    }

    private void checkAssigned(final int partition)
    {
        guard.checkUse();
        if (!isAssigned(partition))
        {
            throw new IllegalStateException("partition " + partition + " of topic " + topic() + " is not assigned");
        }
    }

    /**
     * Returns true if the partition is assigned. A partition of a consumer group is already assigned while its start
     * offset is looked up, before its assigned event; in its revoked or lost event it no longer is. While it is being
     * revoked, as in {@link org.odradek.consumer.handler.RevocationHandler#onRevoking}, no more of its records are
     * delivered.
     */
    public boolean isAssigned(final int partition)
    {
        return table.isAssigned(partition) || isRevoking(partition);
    }

    /**
     * Writes the assigned partitions in ascending order. If there are more than fit, the array holds the first of them.
     *
     * @param into receives the ids; elements after the last one are left as they are.
     * @return how many partitions are assigned, which may be more than the array holds.
     */
    public int assignment(final int[] into)
    {
        guard.checkUse();
        int count = 0;
        for (int p = 0; p < table.capacity(); p++)
        {
            if (isAssigned(p))
            {
                if (count < into.length)
                {
                    into[count] = p;
                }
                count++;
            }
        }
        return count;
    }

    private boolean isRevoking(final int partition)
    {
        return group != null && resources.reconciliation.isRevoking(partition);
    }

    /**
     * Returns true if an assigned partition has stopped, because the handler has thrown at its next offset, or because
     * of an error of a broker, which the error handler has received.
     */
    public boolean isStopped(final int partition)
    {
        checkAssigned(partition);
        return table.isAssigned(partition) && table.state(partition) == PartitionTable.STOPPED;
    }

    /** Returns true if an assigned partition is paused. */
    public boolean isPaused(final int partition)
    {
        checkAssigned(partition);
        return table.isPaused(partition);
    }

    /**
     * The next offset that an assigned partition will deliver, or -1 while its start offset is being looked up. While a
     * consumer group revokes the partition, it is the one that {@link
     * org.odradek.consumer.handler.RevocationHandler#onRevoking} receives.
     */
    public long nextOffset(final int partition)
    {
        checkAssigned(partition);
        return isRevoking(partition) ? resources.reconciliation.nextOffset(partition) : table.nextOffset(partition);
    }

    /** The offset after the last record that all in-sync replicas have, as of the last fetch; -1 before the first. */
    public long highWatermark(final int partition)
    {
        checkAssigned(partition);
        return table.partition(partition).highWatermark();
    }

    /**
     * The offset below which every transaction has been committed or aborted, as of the last fetch of an assigned
     * partition; -1 before the first.
     */
    public long lastStableOffset(final int partition)
    {
        checkAssigned(partition);
        return table.partition(partition).lastStableOffset();
    }

    /**
     * The number of offsets that an assigned partition is behind, as of its last fetch; -1 before the first. The end is
     * the last stable offset if only committed records are read, otherwise the high watermark.
     */
    public long lag(final int partition)
    {
        final long end = resources.settings.isReadCommitted ?
            lastStableOffset(partition) : highWatermark(partition);
        final long next = nextOffset(partition);
        return end < 0 || next < 0 ? -1 : Math.max(0, end - next);
    }

    /** The number of partitions of the topic; 0 until the first metadata has arrived. */
    public int partitionCount()
    {
        return conductor.partitionCount();
    }

    /** Requests the first offset in the log of a partition, assigned or not; it arrives in a later poll. */
    public OffsetQuery queryBeginningOffset(final int partition)
    {
        return query(partition, ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP);
    }

    /** Requests the offset after the last record of a partition, assigned or not. */
    public OffsetQuery queryEndOffset(final int partition)
    {
        return query(partition, ListOffsetsRequestEncoder.LATEST_TIMESTAMP);
    }

    /**
     * Requests the offset of the first record that is not older than a timestamp.
     *
     * @param partition   any of the topic.
     * @param timestampMs milliseconds since 1970.
     * @throws IllegalArgumentException if the timestamp is negative.
     */
    public OffsetQuery queryOffsetForTime(final int partition, final long timestampMs)
    {
        return query(partition, StartPosition.timestamp(timestampMs).start.value());
    }

    private OffsetQuery query(final int partition, final long timestamp)
    {
        try (PollGuard.Call call = guard.beginChange())
        {
            checkPartition(partition);
            return conductor.queryOffset(partition, timestamp);
        }
    }

    /**
     * The membership in the consumer group that {@link ConsumerContext#group(GroupSettings)} names.
     *
     * @throws IllegalStateException if there is none.
     */
    public GroupMembership group()
    {
        if (group == null)
        {
            throw new IllegalStateException(
                "the consumer is not a member of a consumer group: set ConsumerContext.group before it connects");
        }
        return group;
    }

    /**
     * Keeps the consumer in its group while a handler takes long; between two polls, a poll does the same. Call it at
     * least once per heartbeat interval; more frequent calls cost little. It advances the connection to the
     * coordinator, and sends the heartbeats, commits and offset fetches that are due. It delivers no records, adds no
     * offsets to the commits, and assigns and revokes no partition: the responses of the coordinator take effect in the
     * next poll. In a callback that its own work causes, such as an event of that connection, it does nothing.
     * <p>
     * It does the same for the other consumers of the thread that share the poller and are members of groups.
     */
    public void keepAlive()
    {
        try (PollGuard.Call call = guard.beginWork())
        {
            dutyCycle.keepAlive();
        }
    }

    /**
     * Offsets that Kafka keeps under a group id. The group is not joined. Call this once and keep the result.
     *
     * @throws IllegalStateException if the consumer is a member of that group.
     */
    public GroupOffsets groupOffsets(final String groupId)
    {
        if (group != null && group.groupId().equals(groupId))
        {
            throw new IllegalStateException("the consumer is a member of group " + groupId +
                ": commit its offsets through TopicConsumer.group");
        }
        try (PollGuard.Call call = guard.beginChange())
        {
            return new GroupOffsets(guard, table, resources.reconciliation, conductor.group(groupId));
        }
    }

    /**
     * Stores the next offset of every assigned partition in a file. In a handler, the current record counts as
     * processed.
     *
     * @param file of this topic.
     * @throws IllegalArgumentException if it is of another topic.
     */
    public void storeOffsets(final OffsetFile file)
    {
        guard.checkUse();
        StartPosition.checkTopic(file, topic());
        // From the last one on, so that the file grows once.
        for (int p = table.capacity() - 1; p >= 0; p--)
        {
            if (table.isAssigned(p) && table.nextOffset(p) >= 0)
            {
                file.store(p, table.nextOffset(p), table.offsetEpoch(p));
            }
            else if (isRevoking(p))
            {
                file.store(p, resources.reconciliation.nextOffset(p), resources.reconciliation.offsetEpoch(p));
            }
        }
    }

    /** The counters of the consumer, which any thread may read. Any thread may call this, also after a close. */
    public ConsumerCounters counters()
    {
        return resources.counters;
    }

    /**
     * The histograms that {@link StatusSettings#histograms(ConsumerHistograms)} has set; {@link ConsumerHistograms#OFF}
     * without any. Any thread may call this, also after a close.
     */
    public ConsumerHistograms histograms()
    {
        return resources.histograms;
    }

    /** The path of the counters file, or null if the counters are in memory. Any thread may call this. */
    public Path countersFile()
    {
        return resources.countersPath;
    }

    /** The name of the topic. Any thread may call this. */
    public String topic()
    {
        return resources.settings.topic;
    }

    /** The name of this client in the broker's logs and quotas. Any thread may call this. */
    public String clientId()
    {
        return resources.settings.clientId;
    }

    /** The thread that owns the consumer, or did until its end; null before the first poll. Any thread may call it. */
    public Thread owner()
    {
        return guard.owner();
    }

    /** The transport and the TLS provider in use, with the reason if epoll or BoringSSL could not be used. */
    public String transport()
    {
        return resources.poller.description();
    }

    /** The complete state in lines of text, for a person to read. */
    public String describe()
    {
        return resources.describe();
    }

    /** Calls {@link #close(long)} with {@link #CLOSE_TIMEOUT_NS}. */
    @Override
    public void close()
    {
        close(CLOSE_TIMEOUT_NS);
    }

    /**
     * Closes all connections and files, and frees all memory, exactly once. Any thread may call this at any time, also
     * before the first poll and after the owner's thread has ended; closing again does nothing.
     * <p>
     * If a poll is running on another thread, it is woken and this waits for its end. If it has not ended in time, or
     * the calling thread is interrupted, the end of that poll frees everything. The sockets of a shared poller are
     * closed by the next wait of the poller's owner.
     * <p>
     * If the polling thread frees everything, in this call or at the end of its poll, it first sends the commits that
     * wait, and a member of a consumer group revokes its partitions, commits, and leaves the group. If another thread
     * does, the group removes the member when its session expires. An interrupt does not end this: the flag of the
     * thread is clear meanwhile, also in callbacks, and set again at the end. When the time has passed, the commits and
     * the leave are sent without a wait for their answers, for which the close takes at most 50 ms more.
     *
     * @param timeoutNs the longest wait in nanoseconds for the end of a running poll, and for leaving a group; the
     *                  first call sets the latter.
     * @return true if everything has been freed.
     * @throws RuntimeException that the error handler has thrown meanwhile, after everything has been freed.
     * @throws IllegalStateException if called by a callback of this consumer, for example by a handler.
     */
    public boolean close(final long timeoutNs)
    {
        guard.checkNotPolling();
        if (!guard.isClosing())
        {
            resources.leaveTimeoutNs = timeoutNs;
        }
        return guard.close(dutyCycle::wakeup, timeoutNs);
    }
}
