// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.protocol.ApiMessage;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerException;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.model.ModelRequest;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A member of the group of a {@link GroupWorld}, through all consumers that it opens one after another. */
final class Member implements ConsumerListener
{
    private static final String NAME = "member-";
    private static final long NEVER = Long.MIN_VALUE;
    private static final int RECORD_LIMIT = 200;
    private static final int MAX_HANDLER_NS = 5_000;
    /** Members send heartbeats so often for two intervals after a change. */
    private static final long SOON_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long REVOCATION_NS = TimeUnit.MILLISECONDS.toNanos(GroupWorld.REVOCATION_MS);
    /** How long a static member asks for an instance id that is held. */
    private static final long UNRELEASED_NS = TimeUnit.SECONDS.toNanos(90);
    private static final long LATENCY_NS = TimeUnit.SECONDS.toNanos(1);
    /** If batches make a reconnect last longer than so many intervals, the session may expire meanwhile. */
    private static final long MAX_RECONNECT_INTERVALS = 4;
    /** The cycles until a commit is accepted: others may precede it, each of which is answered in the next cycle. */
    private static final int COMMIT_CYCLES = 5;

    final int number;
    SimulatedPoller poller;
    private final GroupWorld world;
    private final SimulatedClock clock;
    /** The time on the member's thread. */
    private final MemberClock time;
    private final Pace pace;
    private final Draw draw;
    private final boolean isExplicit;
    final boolean isStatic;
    private final boolean isSlowToRevoke;
    private final int commitIntervalMs;
    /** The ends of batches in which the handler was stalled, by partition. */
    private final Map<Integer, Long> lateEnds = new HashMap<>();
    private TopicConsumer consumer;
    private int incarnation;
    private Membership membership;
    private long openedNs;
    private long endedNs = NEVER;
    private long absentUntilNs;
    private long stalledUntilNs;
    private long cutUntilNs;
    private long armedNs;
    private boolean isInPoll;
    private long waitUntilNs;
    private boolean isLeaving;
    /** When the member last could not send heartbeats, or could not learn of the answers. */
    private long disturbedNs;
    /** Since when a handler has taken long that calls keepAlive. */
    private long keptAliveNs;
    private boolean isKeptAlive;
    /** When the member last could not give up partitions in time, although it sent heartbeats. */
    private long overdueNs;
    /** When the member was last told to give up partitions, by its user or by another assignment. */
    private long givingUpNs;

    Member(final GroupWorld world, final int number)
    {
        this.world = world;
        this.number = number;
        clock = world.clock;
        time = new MemberClock(clock);
        pace = new Pace(world, number);
        draw = new Draw(world.scenario.seed, "member " + number);
        isExplicit = draw.oneIn(3);
        isStatic = draw.oneIn(3);
        isSlowToRevoke = draw.oneIn(3);
        commitIntervalMs = (int)draw.logBetween(100, 10_000);
        poller = new SimulatedPoller(world);
        absentUntilNs = draw.logBetween(1, TimeUnit.SECONDS.toNanos(30));
    }

    /** Returns the number of the member that has sent a request. */
    static int number(final String clientId)
    {
        return Integer.parseInt(clientId.substring(NAME.length()));
    }

    private void open()
    {
        final GroupSettings group = new GroupSettings(GroupWorld.GROUP)
            .commitPolicy(isExplicit ? CommitPolicy.explicit() : CommitPolicy.delivered(commitIntervalMs))
            .protocol(world.protocol)
            .revocationTimeoutMs(GroupWorld.REVOCATION_MS)
            .revocationHandler((partition, nextOffset, remainingNs) -> onRevoking());
        if (world.isClassic)
        {
            group.sessionTimeoutMs(world.sessionMs).heartbeatIntervalMs(world.intervalMs);
        }
        if (isStatic)
        {
            group.instanceId("instance-" + number);
        }
        poller = new SimulatedPoller(world);
        incarnation++;
        try
        {
            consumer = connect(group);
        }
        catch (final ConsumerException ex)
        {
            // No name could be looked up.
            absentUntilNs = clock.nowNs() + LATENCY_NS;
            return;
        }
        isLeaving = false;
        openedNs = clock.nowNs();
        time.reset();
        disturbedNs = NEVER;
        overdueNs = NEVER;
        membership = new Membership(world, this);
        givingUpNs = openedNs;
        lateEnds.clear();
    }

    private TopicConsumer connect(final GroupSettings group)
    {
        return TopicConsumer.connect(world.scenario.context()
            .clientId(NAME + number)
            .bootstrapServers(world.network.bootstrapServers())
            .poller(poller)
            .nanoClock(time)
            .epochClock(clock)
            .random(new Draw(world.scenario.seed, "member " + number + "." + incarnation))
            .nameResolver(world.network)
            .listener(this)
            .errorHandler((error) -> world.trace.text("error of member " + number + ": " + error.getMessage()))
            .startPosition(StartPosition.earliest())
            .group(group));
    }

    /** Lets a fault take effect; returns false if it cannot now. */
    boolean act(final FaultKind kind, final long durationNs)
    {
        if (consumer == null || isInPoll || isLeaving)
        {
            return false;
        }
        switch (kind)
        {
            case USER_STALLED:
                if (draw.oneIn(2))
                {
                    armedNs = durationNs;
                }
                else
                {
                    stalledUntilNs = clock.nowNs() + durationNs;
                }
                return true;
            case CONSUMER_REOPENED:
                if (time.aheadNs() > 0)
                {
                    return false;
                }
                isLeaving = true;
                givingUpNs = clock.nowNs();
                consumer.group().leave();
                absentUntilNs = clock.nowNs() + durationNs;
                return true;
            case MEMBER_KILLED:
                poller.close();
                onEnded();
                absentUntilNs = clock.nowNs() + durationNs;
                return true;
            case MEMBER_CUT_OFF:
                cutUntilNs = clock.nowNs() + durationNs;
                return true;
            default:
                throw new IllegalArgumentException(kind.toString());
        }
    }

    private void onEnded()
    {
        world.ledger.onEnded(this);
        endedNs = clock.nowNs();
        consumer = null;
    }

    /** Ends the faults that last. */
    void repair()
    {
        final long nowNs = clock.nowNs();
        absentUntilNs = Math.min(absentUntilNs, nowNs);
        stalledUntilNs = Math.min(stalledUntilNs, nowNs);
        cutUntilNs = Math.min(cutUntilNs, nowNs);
        armedNs = 0;
    }

    /** Polls once, unless it is absent or stalled. */
    void step()
    {
        if (isKeptAlive && time.aheadNs() == 0)
        {
            consumer.keepAlive();
        }
        if (isInPoll)
        {
            onLate();
            return;
        }
        if (time.aheadNs() > 0)
        {
            return;
        }
        if (clock.nowNs() < stalledUntilNs)
        {
            onDisturbed();
            return;
        }
        if (consumer == null)
        {
            if (clock.nowNs() >= absentUntilNs)
            {
                open();
            }
            return;
        }
        if (clock.nowNs() < cutUntilNs)
        {
            onDisturbed();
            poller.loseAll();
        }
        isInPoll = true;
        // Members that are polled while another one waits do not wait, too.
        consumer.poll(
            this::onRecord, (int)draw.logBetween(1, RECORD_LIMIT), world.isWaiting() ? 0 : pace.timeoutNs());
        isInPoll = false;
        if (consumer.group().state() == GroupState.LEFT || consumer.group().state() == GroupState.FAILED)
        {
            close();
        }
    }

    private void onRecord(final Record record)
    {
        final int partition = record.partition();
        final long offset = record.offset();
        world.trace.event("record", number * 1_000 + partition, offset);
        world.ledger.onRecord(this, partition, offset);
        clock.spend(draw.below(MAX_HANDLER_NS));
        time.work(pace.recordNs(offset));
        if (isExplicit)
        {
            consumer.group().commit(partition, offset + 1);
        }
        if (armedNs > 0)
        {
            lateEnds.put(partition, GroupLedger.batchEnd(offset));
            stall(draw.oneIn(3));
        }
    }

    private boolean onRevoking()
    {
        if (armedNs > 0 && draw.oneIn(2))
        {
            stall(false);
        }
        return !isSlowToRevoke || draw.oneIn(20);
    }

    /** The thread is in a handler for long. */
    private void stall(final boolean isWithKeepAlive)
    {
        final long durationNs = armedNs;
        armedNs = 0;
        note(isWithKeepAlive ? "kept alive" : "stalled", 0, durationNs);
        isKeptAlive = isWithKeepAlive;
        keptAliveNs = clock.nowNs();
        disturbedNs = isKeptAlive ? disturbedNs : Long.MAX_VALUE;
        world.stall(time.aheadNs() + durationNs);
        disturbedNs = isKeptAlive ? disturbedNs : clock.nowNs();
        overdueNs = isOverdue() ? clock.nowNs() : overdueNs;
        isKeptAlive = false;
    }

    /** Whether the revocation handler, which may take half of the timeout, and the stall have taken all of it. */
    private boolean isOverdue()
    {
        return isKeptAlive && clock.nowNs() - keptAliveNs >= REVOCATION_NS / 2;
    }

    /** Whether a record is of the batch in which the handler was stalled. */
    boolean isLate(final int partition, final long offset)
    {
        return offset < lateEnds.getOrDefault(partition, 0L);
    }

    void onDisturbed()
    {
        disturbedNs = Math.max(disturbedNs, clock.nowNs());
    }

    /** The member waits in a poll until a time, unless others keep it from going on then. */
    void waitUntil(final long untilNs)
    {
        waitUntilNs = untilNs;
    }

    private void onLate()
    {
        if (!isKeptAlive && clock.nowNs() - waitUntilNs > LATENCY_NS)
        {
            onDisturbed();
        }
    }

    /** A connection has ended or a request was refused: what then has to be done is done between batches. */
    void onSetBack()
    {
        if (pace.reconnectNs() >= TimeUnit.MILLISECONDS.toNanos(MAX_RECONNECT_INTERVALS * world.intervalMs))
        {
            onDisturbed();
        }
    }

    Pace pace()
    {
        return pace;
    }

    /** How long the member works on until it polls again. */
    long aheadNs()
    {
        return time.aheadNs();
    }

    /**
     * Whether the coordinator may have removed the member: its session has expired, and something kept it from sending
     * heartbeats or from receiving the answers; or a handler kept it from giving up partitions in time. A member of a
     * classic group is also removed that does not join again in time.
     */
    boolean mayBeRemoved()
    {
        final int timeoutMs =
            world.isClassic ? Math.min(world.sessionMs, GroupWorld.REVOCATION_MS) : world.sessionMs;
        return disturbedNs > membership.acceptedNs() &&
            acceptedAgeNs() >= TimeUnit.MILLISECONDS.toNanos(timeoutMs) ||
            isOverdue() || overdueNs > membership.acceptedNs();
    }

    /** Returns the time since the coordinator has accepted a heartbeat. */
    long acceptedAgeNs()
    {
        return clock.nowNs() - membership.acceptedNs();
    }

    /** Returns the time of the member's thread since the coordinator has accepted a heartbeat. */
    long unconfirmedNs()
    {
        return time.nowNs() - membership.acceptedNs();
    }

    /** Whether the member has waited for the coordinator for as long as one does that gives up partitions. */
    boolean isCommitOverdue()
    {
        return clock.nowNs() - givingUpNs >= REVOCATION_NS / 4 * 3;
    }

    /** The coordinator, or another broker, has served a request. */
    void onAnswer(final ModelRequest request, final ApiMessage response)
    {
        membership.onAnswer(request, response);
    }

    /** Whether the coordinator may accept heartbeats without knowing the member. */
    boolean isConfirmedBlindly()
    {
        return membership.isConfirmedBlindly();
    }

    void onGivingUp()
    {
        givingUpNs = isLeaving ? givingUpNs : clock.nowNs();
    }

    /** Checks what the member has sent while nothing failed. */
    void checkFlow(final long durationNs, final long heartbeatCount)
    {
        final long intervalNs = TimeUnit.MILLISECONDS.toNanos(world.intervalMs);
        final long max = 2 * intervalNs / SOON_NS + durationNs / intervalNs + 2;
        world.ledger.check(heartbeatCount <= max, "heartbeat storm", "no more than " + max + " heartbeats of member " +
            number + " in " + durationNs / 1e9 + " s without faults, but it has sent " + heartbeatCount);
    }

    /**
     * Returns how long a delivered record may be uncommitted while nothing fails: before its commit is answered, so
     * may be an earlier commit, another one that waited meanwhile, and a heartbeat, with a batch between them.
     */
    long maxCommitAgeNs()
    {
        return 4 * LATENCY_NS + COMMIT_CYCLES * pace.batchNs() +
            (isExplicit ? 0 : TimeUnit.MILLISECONDS.toNanos(commitIntervalMs));
    }

    boolean isStable()
    {
        return consumer != null && !isLeaving && !isInPoll && consumer.group().state() == GroupState.STABLE;
    }

    long rebalances()
    {
        return consumer.counters().get(ConsumerCounters.REBALANCES);
    }

    long heartbeats()
    {
        return consumer.counters().get(ConsumerCounters.HEARTBEATS);
    }

    /** Closes the consumer for good. */
    void end()
    {
        absentUntilNs = Long.MAX_VALUE;
        close();
    }

    /** Closes the consumer, which leaves the group if it has not yet. */
    void close()
    {
        if (consumer != null)
        {
            isInPoll = true;
            consumer.close(CLOSE_NS);
            isInPoll = false;
            world.ledger.check(poller.socketCount() == 0, "memory", "no sockets after the close");
            // A coordinator that is loaded before a classic group has divided its partitions again forgets the leave.
            final boolean isForgotten = membership.isConfirmedBlindly();
            world.ledger.check(isStatic || isForgotten || consumer.group().state() == GroupState.FAILED ||
                !world.isMember(consumer.group().memberId()), "leave", "member " + number + " to have left the group");
            onEnded();
        }
    }

    void note(final String what, final int partition, final long offset)
    {
        world.trace.event(what, number * 1_000 + partition, offset);
    }

    @Override
    public void onPartitionAssigned(final int partition, final long nextOffset)
    {
        note("assigned", partition, nextOffset);
        world.ledger.onAssigned(this, partition, nextOffset);
    }

    @Override
    public void onPartitionRevoked(final int partition, final long committedOffset)
    {
        note("revoked", partition, committedOffset);
        world.ledger.onRevoked(this, partition, committedOffset);
    }

    @Override
    public void onPartitionLost(final int partition, final long nextOffset)
    {
        note("lost", partition, nextOffset);
        world.ledger.onLost(this, partition);
    }

    @Override
    public void onGroupState(final GroupState state, final int memberEpoch, final String reason)
    {
        note(state.toString(), number, memberEpoch);
        // The coordinator of a classic group forgets members that were never assigned anything when it moves.
        final boolean isNew = world.isClassic && !world.ledger.isOwner(this);
        world.ledger.check(state != GroupState.FENCED || isNew || mayBeRemoved(), "membership",
            "member " + number + " not to be removed without a reason, but: " + reason);
        // A killed member holds the instance id until its session expires, which each load of the groups renews.
        final boolean isHeld = isStatic && clock.nowNs() - openedNs >= UNRELEASED_NS &&
            clock.nowNs() - world.sessionStartNs(endedNs) < TimeUnit.MILLISECONDS.toNanos(world.sessionMs) + LATENCY_NS;
        final boolean isForgotten = isStatic && membership.isForgotten();
        world.ledger.check(state != GroupState.FAILED || isHeld || isForgotten, "failure",
            "a member that never fails, but: " + reason);
    }

    @Override
    public String toString()
    {
        return "member " + number + (consumer == null ? " is absent" : ": " + consumer.group() +
            ", last heartbeat accepted " + TimeUnit.NANOSECONDS.toMillis(acceptedAgeNs()) + " ms ago" +
            (disturbedNs > membership.acceptedNs() ? ", disturbed" : ""));
    }
}
