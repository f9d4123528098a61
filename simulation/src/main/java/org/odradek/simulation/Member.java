// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.record.Record;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A member of the group of a {@link GroupWorld}, through all consumers that it opens one after another. */
final class Member implements ConsumerListener
{
    private static final long NEVER = Long.MIN_VALUE;
    private static final int RECORD_LIMIT = 200;
    private static final int MAX_HANDLER_NS = 5_000;
    private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(10);
    /** Heartbeats every 500 ms while the assignment changes, and as many for acknowledgements and retries. */
    private static final int MAX_HEARTBEATS = 40;
    /** Retries may follow one another after the longest backoff less 20 percent, which varies at random. */
    private static final long MIN_BACKOFF_NS_PER_MS = 800_000;
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(2);
    /** The default of the group's settings. */
    private static final long REVOCATION_NS = TimeUnit.SECONDS.toNanos(60);

    final int number;
    SimulatedPoller poller;
    private final GroupWorld world;
    private final SimulatedClock clock;
    private final Draw draw;
    private final boolean isExplicit;
    private final boolean isStatic;
    private final boolean isSlowToRevoke;
    /** The ends of batches in which the handler was stalled, by partition. */
    private final Map<Integer, Long> lateEnds = new HashMap<>();
    private TopicConsumer consumer;
    private int incarnation;
    private long absentUntilNs;
    private long stalledUntilNs;
    private long cutUntilNs;
    private long disturbedNs = NEVER;
    private long armedNs;
    private boolean isInPoll;
    /** Whether a handler that takes long calls keepAlive. */
    private boolean isKeptAlive;
    private boolean isLeaving;
    private long windowNs;
    private long windowHeartbeats;

    Member(final GroupWorld world, final int number)
    {
        this.world = world;
        this.number = number;
        clock = world.clock;
        draw = new Draw(world.scenario.seed, "member " + number);
        isExplicit = draw.oneIn(3);
        isStatic = draw.oneIn(3);
        isSlowToRevoke = draw.oneIn(3);
        poller = new SimulatedPoller(world);
        absentUntilNs = draw.logBetween(1, TimeUnit.SECONDS.toNanos(30));
    }

    private void open()
    {
        final GroupSettings group = new GroupSettings(GroupWorld.GROUP)
            .commitPolicy(isExplicit ? CommitPolicy.explicit() :
                CommitPolicy.delivered((int)draw.logBetween(100, 10_000)))
            .revocationHandler((partition, nextOffset, remainingNs) -> !isSlowToRevoke || draw.oneIn(20));
        if (isStatic)
        {
            group.instanceId("instance-" + number);
        }
        poller = new SimulatedPoller(world);
        consumer = TopicConsumer.connect(world.scenario.context()
            .clientId("member-" + number)
            .bootstrapServers(world.network.bootstrapServers())
            .poller(poller)
            .nanoClock(clock)
            .epochClock(clock)
            .random(new Draw(world.scenario.seed, "member " + number + "." + incarnation))
            .nameResolver(world.network)
            .listener(this)
            .errorHandler((error) -> world.trace.text("error of member " + number + ": " + error.getMessage()))
            .startPosition(StartPosition.earliest())
            .group(group));
        incarnation++;
        isLeaving = false;
        windowNs = clock.nowNs();
        windowHeartbeats = 0;
        lateEnds.clear();
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
                    disturbedNs = Math.max(disturbedNs, stalledUntilNs);
                }
                return true;
            case CONSUMER_REOPENED:
                isLeaving = true;
                consumer.group().leave();
                absentUntilNs = clock.nowNs() + durationNs;
                return true;
            case MEMBER_KILLED:
                world.ledger.onKilled(this);
                poller.close();
                consumer = null;
                absentUntilNs = clock.nowNs() + durationNs;
                return true;
            case CONNECTION_HALF_OPEN:
                cutUntilNs = clock.nowNs() + durationNs;
                disturbedNs = Math.max(disturbedNs, cutUntilNs);
                return true;
            default:
                throw new IllegalArgumentException(kind.toString());
        }
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
        if (isKeptAlive)
        {
            consumer.keepAlive();
            checkHeartbeats();
        }
        if (isInPoll || clock.nowNs() < stalledUntilNs)
        {
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
            poller.loseAll();
        }
        isInPoll = true;
        consumer.poll(this::onRecord, (int)draw.logBetween(1, RECORD_LIMIT), 0);
        isInPoll = false;
        checkHeartbeats();
        if (consumer.group().state() == GroupState.LEFT || consumer.group().state() == GroupState.FAILED)
        {
            close();
        }
    }

    private void checkHeartbeats()
    {
        final long heartbeats = consumer.counters().get(ConsumerCounters.HEARTBEATS);
        if (clock.nowNs() - windowNs >= WINDOW_NS)
        {
            windowNs = clock.nowNs();
            windowHeartbeats = heartbeats;
        }
        final long max = MAX_HEARTBEATS + WINDOW_NS / (world.scenario.retryBackoffMaxMs * MIN_BACKOFF_NS_PER_MS);
        world.ledger.check(heartbeats - windowHeartbeats <= max, "heartbeat storm", "no more than " +
            max + " heartbeats of member " + number + " in 10 s");
    }

    private void onRecord(final Record record)
    {
        final int partition = record.partition();
        final long offset = record.offset();
        world.trace.event("record", number * 1_000 + partition, offset);
        world.ledger.onRecord(this, partition, offset);
        clock.spend(draw.below(MAX_HANDLER_NS));
        if (isExplicit)
        {
            consumer.group().commit(partition, offset + 1);
        }
        if (armedNs > 0)
        {
            stallInHandler(partition, offset);
        }
    }

    private void stallInHandler(final int partition, final long offset)
    {
        final long durationNs = armedNs;
        armedNs = 0;
        isKeptAlive = draw.oneIn(3);
        // The coordinator removes a member that does not give up a partition in time, heartbeats or not.
        final boolean mayBeRemoved = !isKeptAlive || durationNs > REVOCATION_NS;
        if (mayBeRemoved)
        {
            lateEnds.put(partition, GroupLedger.batchEnd(offset));
            disturbedNs = Long.MAX_VALUE;
        }
        world.stall(durationNs);
        isKeptAlive = false;
        disturbedNs = mayBeRemoved ? Math.max(clock.nowNs(), cutUntilNs) : disturbedNs;
    }

    /** Whether a record is of the batch in which the handler was stalled. */
    boolean isLate(final int partition, final long offset)
    {
        return offset < lateEnds.getOrDefault(partition, 0L);
    }

    /** Whether the coordinator may have removed the member. */
    boolean wasDisturbed()
    {
        return disturbedNs != NEVER && clock.nowNs() - disturbedNs <
            TimeUnit.MILLISECONDS.toNanos(world.sessionMs + 2L * world.scenario.requestTimeoutMs) + CLOSE_NS;
    }

    boolean isStable()
    {
        return consumer != null && !isLeaving && !isInPoll && consumer.group().state() == GroupState.STABLE;
    }

    long rebalances()
    {
        return consumer == null ? 0 : consumer.counters().get(ConsumerCounters.REBALANCES);
    }

    /** Closes the consumer, which leaves the group if it has not yet. */
    void close()
    {
        if (consumer != null)
        {
            consumer.close(CLOSE_NS);
            world.ledger.check(poller.socketCount() == 0, "memory", "no sockets after the close");
            world.ledger.onKilled(this);
            consumer = null;
        }
    }

    private void note(final String what, final int partition, final long offset)
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
        note(state.toString(), 0, memberEpoch);
        // Each move of the coordinator lets the session of a killed member begin again, which may outlast the retries.
        world.ledger.check(state != GroupState.FAILED || isStatic && world.isUnsettled(), "failure",
            "a member that never fails, but: " + reason);
    }

    @Override
    public String toString()
    {
        return "member " + number + (consumer == null ? " is absent" : ": " + consumer.group());
    }
}
