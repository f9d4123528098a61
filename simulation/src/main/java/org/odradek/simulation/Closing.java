// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.TopicPartition;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.GroupState;
import org.odradek.harness.model.GroupOffsets.Committed;
import org.odradek.harness.model.ModelPartition;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Closes the consumers of a member: on a thread that was interrupted before, is interrupted meanwhile, or is not; with
 * or without offsets that were just given to another group; or without any time. Whatever happens on its thread, a
 * member of a healthy cluster has committed and left in the time that the close may take, or soon after.
 */
final class Closing
{
    private static final long TIMEOUT_NS = TopicConsumer.CLOSE_TIMEOUT_NS;
    /** A close ends so soon after its timeout: the last wait is not cut short. */
    private static final long SLACK_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long MIN_DELAY_NS = 1_000;
    /** The coordinator has received a leave that was sent without a wait for its answer. */
    private static final long ARRIVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final GroupWorld world;
    private final Member member;
    private final Draw draw;
    private final Draw lateDraw;
    /** The next offsets that were given to the other group last. */
    private final Map<Integer, Long> expected = new HashMap<>();

    Closing(final GroupWorld world, final Member member)
    {
        this.world = world;
        this.member = member;
        draw = new Draw(world.scenario.seed, "closes of member " + member.number);
        lateDraw = new Draw(world.scenario.seed, "late closes of member " + member.number);
    }

    /** Returns the name of a group that the member does not join. */
    private String otherGroup()
    {
        return "beside-" + member.number;
    }

    /**
     * Closes a consumer.
     *
     * @param isHealthy whether nothing keeps the consumer from committing.
     */
    void close(final TopicConsumer consumer, final SimulatedPoller poller, final boolean isHealthy)
    {
        expected.clear();
        member.isLeaveLost = false;
        // Without a connection to the coordinator that is ready nothing can be sent.
        member.isClosedLate = isHealthy && lateDraw.oneIn(3) && world.scenario.isOn(FaultKind.CLOSED_LATE) &&
            world.sasl == null && consumer.group().state() == GroupState.STABLE;
        if (member.isClosedLate)
        {
            closeLate(consumer, poller);
            return;
        }
        if (isHealthy && draw.oneIn(2) && world.scenario.isOn(FaultKind.OFFSETS_COMMITTED))
        {
            world.tookEffect(FaultKind.OFFSETS_COMMITTED);
            commitBeside(consumer);
        }
        final boolean isOn = world.scenario.isOn(FaultKind.THREAD_INTERRUPTED);
        final boolean wasInterrupted = isOn && draw.oneIn(3);
        if (wasInterrupted)
        {
            world.tookEffect(FaultKind.THREAD_INTERRUPTED);
            Thread.currentThread().interrupt();
        }
        else if (isOn && draw.oneIn(2))
        {
            world.clock.after(draw.logBetween(MIN_DELAY_NS, TIMEOUT_NS), poller::interrupt);
        }
        final long startNs = world.clock.nowNs() + member.aheadNs();
        final long silences = world.links.silences(member);
        boolean isClosed = true;
        try
        {
            isClosed = consumer.close(TIMEOUT_NS);
        }
        catch (final PlantedException | PlantedError ex)
        {
            world.trace.text("the close of member " + member.number + " has thrown: " + ex.getMessage());
        }
        final boolean isInterrupted = Thread.interrupted();
        world.ledger.check(isClosed, "close", "the close of member " + member.number + " to be done");
        checkFreed(poller);
        world.ledger.check(isInterrupted || !wasInterrupted, "interrupt",
            "the thread of member " + member.number + " to be interrupted after the close, as before");
        world.ledger.check(world.clock.nowNs() - startNs <= TIMEOUT_NS + SLACK_NS, "close",
            "a close of member " + member.number + " within " + TIMEOUT_NS / 1e9 + " s, but it has taken " +
            (world.clock.nowNs() - startNs) / 1e9 + " s");
        // No broker named the coordinator in that time if the one that was asked is lost, and nothing says so.
        final boolean isTimedOut = world.clock.nowNs() - startNs >= TIMEOUT_NS - SLACK_NS;
        if (!isTimedOut || world.links.silences(member) == silences)
        {
            expected.forEach(this::checkBeside);
        }
    }

    private void closeLate(final TopicConsumer consumer, final SimulatedPoller poller)
    {
        world.tookEffect(FaultKind.CLOSED_LATE);
        final long lostBefore = world.network.lostAtClose();
        try
        {
            consumer.close(0);
        }
        catch (final PlantedException | PlantedError ex)
        {
            world.trace.text("the late close of member " + member.number + " has thrown: " + ex.getMessage());
        }
        checkFreed(poller);
        member.isLeaveLost = world.network.lostAtClose() > lostBefore;
        world.clock.spend(ARRIVAL_NS);
    }

    /** Checks that nothing is open after a close, except what others use. */
    void checkFreed(final SimulatedPoller poller)
    {
        world.ledger.check(poller.socketCount() == world.links.ofGuest(member), "memory",
            "nothing to be held after the close");
    }

    /** Checks that the member has left the group, and has given up its partitions. */
    void checkLeft(final TopicConsumer consumer, final boolean isHealthy, final boolean mustLeave)
    {
        // A coordinator that is loaded before a classic group has divided its partitions again forgets the leave.
        final boolean isExcused = !mustLeave || member.isLeaveLost || member.isStatic || member.isConfirmedBlindly() ||
            consumer.group().state() == GroupState.FAILED;
        final List<String> memberIds = world.cluster.groups().describe(GroupWorld.GROUP).memberIds();
        world.ledger.check(isExcused || !memberIds.contains(consumer.group().memberId()), "leave",
            "member " + member.number + " to have left the group");
        world.ledger.check(!isHealthy || member.isLeaveLost || !world.ledger.isOwner(member), "leave",
            "member " + member.number + " to have given up its partitions");
    }

    private void commitBeside(final TopicConsumer consumer)
    {
        final GroupOffsets beside = consumer.groupOffsets(otherGroup());
        for (final ModelPartition partition : world.partitions())
        {
            if (consumer.isAssigned(partition.index()) && consumer.nextOffset(partition.index()) >= 0)
            {
                expected.put(partition.index(), consumer.nextOffset(partition.index()));
            }
        }
        beside.commitAsync();
    }

    private void checkBeside(final int partition, final long offset)
    {
        final Committed committed = world.cluster.groupOffsets().committed(otherGroup())
            .get(new TopicPartition(Scenario.TOPIC, partition));
        world.ledger.check(committed != null && committed.offset() == offset, "commit",
            "offset " + offset + " of partition " + partition + " to be committed for group " + otherGroup() +
            ", for which member " + member.number +
            " has committed it before it was closed, but the coordinator has " + committed);
    }
}
