// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.AuthenticationException;
import org.odradek.client.ClientException;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.harness.model.ModelLog;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.StoredBatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The user's thread: opens the consumer, polls it in every way, handles its records, and does at random moments what a
 * user may do, between polls and in handlers.
 */
final class User implements Observer
{
    private static final FaultKind[] IN_HANDLERS = {
        FaultKind.HANDLER_THREW, FaultKind.RECORD_REFUSED, FaultKind.POLL_ENDED, FaultKind.SOUGHT,
        FaultKind.PARTITION_PAUSED, FaultKind.PARTITION_UNASSIGNED, FaultKind.USER_STALLED};
    private static final FaultKind[] BETWEEN_POLLS = {
        FaultKind.USER_STALLED, FaultKind.SOUGHT, FaultKind.SOUGHT, FaultKind.PARTITION_PAUSED,
        FaultKind.PARTITION_RESUMED, FaultKind.PARTITION_RESUMED, FaultKind.PARTITION_UNASSIGNED,
        FaultKind.PARTITION_ASSIGNED, FaultKind.PARTITION_ASSIGNED, FaultKind.OFFSET_QUERIED,
        FaultKind.OFFSETS_COMMITTED, FaultKind.CONSUMER_REOPENED};

    private static final int RECORD_LIMIT = 1_000;
    private static final long MAX_CALL_NS = 50_000;
    private static final int MAX_HANDLER_NS = 5_000;
    private static final long MIN_STALL_NS = 10_000_000;
    private static final long MAX_STALL_NS = TimeUnit.SECONDS.toNanos(45);
    private static final long MIN_TIMEOUT_NS = 1_000;
    private static final long MIN_QUIET_TIMEOUT_NS = 1_000_000;
    private static final long MAX_TIMEOUT_NS = 500_000_000;
    private static final int MAX_BACK = 2_000;
    private static final int REOPEN_SELDOM = 8;

    private final World world;
    private final SimulatedClock clock;
    private final DeliveryOracle deliveries;
    final UserOffsets offsets;
    private final Draw draw;
    private final List<Expected> starts = new ArrayList<>();
    private TopicConsumer consumer;
    private long nextActionNs;
    private long deadlineNs;
    private long callNs;
    /** When the consumer found the partitions that the topic had first, or -1. */
    private long addedNs;
    /** What the next call of a handler does. */
    private FaultKind armed;
    /** The partition at which the handler has thrown in the last poll; null for none. */
    private Expected failed;
    private final HandlerErrorPolicy policy;
    /** The partitions that stay paused or unassigned until the next round. */
    final List<Expected> leftOut = new ArrayList<>();

    User(final World world)
    {
        this.world = world;
        clock = world.clock;
        deliveries = world.oracles.deliveries;
        draw = new Draw(world.scenario.seed, "user");
        policy = world.scenario.context().handlerErrorPolicy();
        offsets = new UserOffsets(world);
    }

    void open()
    {
        consumer = null;
        addedNs = -1;
        while (consumer == null)
        {
            try
            {
                consumer = TopicConsumer.connect(context());
            }
            catch (final ClientException ex)
            {
                // No name could be looked up.
                clock.spend(MIN_STALL_NS);
            }
        }
        offsets.onOpen(consumer);
        world.oracles.onOpen(consumer);
    }

    private ConsumerContext context()
    {
        final ConsumerContext context = world.scenario.context()
            .bootstrapServers(world.network.bootstrapServers())
            .poller(world.poller)
            .nanoClock(world.clock)
            .epochClock(world.clock)
            .random(new Draw(world.scenario.seed, "consumer"))
            .nameResolver(world.network)
            .listener(world.oracles.events)
            .errorHandler((error) -> world.trace.text("error: " + error.getMessage()))
            .startPosition(offsets.isGrouped ?
                StartPosition.committed(UserOffsets.GROUP, StartPosition.earliest()) : StartPosition.earliest());
        for (final Expected start : starts)
        {
            context.startPosition(start.partition, StartPosition.offset(start.next));
        }
        return context;
    }

    /** The consumer has found a partition by itself. */
    void onAdded(final Expected expected)
    {
        if (starts.contains(expected))
        {
            expected.moveTo(expected.next, clock.nowNs());
        }
        else if (offsets.isGrouped && (addedNs < 0 || addedNs == clock.nowNs()))
        {
            // Partitions that the topic gains later begin at their first record.
            addedNs = clock.nowNs();
            offsets.lookUpCommitted(expected);
        }
        else
        {
            expected.lookUp(Expected.EARLIEST, deliveries.isReadCommitted, clock.nowNs());
        }
    }

    /** Makes one call of the consumer. */
    void step()
    {
        if (world.phase() == Phase.FAULTS && clock.nowNs() >= nextActionNs)
        {
            nextActionNs = clock.nowNs() + draw.exponential(TimeUnit.MILLISECONDS.toNanos(world.scenario.faultEveryMs));
            final boolean isInHandler = draw.oneIn(2);
            final FaultKind kind = draw.pick(isInHandler ? IN_HANDLERS : BETWEEN_POLLS);
            if (world.scenario.isOn(kind) && isInHandler)
            {
                armed = kind;
            }
            else if (world.scenario.isOn(kind))
            {
                act(kind);
            }
        }
        skipUnreadable();
        continueStopped();
        offsets.check();
        poll();
        clock.spend(draw.between(100, MAX_CALL_NS));
    }

    /** Seeks past a batch that the receive buffer cannot hold, often while the response with it is on its way. */
    private void skipUnreadable()
    {
        final Expected unreadable = world.phase() == Phase.FAULTS ? deliveries.beforeOversized() : null;
        if (unreadable != null && isKnown(unreadable) && world.scenario.isOn(FaultKind.SOUGHT) && draw.oneIn(4))
        {
            seek(unreadable, deliveries.continueOffset(unreadable));
            world.oracles.onChange();
            world.tookEffect(FaultKind.SOUGHT);
        }
    }

    private void poll()
    {
        final boolean isFaulty = world.phase() == Phase.FAULTS;
        final int limit = (int)draw.logBetween(1, RECORD_LIMIT);
        final long timeoutNs = isFaulty && draw.oneIn(8) ? 0 :
            draw.logBetween(isFaulty ? MIN_TIMEOUT_NS : MIN_QUIET_TIMEOUT_NS, MAX_TIMEOUT_NS);
        callNs = clock.nowNs();
        deadlineNs = callNs + timeoutNs;
        final int form = draw.below(16);
        if (form == 0)
        {
            awaitReady(isFaulty ? timeoutNs : Math.min(timeoutNs, MIN_STALL_NS));
            return;
        }
        final long recordsBefore = deliveries.records;
        try
        {
            poll(form, limit, timeoutNs);
        }
        catch (final ClientException ex)
        {
            if (policy != HandlerErrorPolicy.THROW || failed == null)
            {
                throw ex;
            }
            failed = null;
            world.oracles.events.count(ConsumerCounters.EMPTY_POLLS, deliveries.records == recordsBefore ? 1 : 0);
        }
        checkFailed();
    }

    private void poll(final int form, final int limit, final long timeoutNs)
    {
        final int delivered = form < 7 ? consumer.poll(this::onRecord, limit, timeoutNs) : form < 12 ?
            consumer.controlledPoll(this::onControlled, limit, timeoutNs) :
            consumer.pollBatches(this::onBatch, limit, timeoutNs);
        if (delivered == 0)
        {
            world.oracles.events.count(ConsumerCounters.EMPTY_POLLS, 1);
        }
    }

    /** A partition has stopped if the handler has thrown in the last poll, which throws if that is the policy. */
    private void checkFailed()
    {
        if (failed != null && (policy == HandlerErrorPolicy.THROW || !failed.isStopped))
        {
            throw world.oracles.failure("handler errors", "partition " + failed.partition +
                " to stop, because its handler has thrown under the policy " + policy);
        }
        failed = null;
    }

    private void awaitReady(final long timeoutNs)
    {
        try
        {
            consumer.awaitReady(timeoutNs);
        }
        catch (final AuthenticationException ex)
        {
            world.trace.text("refused: " + ex.getMessage());
        }
    }

    /** When the last call has begun. */
    long callNs()
    {
        return callNs;
    }

    /** When the call that runs ends at the latest. */
    long deadlineNs()
    {
        return deadlineNs;
    }

    private void onRecord(final Record record)
    {
        final boolean isOfActions = armed == FaultKind.RECORD_REFUSED || armed == FaultKind.POLL_ENDED;
        final FaultKind kept = isOfActions ? armed : null;
        armed = isOfActions ? null : armed;
        onControlled(record);
        armed = kept;
    }

    private Action onControlled(final Record record)
    {
        final int partition = record.partition();
        world.trace.event("record", partition, record.offset());
        deliveries.onRecord(record);
        world.neighbour.onHandler();
        clock.spend(draw.below(MAX_HANDLER_NS));
        return armed == null ? Action.CONTINUE : handle(partition, 1);
    }

    private Action onBatch(final StoredBatch batch)
    {
        final int partition = batch.partition();
        world.trace.event("batch", partition, batch.fromOffset());
        deliveries.onBatch(batch);
        world.neighbour.onHandler();
        clock.spend(draw.below(MAX_HANDLER_NS));
        return armed == null ? Action.CONTINUE : handle(partition, batch.recordCount());
    }

    private Action handle(final int partition, final int count)
    {
        final FaultKind kind = armed;
        armed = null;
        switch (kind)
        {
            case HANDLER_THREW:
                world.oracles.events.count(ConsumerCounters.HANDLER_ERRORS, 1);
                world.tookEffect(kind);
                if (policy != HandlerErrorPolicy.SKIP)
                {
                    deliveries.refused(partition, count);
                    failed = deliveries.of(partition);
                    failed.isFailed = true;
                }
                throw new IllegalStateException("thrown by the user's handler");
            case RECORD_REFUSED:
                deliveries.refused(partition, count);
                world.tookEffect(kind);
                return Action.ABORT;
            case POLL_ENDED:
                world.tookEffect(kind);
                return Action.BREAK;
            default:
                steer(kind, deliveries.of(draw.oneIn(2) ? partition : draw.below(deliveries.partitions().size())));
                return Action.CONTINUE;
        }
    }

    private void act(final FaultKind kind)
    {
        if (kind == FaultKind.CONSUMER_REOPENED)
        {
            if (draw.oneIn(REOPEN_SELDOM))
            {
                reopen();
            }
        }
        else if (!deliveries.partitions().isEmpty())
        {
            steer(kind, deliveries.of(draw.below(deliveries.partitions().size())));
        }
    }

    /** Does what concerns one partition, if it can be done now. */
    private void steer(final FaultKind kind, final Expected expected)
    {
        final boolean isPossible = switch (kind)
        {
            case USER_STALLED -> true;
            case SOUGHT, PARTITION_UNASSIGNED -> expected.isAssigned;
            case PARTITION_PAUSED -> expected.isAssigned && !expected.isPaused;
            case PARTITION_RESUMED -> expected.isAssigned && expected.isPaused;
            default -> expected.log != null && isKnown(expected);
        };
        if (!isPossible)
        {
            return;
        }
        world.trace.event(kind.name(), expected.partition, expected.next);
        switch (kind)
        {
            case USER_STALLED:
                clock.spend(draw.logBetween(MIN_STALL_NS, MAX_STALL_NS));
                break;
            case SOUGHT:
                seek(expected, drawOffset(expected.log));
                break;
            case PARTITION_PAUSED:
                consumer.pause(expected.partition);
                expected.isPaused = true;
                break;
            case PARTITION_RESUMED:
                resume(expected);
                break;
            case PARTITION_UNASSIGNED:
                unassign(expected);
                break;
            case PARTITION_ASSIGNED:
                assign(expected);
                break;
            case OFFSET_QUERIED:
                offsets.query(expected, draw);
                break;
            default:
                if (!offsets.commit(expected))
                {
                    return;
                }
                break;
        }
        world.oracles.onChange();
        world.tookEffect(kind);
    }

    boolean isKnown(final Expected expected)
    {
        return expected.partition < Math.min(consumer.partitionCount(), world.partitions().size());
    }

    /** Draws an offset that the log mostly holds. */
    private long drawOffset(final ModelLog log)
    {
        if (log == null)
        {
            return draw.below(MAX_BACK);
        }
        final long from = Math.max(log.startOffset(), log.endOffset() - MAX_BACK);
        return Math.max(0, draw.oneIn(6) ? draw.between(log.startOffset() - 10, log.endOffset() + 10) :
            draw.between(from, log.endOffset()));
    }

    private void seek(final Expected expected, final long offset)
    {
        consumer.seek(expected.partition, offset);
        expected.moveTo(offset, clock.nowNs());
    }

    private void resume(final Expected expected)
    {
        consumer.resume(expected.partition);
        expected.isPaused = false;
        expected.advancedNs = clock.nowNs();
    }

    void unassign(final Expected expected)
    {
        consumer.unassign(expected.partition);
        expected.leave();
        expected.next = -1;
    }

    private void assign(final Expected expected)
    {
        expected.isAssigned = true;
        expected.isPaused = false;
        final StartPosition position;
        switch (draw.below(offsets.isGrouped ? 5 : 4))
        {
            case 0:
                position = StartPosition.latest();
                expected.lookUp(Expected.LATEST, deliveries.isReadCommitted, clock.nowNs());
                break;
            case 1:
                final long timestamp = World.EPOCH_MS + draw.between(0, clock.nowMs());
                position = StartPosition.timestamp(timestamp);
                expected.lookUp(timestamp, deliveries.isReadCommitted, clock.nowNs());
                break;
            case 2:
                expected.moveTo(drawOffset(expected.log), clock.nowNs());
                position = StartPosition.offset(expected.next);
                break;
            case 3:
                position = StartPosition.earliest();
                expected.lookUp(Expected.EARLIEST, deliveries.isReadCommitted, clock.nowNs());
                break;
            default:
                position = StartPosition.committed(UserOffsets.GROUP, StartPosition.latest());
                offsets.lookUpCommitted(expected);
                break;
        }
        consumer.assign(expected.partition, position);
    }

    /** Continues partitions that have stopped, as a user does after reading the reason. */
    private void continueStopped()
    {
        final List<Expected> partitions = deliveries.partitions();
        for (int p = 0; p < partitions.size(); p++)
        {
            final Expected expected = partitions.get(p);
            if (expected.isStopped && isKnown(expected) && !(expected.isFailed && expected.isPaused))
            {
                world.oracles.onChange();
                if (expected.isFailed && !draw.oneIn(4))
                {
                    expected.isStopped = false;
                    expected.isFailed = false;
                    resume(expected);
                }
                else
                {
                    seek(expected, deliveries.continueOffset(expected));
                }
            }
        }
    }

    private void reopen()
    {
        close();
        starts.clear();
        for (final Expected expected : deliveries.partitions())
        {
            final boolean isCommitted = offsets.isGrouped && draw.oneIn(2);
            if (expected.isAssigned && expected.next >= 0 && !expected.isRecreated && !isCommitted)
            {
                starts.add(expected);
            }
            expected.leave();
        }
        open();
        world.tookEffect(FaultKind.CONSUMER_REOPENED);
    }

    @Override
    public void onPhase(final Phase phase)
    {
        if (phase == Phase.SETTLING)
        {
            armed = null;
            world.oracles.onChange();
            recover();
        }
        else if (phase == Phase.FAULTS)
        {
            leftOut.forEach(this::restore);
            leftOut.clear();
        }
    }

    /** Reads every partition again, except for those that are left out, so that its absence is tested as well. */
    private void recover()
    {
        final List<Expected> partitions = deliveries.partitions();
        if (deliveries.isRecreationHidden() && partitions.stream().anyMatch((expected) -> expected.isRecreated))
        {
            // Old brokers have no topic ids, so a consumer cannot notice that its topic was created again.
            reopen();
        }
        for (final Expected expected : partitions)
        {
            if (expected.partition < world.partitions().size() && !leftOut.contains(expected))
            {
                restore(expected);
            }
            else if (expected.isAssigned)
            {
                unassign(expected);
            }
        }
        if (world.scenario.isOn(Feature.STEERING) && draw.oneIn(3) && partitions.size() > 1 && leftOut.isEmpty())
        {
            final Expected left = partitions.get(draw.below(partitions.size()));
            if (left.isAssigned)
            {
                leftOut.add(left);
                if (draw.oneIn(2))
                {
                    unassign(left);
                }
                else
                {
                    consumer.pause(left.partition);
                    left.isPaused = true;
                }
            }
        }
        for (final Expected expected : partitions)
        {
            expected.target = deliveries.endOf(expected);
        }
    }

    private void restore(final Expected expected)
    {
        if (!expected.isAssigned && isKnown(expected))
        {
            assign(expected);
        }
        else if (expected.isAssigned && expected.isPaused)
        {
            resume(expected);
        }
    }

    /** Returns whether every log that is read has been read to its end as it was when the faults ended. */
    boolean isCaughtUp()
    {
        return consumer.partitionCount() > 0 && deliveries.partitions().stream().noneMatch(deliveries::isBehind);
    }

    void close()
    {
        consumer.close();
        world.oracles.onClosed();
    }
}
