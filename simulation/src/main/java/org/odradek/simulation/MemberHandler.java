// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.Record;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The handlers of a {@link Member}, for records and for partitions that it gives up, and how long they take. */
final class MemberHandler
{
    private static final int MAX_NS = 5_000;
    private static final long REVOCATION_NS = TimeUnit.MILLISECONDS.toNanos(GroupWorld.REVOCATION_MS);
    private static final int SLOW_TO_REVOKE_CALLS = 20;
    private static final long NEVER = Long.MIN_VALUE;

    private final GroupWorld world;
    private final Member member;
    private final MemberClock time;
    private final Pace pace;
    private final Draw draw;
    private final CallbackCalls calls;
    /** The ends of batches in which the handler was stalled, by partition. */
    private final Map<Integer, Long> lateEnds = new HashMap<>();
    private TopicConsumer consumer;
    private long armedNs;
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
    }

    /** Has the next handler take long; with 0, it does not. */
    void arm(final long durationNs)
    {
        armedNs = durationNs;
    }

    Action onRecord(final Record record)
    {
        final int partition = record.partition();
        final long offset = record.offset();
        world.trace.event("record", member.number * 1_000 + partition, offset);
        world.ledger.onRecord(member, partition, offset);
        world.clock.spend(draw.below(MAX_NS));
        time.work(pace.recordNs(offset));
        final Action action = calls.onRecord(partition, offset);
        // A record that is delivered again must not be committed before.
        if (member.isExplicit && world.ledger.isRead(partition, offset))
        {
            consumer.group().commit(partition, offset + 1);
        }
        if (armedNs > 0)
        {
            lateEnds.put(partition, GroupLedger.batchEnd(offset));
            stall(draw.oneIn(3));
        }
        return action;
    }

    boolean onRevoking(final int partition)
    {
        calls.onEvent(partition);
        if (armedNs > 0 && draw.oneIn(2))
        {
            stall(false);
        }
        return !member.isSlowToRevoke || draw.oneIn(SLOW_TO_REVOKE_CALLS);
    }

    /** The thread is in a handler for long. */
    private void stall(final boolean isWithKeepAlive)
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
