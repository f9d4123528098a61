// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.harness.model.ModelPartition;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.StoredBatch;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The handlers of a {@link Member}, for records and for partitions that it gives up, and how long they take. */
final class MemberHandler
{
    private static final int MAX_NS = 5_000;
    private static final long REVOCATION_NS = TimeUnit.MILLISECONDS.toNanos(GroupWorld.REVOCATION_MS);
    private static final int SLOW_TO_REVOKE_CALLS = 20;
    private static final int REVOCATIONS_TO_THROW = 8;
    private static final long NEVER = Long.MIN_VALUE;

    private final GroupWorld world;
    private final Member member;
    private final MemberClock time;
    private final Pace pace;
    private final Draw draw;
    private final CallbackCalls calls;
    private final Draw formDraw;
    private final Draw throwDraw;
    /** Whether some polls read whole batches. */
    private final boolean isBatching;
    /** Null unless the member passes its records on. */
    private final LateSink sink;
    /** Whether it has the policy to commit what is acknowledged. */
    private final boolean isAcknowledging;
    /** Null unless the member has workers. */
    private final MemberWorkers workers;
    /** The ends of batches in which the handler was stalled, by partition. */
    private final Map<Integer, Long> lateEnds = new HashMap<>();
    /** The partitions that the revocation handler was asked about, and is not done with. */
    private final Set<Integer> undone = new HashSet<>();
    private TopicConsumer consumer;
    private long armedNs;
    /** What happens when a handler takes long that calls keepAlive, or null if it may not call that. */
    private Runnable onKeepAlive;
    /** Since when a handler has taken long that calls keepAlive. */
    private long keptAliveNs;
    private boolean isKeptAlive;
    /** When the member last could not give up partitions in time, although it sent heartbeats. */
    private long overdueNs;

    MemberHandler(
        final GroupWorld world, final Member member, final MemberClock time, final Pace pace, final Draw draw)
    {
        this.world = world;
        this.member = member;
        this.time = time;
        this.pace = pace;
        this.draw = draw;
        calls = new CallbackCalls(world, member);
        formDraw = new Draw(world.scenario.seed, "polls of member " + member.number);
        throwDraw = new Draw(world.scenario.seed, "revocations of member " + member.number);
        workers = world.scenario.isOn(Feature.WORKERS) &&
            new Draw(world.scenario.seed, "whether member " + member.number + " has workers").oneIn(2) ?
            new MemberWorkers(world, member) : null;
        isBatching = world.scenario.isOn(Feature.BATCH_POLLS) && formDraw.oneIn(2) && workers == null;
        final Draw sinkDraw = new Draw(world.scenario.seed, "sink of member " + member.number);
        final boolean isPassedOn =
            world.scenario.isOn(Feature.LATE_SINKS) && sinkDraw.oneIn(2) && workers == null;
        sink = isPassedOn ? new LateSink(world, time, sinkDraw,
            new Draw(world.scenario.seed, "lower acknowledgements of member " + member.number)) : null;
        isAcknowledging = isPassedOn && world.scenario.isOn(Feature.ACKNOWLEDGEMENTS) &&
            new Draw(world.scenario.seed, "acknowledgements of member " + member.number).oneIn(2);
    }

    /** Whether the consumer commits what the sink acknowledges, and waits for it before partitions move. */
    boolean isAcknowledging()
    {
        return isAcknowledging || workers != null;
    }

    /** The workers of the member, or null. */
    MemberWorkers workers()
    {
        return workers;
    }

    /** The coordinator has accepted an offset of this member. */
    void onCommitted(final int partition, final long offset)
    {
        world.ledger.check(!isAcknowledging || offset <= sink.firstPending(partition), "acknowledgement",
            "member " + member.number + " not to commit offset " + offset + " of partition " + partition +
            ", because the record at offset " + (isAcknowledging ? sink.firstPending(partition) : 0) +
            " is not acknowledged");
    }

    /** Whether the member commits what was acknowledged by whom it passes records on to. */
    boolean isPassingOn()
    {
        return sink != null || workers != null;
    }

    CallbackCalls calls()
    {
        return calls;
    }

    void onOpen(final TopicConsumer newConsumer)
    {
        consumer = newConsumer;
        calls.onOpen(consumer);
        overdueNs = NEVER;
        lateEnds.clear();
        undone.clear();
        if (sink != null)
        {
            sink.clear();
        }
    }

    void onAssigned(final int partition, final long startOffset)
    {
        undone.remove(partition);
        if (sink != null)
        {
            sink.onAssigned(partition, startOffset);
        }
    }

    /** Loads the state of a partition. */
    void load()
    {
        time.work(pace.loadingNs());
    }

    /** Has the next handler take long; with 0, it does not. */
    void arm(final long durationNs)
    {
        armedNs = durationNs;
        onKeepAlive = null;
    }

    /** Has the next handler of records take long, and call keepAlive meanwhile; an action begins with it. */
    void armWithKeepAlive(final long durationNs, final Runnable action)
    {
        armedNs = durationNs;
        onKeepAlive = action;
    }

    /** Polls by record or by batch, and commits what was acknowledged. */
    void poll(final int limit, final long timeoutNs)
    {
        if (isBatching && formDraw.oneIn(2))
        {
            consumer.pollBatches(this::onBatch, limit, timeoutNs);
        }
        else
        {
            consumer.controlledPoll(workers == null ? this::onRecord : this::onDispatched, limit, timeoutNs);
        }
        if (workers != null && !member.isClosedByOther())
        {
            workers.work();
        }
        if (!member.isClosedByOther())
        {
            commitAcknowledged();
        }
    }

    private Action onRecord(final Record record)
    {
        final int partition = record.partition();
        final long offset = record.offset();
        take(partition, offset);
        final Action action = calls.onRecord(partition, offset);
        if (isAcknowledging)
        {
            pass(partition, record.ownershipEpoch(), offset, offset + 1, action);
        }
        // A record that is delivered again must not be committed before.
        else if (world.ledger.isRead(partition, offset))
        {
            onDone(partition, offset, offset + 1);
        }
        stallIfArmed(partition, offset);
        return action;
    }

    private Action onDispatched(final Record record)
    {
        final int partition = record.partition();
        final long offset = record.offset();
        final Action action = workers.dispatch(record);
        if (action != Action.ABORT)
        {
            take(partition, offset);
            stallIfArmed(partition, offset);
        }
        return action;
    }

    private Action onBatch(final StoredBatch batch)
    {
        final int partition = batch.partition();
        final long fromOffset = batch.fromOffset();
        final long endOffset = batch.lastOffset() + 1;
        long offset = world.readable.next(partition, fromOffset);
        for (; offset < endOffset; offset = world.readable.next(partition, offset + 1))
        {
            take(partition, offset);
        }
        final Action action = calls.onBatch(partition, fromOffset);
        if (isAcknowledging)
        {
            pass(partition, batch.ownershipEpoch(), fromOffset, endOffset, action);
        }
        else if (action != Action.ABORT)
        {
            onDone(partition, fromOffset, endOffset);
        }
        stallIfArmed(partition, endOffset - 1);
        return action;
    }

    private void take(final int partition, final long offset)
    {
        world.trace.event("record", member.number * 1_000 + partition, offset);
        world.ledger.onRecord(member, partition, offset);
        if (workers == null)
        {
            world.ledger.onWorked(member, partition, offset);
        }
        world.clock.spend(draw.below(MAX_NS));
        time.work(pace.recordNs(offset));
    }

    /** The sink acknowledges what was not refused. */
    private void pass(
        final int partition, final int epoch, final long fromOffset, final long nextOffset, final Action action)
    {
        if (action != Action.ABORT)
        {
            sink.write(partition, epoch, fromOffset, nextOffset, world.isStriking(),
                consumer.group().acknowledgements());
        }
    }

    /** The records before an offset have been handled. */
    private void onDone(final int partition, final long fromOffset, final long nextOffset)
    {
        if (sink != null)
        {
            sink.write(partition, fromOffset, nextOffset);
        }
        else if (member.isExplicit)
        {
            consumer.group().commitAsync(partition, nextOffset);
        }
    }

    /** Commits what was acknowledged since the last poll. */
    private void commitAcknowledged()
    {
        if (sink == null || isAcknowledging)
        {
            return;
        }
        for (final ModelPartition partition : world.partitions())
        {
            final long offset = consumer.isAssigned(partition.index()) ? sink.takeCommit(partition.index()) : -1;
            if (offset >= 0)
            {
                consumer.group().commitAsync(partition.index(), offset);
            }
        }
    }

    private void stallIfArmed(final int partition, final long offset)
    {
        if (armedNs > 0)
        {
            lateEnds.put(partition, world.readable.batchEnd(partition, offset));
            final Runnable action = onKeepAlive;
            onKeepAlive = null;
            stall(draw.oneIn(3) || action != null, action);
        }
    }

    boolean onRevoking(final int partition, final long nextOffset, final long remainingNs)
    {
        world.ledger.check(workers == null || remainingNs > 0 || !world.isCalm() || member.isSlowToRevoke ||
            member.isClosedLate || pace.slowestNs() > 0, "worker revocation", "the workers of member " +
            member.number + " to process in time what they were given of partition " + partition);
        calls.onEvent(partition);
        if (armedNs > 0 && onKeepAlive == null && draw.oneIn(2))
        {
            stall(false, null);
        }
        undone.add(partition);
        throwSometimes();
        final boolean isDone = (!member.isSlowToRevoke || draw.oneIn(SLOW_TO_REVOKE_CALLS)) &&
            (sink == null || isAcknowledging || isAcknowledged(partition, nextOffset));
        // Workers that are stalled, with records of any partition, make a revocation end without being done.
        if (isDone && (workers == null || remainingNs > 0))
        {
            undone.remove(partition);
        }
        return isDone;
    }

    /** Then the partition is given up, and nothing is committed that was not acknowledged. */
    private void throwSometimes()
    {
        if (throwDraw.oneIn(REVOCATIONS_TO_THROW) && world.scenario.isOn(FaultKind.CALLBACK_THREW))
        {
            world.tookEffect(FaultKind.CALLBACK_THREW);
            if (throwDraw.oneIn(2))
            {
                throw new PlantedError("onRevoking");
            }
            throw new PlantedException("onRevoking");
        }
    }

    /** Whether the revocation handler has not agreed to give a partition up: then nothing has to be committed. */
    boolean isUndone(final int partition)
    {
        return undone.contains(partition) || workers != null && !world.ledger.isWorked(partition);
    }

    /** The documented revocation handler, which must be done when everything that was delivered is acknowledged. */
    private boolean isAcknowledged(final int partition, final long nextOffset)
    {
        final boolean isDone = sink.isDone(partition);
        final long offset = isDone ? sink.takeAll(partition, nextOffset) : sink.takeCommit(partition);
        if (offset >= 0)
        {
            consumer.group().commitAsync(partition, offset);
        }
        world.ledger.check(isDone || !sink.isDone(partition), "revocation", "member " + member.number +
            " to give up partition " + partition + ", because what it was given until offset " +
            sink.acknowledged(partition) + " is acknowledged, but its handler waits for offset " + nextOffset);
        return isDone;
    }

    /** The thread is in a handler for long, and an action begins with that, unless it is null. */
    private void stall(final boolean isWithKeepAlive, final Runnable action)
    {
        final long durationNs = armedNs;
        armedNs = 0;
        member.note(isWithKeepAlive ? "kept alive" : "stalled", 0, durationNs);
        isKeptAlive = isWithKeepAlive;
        keptAliveNs = world.clock.nowNs();
        if (!isKeptAlive)
        {
            member.disturbed(Long.MAX_VALUE);
        }
        if (action != null)
        {
            action.run();
        }
        world.stall(time.aheadNs() + durationNs);
        if (!isKeptAlive)
        {
            member.disturbed(world.clock.nowNs());
        }
        overdueNs = isOverdueNow() ? world.clock.nowNs() : overdueNs;
        isKeptAlive = false;
    }

    /** Does what a handler does now and then that takes long. */
    void keepAlive()
    {
        if (isKeptAlive && time.aheadNs() == 0)
        {
            consumer.keepAlive();
        }
    }

    boolean isKeptAlive()
    {
        return isKeptAlive;
    }

    /** Whether the revocation handler, which may take half of the timeout, and the stall have taken all of it. */
    private boolean isOverdueNow()
    {
        return isKeptAlive && world.clock.nowNs() - keptAliveNs >= REVOCATION_NS / 2;
    }

    /** Whether a handler has kept the member from giving up partitions in time since a heartbeat was accepted. */
    boolean isOverdue(final long acceptedNs)
    {
        return isOverdueNow() || overdueNs > acceptedNs;
    }

    /** Whether a record is of the batch in which the handler was stalled. */
    boolean isLate(final int partition, final long offset)
    {
        return offset < lateEnds.getOrDefault(partition, 0L);
    }
}
