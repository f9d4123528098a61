// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.AuthenticationException;
import org.odradek.client.core.StringConstants;
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
 * Reads one topic of a Kafka cluster on the thread of its caller. The consumer starts no thread. After warm-up,
 * delivering records allocates nothing.
 * <p>
 * The first thread that polls owns the consumer; after the end of that thread the next thread that polls owns it. Other
 * threads may only call {@link #wakeup()}, {@link #close()} and {@link #close(long)}, and read {@link #counters()},
 * {@link #histograms()}, {@link #countersFile()}, {@link #topic()}, {@link #clientId()} and {@link #owner()}.
 * <p>
 * Polls, waits, changes and queries by another thread or after a close throw IllegalStateException, as do calls that
 * need an assigned partition if the partition is not assigned. Values that are not allowed, such as a negative offset
 * or a limit of less than 1, throw IllegalArgumentException.
 */
@SuppressWarnings("try")    // a call is ended by what closes it, and not used before
public final class TopicConsumer implements AutoCloseable
{
    static final String OWN_CONSTANTS = "/org/odradek/consumer/own-string-constants.txt";

    /** The timeout of {@link #close()} in nanoseconds: 5 seconds. */
    public static final long CLOSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    final ConsumerResources resources;
    private final PollGuard guard;
    private final DutyCycle dutyCycle;
    private final PartitionTable table;
    private final Conductor conductor;
    /** This field is null without a group. */
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
                context.group().commitPolicy(), resources.counters, resources.countersFile, resources.callbacks);
    }

    /**
     * Creates a consumer. This method looks up the host names of the bootstrap servers, which may block.
     *
     * @throws IllegalArgumentException           if a setting has a value that is not possible; the message names the
     *                                            setting.
     * @throws IllegalStateException              if an earlier call has used the context, even if that call failed; if
     *                                            another client uses the counters file; or if the JVM lacks a flag or
     *                                            has too little direct memory.
     * @throws java.io.UncheckedIOException       if the counters file cannot be created.
     * @throws org.odradek.client.ClientException if no name of the bootstrap servers has an address.
     */
    public static TopicConsumer connect(final ConsumerContext context)
    {
        StringConstants.make(OWN_CONSTANTS, TopicConsumer.class::getResourceAsStream);
        return new TopicConsumer(context.use());
    }

    /**
     * Delivers records that have arrived, and does all other work that is due, without waiting. A poll may end after
     * 100 ms of delivery although more records have arrived; the next poll continues.
     *
     * @param recordLimit the largest number of records to deliver, 1 or more.
     * @return the number of records that were delivered.
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
     * Polls like {@link #poll(RecordHandler, int)}, but waits for the first record. On a shared poller the wait also
     * ends when another consumer or publisher has something to do.
     *
     * @param timeoutNs the longest wait in nanoseconds; {@link #wakeup()}, an interrupt and a close end the wait, too.
     * @return the number of records that were delivered.
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
     * Polls like {@link #poll(RecordHandler, int)}, with a handler that decides after each record how to continue.
     *
     * @return the number of records that were delivered.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int recordLimit)
    {
        return controlledPoll(handler, recordLimit, 0);
    }

    /**
     * Polls like {@link #poll(RecordHandler, int, long)}, with a handler that decides after each record how to
     * continue.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return the number of records that were delivered.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int recordLimit, final long timeoutNs)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            dutyCycle.deliverRecordsTo(handler);
            return dutyCycle.poll(recordLimit, timeoutNs, DutyCycle.NEVER);
        }
    }

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
     * Delivers whole batches that have arrived, without waiting.
     *
     * @param batchLimit the largest number of batches to deliver, 1 or more.
     * @return the number of batches that were delivered.
     */
    public int pollBatches(final BatchHandler handler, final int batchLimit)
    {
        return pollBatches(handler, batchLimit, 0);
    }

    /**
     * Polls like {@link #pollBatches(BatchHandler, int)}, but waits for the first batch.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return the number of batches that were delivered.
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
     * Returns the time of {@link System#nanoTime()}, or of the clock of the context, at which a poll has something to
     * do even if no byte arrives; this time is not in the future if there are records to deliver. Records that the
     * handler has refused do not count as records to deliver. A thread that waits in one poller for several clients
     * should wait at most until the earliest of these times, and then poll each client without a timeout.
     */
    public long nextDeadlineNs()
    {
        guard.checkUse();
        return resources.clock.nextDeadlineNs();
    }

    /**
     * Waits until metadata has arrived and every assigned partition can be fetched or has stopped. This method delivers
     * no records. To wait until a consumer group has assigned partitions, call {@link GroupMembership#awaitStable}.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if every assigned partition can be fetched or has stopped; false if the time has expired, or the
     *         wait was woken or interrupted.
     * @throws AuthenticationException if a broker refuses the consumer's credentials during the wait.
     */
    public boolean awaitReady(final long timeoutNs)
    {
        final long refusals = resources.refusals();
        final boolean isEnded = await(
            () -> conductor.isReady() || resources.refusalSince(refusals) != null, timeoutNs);
        final AuthenticationException refusal = resources.refusalSince(refusals);
        // If nothing was refused, the consumer was ready, but another thread may have closed it since.
        if (isEnded && refusal != null && !conductor.isReady())
        {
            throw refusal;
        }
        return isEnded;
    }

    /**
     * Waits until a condition is true, such as {@code query::isDone} or {@code offsets::areCommitsDone}. During the
     * wait the consumer does all its work except delivering records. Other clients on the same poller do nothing during
     * the wait.
     *
     * @param condition the condition, which is checked on this thread after each duty cycle.
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if the condition is true; false if the time has expired, or the wait was woken or interrupted.
     */
    public boolean await(final BooleanSupplier condition, final long timeoutNs)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            return dutyCycle.await(condition, timeoutNs);
        }
    }

    /** Ends the wait of the current poll or, if no poll waits, of the next poll that would wait. */
    public void wakeup()
    {
        if (!guard.isFreed())
        {
            dutyCycle.wakeup();
        }
    }

    /**
     * Assigns a partition. If the partition is assigned already, reading continues from the new position.
     *
     * @param partition the id of the partition, from 0 to 99,999.
     * @param position  the position of the first record to read.
     * @throws IllegalStateException if the consumer is a member of a consumer group, or if a callback of this consumer,
     *                               for example a handler, calls this method.
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

    /**
     * Stops reading an assigned partition.
     *
     * @throws IllegalStateException if the partition is not assigned, or the consumer is a member of a consumer group.
     */
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
     * Continues an assigned partition at another offset. A seek ends a stop of the partition, but not a pause. Records
     * of the partition that have arrived are discarded. A fetch in flight is not cancelled, so up to {@code
     * fetchMaxWaitMs} may pass before the first record arrives.
     *
     * @param offset the offset of the next record to deliver, 0 or more.
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
     * Stops the delivery of records of an assigned partition until {@link #resume} is called or the partition is
     * assigned again. Records of the partition that have arrived are discarded, and are fetched again after the pause.
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
     * Ends a pause of an assigned partition. If the partition is not paused, ends a stop that a failing handler has
     * caused ({@link org.odradek.consumer.handler.HandlerErrorPolicy}); a stop for another reason needs a {@link #seek}
     * or {@link #assign}. After a stop by the handler, the partition continues at the offset at which it has stopped,
     * but not before a backoff since the failure has expired: about {@code retryBackoffMs}, doubled with each further
     * failure at the same offset, up to about {@code retryBackoffMaxMs}.
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
     * Returns true if a partition is assigned. A partition of a consumer group counts as assigned from the lookup of
     * its start offset on, until it has been revoked or lost.
     */
    public boolean isAssigned(final int partition)
    {
        return table.isAssigned(partition) || isRevoking(partition);
    }

    /**
     * Writes the assigned partitions in ascending order.
     *
     * @param into receives the ids; elements after the last one are left as they are.
     * @return the number of assigned partitions, which may be greater than the length of the array.
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
     * Returns true if an assigned partition has stopped because of an error; false while a consumer group is revoking
     * the partition. {@code ConsumerListener.onPartitionStopped} reports the reason.
     */
    public boolean isStopped(final int partition)
    {
        checkAssigned(partition);
        return table.isAssigned(partition) && table.state(partition) == PartitionTable.STOPPED;
    }

    /** Returns true if an assigned partition is paused; false while a consumer group is revoking the partition. */
    public boolean isPaused(final int partition)
    {
        checkAssigned(partition);
        return table.isPaused(partition);
    }

    /**
     * Returns the next offset to deliver of an assigned partition, or -1 while its start offset is being looked up.
     */
    public long nextOffset(final int partition)
    {
        checkAssigned(partition);
        return isRevoking(partition) ? resources.reconciliation.nextOffset(partition) : table.nextOffset(partition);
    }

    /**
     * Returns the offset after the last record of an assigned partition that all in-sync replicas have, as of the last
     * fetch; -1 before the first fetch, and while a consumer group is revoking the partition.
     */
    public long highWatermark(final int partition)
    {
        checkAssigned(partition);
        return table.partition(partition).highWatermark();
    }

    /**
     * Returns the offset below which every transaction has been committed or aborted, as of the last fetch of an
     * assigned partition; -1 before the first fetch, and while a consumer group is revoking the partition.
     */
    public long lastStableOffset(final int partition)
    {
        checkAssigned(partition);
        return table.partition(partition).lastStableOffset();
    }

    /**
     * Returns the number of offsets from the next offset of an assigned partition to the end of the partition, as of
     * the last fetch; -1 before the first fetch, and while a consumer group is revoking the partition. The end is the
     * last stable offset with {@link IsolationLevel#READ_COMMITTED}, otherwise the high watermark.
     */
    public long lag(final int partition)
    {
        final long end = resources.settings.isReadCommitted ?
            lastStableOffset(partition) : highWatermark(partition);
        final long next = nextOffset(partition);
        return end < 0 || next < 0 ? -1 : Math.max(0, end - next);
    }

    /** Returns the number of partitions of the topic; 0 until metadata has arrived. */
    public int partitionCount()
    {
        return conductor.partitionCount();
    }

    /** Requests the first offset in the log of a partition, which need not be assigned. */
    public OffsetQuery queryBeginningOffset(final int partition)
    {
        return query(partition, ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP);
    }

    /**
     * Requests the end offset of a partition, which need not be assigned: the high watermark or, with {@link
     * IsolationLevel#READ_COMMITTED}, the last stable offset.
     */
    public OffsetQuery queryEndOffset(final int partition)
    {
        return query(partition, ListOffsetsRequestEncoder.LATEST_TIMESTAMP);
    }

    /**
     * Requests the offset of the first record whose timestamp is the given one or a later one.
     *
     * @param partition   the id of a partition, which need not be assigned.
     * @param timestampMs the timestamp in milliseconds since 1970, 0 or more.
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
     * Returns the membership in the consumer group that {@link ConsumerContext#group(GroupSettings)} has set.
     *
     * @throws IllegalStateException if no group was set.
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
     * Keeps the consumer in its group while a handler takes long. Call this method at least once per heartbeat
     * interval. The call delivers no records, and assigns and revokes no partition.
     * <p>
     * The call does the same for the other consumers of the thread that share the poller and are members of groups.
     */
    public void keepAlive()
    {
        try (PollGuard.Call call = guard.beginWork())
        {
            dutyCycle.keepAlive();
        }
    }

    /**
     * Returns an object that commits and fetches offsets under a group id, without joining the group. Each call creates
     * an object, so call this method once and keep the result.
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
     * Stores in a file the next offset of every assigned partition whose next offset is known, unless the topic was
     * deleted and created again and the partition has not been sought since. In a handler, the current record counts as
     * processed.
     *
     * @param file the offset file of this topic.
     * @throws IllegalArgumentException if the file belongs to another topic.
     */
    public void storeOffsets(final OffsetFile file)
    {
        guard.checkUse();
        StartPosition.checkTopic(file, topic());
        // The loop begins with the last partition, so that the file grows only once.
        for (int p = table.capacity() - 1; p >= 0; p--)
        {
            if (table.isAssigned(p) && table.nextOffset(p) >= 0 && !table.partition(p).isOfDeletedTopic())
            {
                file.store(p, table.nextOffset(p), table.offsetEpoch(p));
            }
            else if (isRevoking(p))
            {
                file.store(p, resources.reconciliation.nextOffset(p), resources.reconciliation.offsetEpoch(p));
            }
        }
    }

    /** Returns the counters of the consumer. Any thread may read them, also after a close. */
    public ConsumerCounters counters()
    {
        return resources.counters;
    }

    /**
     * Returns the histograms that {@link ConsumerContext#histograms(ConsumerHistograms)} has set; {@link
     * ConsumerHistograms#OFF} if none were set.
     */
    public ConsumerHistograms histograms()
    {
        return resources.histograms;
    }

    /** Returns the path of the counters file, or null if the counters are in memory. */
    public Path countersFile()
    {
        return resources.countersPath;
    }

    /** Returns the name of the topic that this consumer reads. */
    public String topic()
    {
        return resources.settings.topic;
    }

    /** Returns the name of this client in the brokers' logs and quotas. */
    public String clientId()
    {
        return resources.settings.clientId;
    }

    /**
     * Returns the thread that owns the consumer, or that owned it until the thread ended; null before the first poll.
     */
    public Thread owner()
    {
        return guard.owner();
    }

    /** Returns a description of the transport and, with TLS, of the TLS provider, for people to read. */
    public String transportDescription()
    {
        return resources.poller.description();
    }

    /**
     * Returns a description of the consumer's state in lines of text, for people to read. Only the polling thread may
     * call this method.
     */
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
     * Closes all connections and files, and frees the direct memory of all buffers. A second call only waits for the
     * end of the first.
     * <p>
     * If a poll is running on another thread, the close wakes that poll, and the end of the poll frees everything.
     * <p>
     * If the polling thread frees everything, in this call or at the end of its poll, the consumer first sends the
     * commits that wait, and a member of a consumer group revokes its partitions, commits according to the policy, and
     * leaves the group. When {@code timeoutNs} has passed, the commits and the leave are sent without a wait for their
     * answers. If another thread frees everything, the member does not leave, and the group removes the member when its
     * session expires.
     *
     * @param timeoutNs the longest wait in nanoseconds for the end of a running poll, and for leaving a group. If this
     *                  time passes before the commits are confirmed and the member has left, the call may take up to 50
     *                  ms longer.
     * @return true if everything has been freed.
     * @throws RuntimeException      if the error handler has thrown this exception during the close; everything has
     *                               been freed then.
     * @throws IllegalStateException if a callback of this consumer, for example a handler, calls this method.
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
