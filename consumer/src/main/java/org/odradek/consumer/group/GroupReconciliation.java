// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.fetch.PartitionAssignment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.PrintableText;

import java.util.Arrays;

/**
 * Makes the partitions that are read those that the consumer group has assigned to this member, commits what has been
 * delivered if the policy is to do so, and stops delivery while the membership is not certain. It works once in each
 * duty cycle, before delivery.
 * <pre>
 *  FREE --take--> STARTING --first offset known--> OWNED --give up--> DRAINING --handler is done--> COMMITTING
 *   ^                 |                                                                                 |
 *   +-----------------+------------------ commit confirmed, or lost, or too late -----------------------+
 * </pre>
 * A partition is unassigned from the table as soon as it is given up, so that nothing more of it is fetched or
 * delivered; its next offset is kept here. Until it is FREE it counts as assigned, and the heartbeat lists it as owned.
 * Partitions are taken when none is left to give up.
 */
public final class GroupReconciliation
{
    private static final byte FREE = 0;
    private static final byte STARTING = 1;
    private static final byte OWNED = 2;
    private static final byte DRAINING = 3;
    private static final byte COMMITTING = 4;

    private static final String[] PHASES = {"free", "starting", "owned", "draining", "committing"};

    private boolean isReconciling;
    private boolean isLeaving;
    private boolean isFenced;
    private boolean isHandlerAsked;
    private long fencedSinceNs;
    private int startingCount;
    private int seenTargetChanges;
    /** The revocation handler has until the first, the commit until the second. */
    private long drainUntilNs;
    private long commitUntilNs;
    private long nextCommitNs;
    private long committedRecords = -1;
    private GroupState reportedState;
    private byte[] phases = {};
    private long[] nextOffsets = {};
    private int[] offsetEpochs = {};
    private final Settings.Group settings;
    private final GroupMember member;
    private final GroupCoordinator coordinator;
    private final PartitionAssignment assignment;
    private final PartitionTable table;
    private final Environment environment;
    private final DutyClock clock;

    public GroupReconciliation(
        final GroupCoordinator coordinator,
        final PartitionAssignment assignment,
        final PartitionTable table,
        final Environment environment)
    {
        settings = environment.settings().group;
        this.coordinator = coordinator;
        member = coordinator.join();
        this.assignment = assignment;
        this.table = table;
        this.environment = environment;
        clock = environment.clock();
        nextCommitNs = clock.nowNs();
    }

    public void doWork()
    {
        reportState();
        if (member.state() == GroupState.FENCED || member.state() == GroupState.FAILED)
        {
            loseAll();
        }
        if (member.takeTopicRecreated())
        {
            loseAll();
            member.dropAll();
        }
        if (startingCount > 0)
        {
            reportStarted();
        }
        // The coordinator changes an assignment only when it does not wait for the member to give up the one before, so
        // the time begins anew.
        if (member.targetChanges() != seenTargetChanges && !isLeaving)
        {
            begin(settings.revocationTimeoutNs());
        }
        extendDelivery();
        if (isReconciling)
        {
            reconcile();
        }
        if (settings.isCommittingDelivered() && nextCommitNs - clock.nowNs() <= 0)
        {
            commitDelivered();
        }
        reportFence();
    }

    /** Leaves the group after everything has been given up, within a time. */
    public void leave(final long timeoutNs)
    {
        if (!isLeaving)
        {
            isLeaving = true;
            begin(Math.min(timeoutNs, settings.revocationTimeoutNs()));
        }
    }

    /** Reads the clock, because a user may leave long after the last poll. */
    private void begin(final long timeoutNs)
    {
        final long nowNs = clock.readNs();
        isReconciling = true;
        drainUntilNs = nowNs + timeoutNs / 2;
        commitUntilNs = nowNs + timeoutNs / 4 * 3;
    }

    private void reconcile()
    {
        seenTargetChanges = member.targetChanges();
        final boolean wasLeaving = isLeaving;
        boolean isReleased = releaseAll();
        if (isLeaving && !wasLeaving)
        {
            // A callback has left the group, so the partitions before that one are to be given up, too.
            isReleased = releaseAll();
        }
        if (isReleased)
        {
            isReconciling = false;
            if (isLeaving)
            {
                coordinator.leave();
                reportState();
            }
            else
            {
                take();
            }
        }
    }

    private boolean releaseAll()
    {
        isHandlerAsked = false;
        boolean isReleased = true;
        for (int p = 0; p < phases.length; p++)
        {
            if (phases[p] != FREE && (isLeaving || phases[p] >= DRAINING || !member.isTarget(p)))
            {
                isReleased &= isReleased(p);
            }
        }
        return isReleased;
    }

    /** Takes one or more steps to give a partition up, and returns true when it is free. */
    private boolean isReleased(final int partition)
    {
        if (phases[partition] == STARTING)
        {
            giveUp(partition);
            startingCount--;
            free(partition);
            return true;
        }
        if (phases[partition] == OWNED)
        {
            giveUp(partition);
        }
        if (phases[partition] == DRAINING && isDrained(partition))
        {
            phases[partition] = COMMITTING;
            if (settings.isCommittingDelivered())
            {
                commit(partition, nextOffsets[partition], offsetEpochs[partition]);
            }
        }
        final boolean isUnconfirmed = table.isFenced(clock.nowNs());
        if (phases[partition] != COMMITTING || isCommitAwaited(partition) ||
            isUnconfirmed && commitUntilNs - clock.nowNs() > 0)
        {
            return false;
        }
        free(partition);
        if (isUnconfirmed)
        {
            // Nobody has confirmed the membership for so long that another member may have the partition already.
            reportLost(partition, nextOffsets[partition]);
        }
        else
        {
            environment.counters().add(ConsumerCounters.PARTITIONS_REVOKED, 1);
            environment.listener().onPartitionRevoked(partition, coordinator.committedOffset(partition));
        }
        return true;
    }

    private void reportLost(final int partition, final long nextOffset)
    {
        environment.counters().add(ConsumerCounters.PARTITIONS_LOST, 1);
        environment.listener().onPartitionLost(partition, nextOffset);
    }

    private void giveUp(final int partition)
    {
        nextOffsets[partition] = table.nextOffset(partition);
        offsetEpochs[partition] = table.offsetEpoch(partition);
        phases[partition] = DRAINING;
        table.unassign(partition);
    }

    /** The handler is asked a last time when its time has passed. */
    private boolean isDrained(final int partition)
    {
        final long remainingNs = Math.max(0, drainUntilNs - clock.nowNs());
        if (isHandlerDone(partition, remainingNs))
        {
            return true;
        }
        if (remainingNs == 0)
        {
            reportLate("The revocation handler was not done in time with partition " + partition + " up to offset " +
                nextOffsets[partition] + "; the partition is given up, and its next owner may deliver records again.");
            return true;
        }
        isHandlerAsked = true;
        return false;
    }

    private boolean isHandlerDone(final int partition, final long remainingNs)
    {
        try
        {
            return settings.revocationHandler.onRevoking(partition, nextOffsets[partition], remainingNs);
        }
        catch (final RuntimeException ex)
        {
            environment.error("The revocation handler threw " + ex + " for partition " + partition +
                "; the partition is given up.");
            return true;
        }
    }

    private void reportLate(final String sentence)
    {
        environment.counters().add(ConsumerCounters.REVOCATIONS_TIMED_OUT, 1);
        environment.error(sentence);
    }

    private boolean isCommitAwaited(final int partition)
    {
        if (!coordinator.isOutstanding(partition))
        {
            return false;
        }
        if (commitUntilNs - clock.nowNs() > 0)
        {
            return true;
        }
        reportLate("Offset " + coordinator.newestOffset(partition) + " of partition " + partition + " could not be " +
            "committed before the revocation timeout; the partition is given up, and its next owner may deliver " +
            "records again.");
        coordinator.discard(partition);
        return false;
    }

    private void free(final int partition)
    {
        phases[partition] = FREE;
        member.disown(partition);
    }

    private void take()
    {
        ensureCapacity(member.capacity());
        // Downwards, so that the table of partitions grows only once for those that metadata has not named yet.
        for (int p = phases.length - 1; p >= 0; p--)
        {
            if (phases[p] == FREE && member.isTarget(p))
            {
                coordinator.discard(p);
                assignment.assign(p);
                member.own(p);
                phases[p] = STARTING;
                startingCount++;
            }
        }
        member.reconciled();
    }

    private void ensureCapacity(final int count)
    {
        if (count > phases.length)
        {
            phases = Arrays.copyOf(phases, count);
            nextOffsets = Arrays.copyOf(nextOffsets, count);
            offsetEpochs = Arrays.copyOf(offsetEpochs, count);
        }
    }

    /** Reports partitions whose first offset has been found, before their first record is delivered. */
    private void reportStarted()
    {
        for (int p = 0; p < phases.length; p++)
        {
            if (phases[p] == STARTING && table.nextOffset(p) != PartitionTable.NULL_OFFSET)
            {
                phases[p] = OWNED;
                startingCount--;
                // The start position of a group that has committed nothing is to be committed, too.
                committedRecords = -1;
                environment.counters().add(ConsumerCounters.PARTITIONS_ASSIGNED, 1);
                environment.listener().onPartitionAssigned(p, table.nextOffset(p));
            }
        }
    }

    /** Drops everything: the member was removed, or its topic is gone. Nothing may be committed any more. */
    private void loseAll()
    {
        for (int p = 0; p < phases.length; p++)
        {
            final byte phase = phases[p];
            final long nextOffset = phase == OWNED ? table.nextOffset(p) : nextOffsets[p];
            if (phase == STARTING || phase == OWNED)
            {
                table.unassign(p);
            }
            phases[p] = FREE;
            if (phase != FREE)
            {
                coordinator.discard(p);
            }
            if (phase >= OWNED)
            {
                reportLost(p, nextOffset);
            }
        }
        startingCount = 0;
        if (member.state() == GroupState.FENCED)
        {
            member.rejoin();
            reportState();
        }
    }

    private void commitDelivered()
    {
        nextCommitNs = clock.nowNs() + settings.commitIntervalNs();
        committedRecords = environment.counters().records();
        for (int p = 0; p < phases.length; p++)
        {
            if (phases[p] == OWNED)
            {
                commit(p, table.nextOffset(p), table.offsetEpoch(p));
            }
        }
    }

    private void commit(final int partition, final long nextOffset, final int offsetEpoch)
    {
        if (nextOffset != coordinator.newestOffset(partition))
        {
            coordinator.commit(partition, nextOffset, offsetEpoch);
        }
    }

    /** Returns false if the partition is not owned. */
    public boolean commitOwned(final int partition, final long nextOffset)
    {
        final boolean isOwned = isOwned(partition);
        if (isOwned)
        {
            final boolean isRevoking = isRevoking(partition);
            final long knownOffset = isRevoking ? nextOffsets[partition] : table.nextOffset(partition);
            final int knownEpoch = isRevoking ? offsetEpochs[partition] : table.offsetEpoch(partition);
            coordinator.commit(
                partition, nextOffset, nextOffset == knownOffset ? knownEpoch : PartitionTable.NULL_EPOCH);
        }
        return isOwned;
    }

    /** Allows delivery while the member cannot have been removed. */
    public void extendDelivery()
    {
        final long fenceNs = fenceNs();
        if (fenceNs > 0)
        {
            table.deliverUntil(member.deliverUntilNs(fenceNs));
        }
    }

    private void reportFence()
    {
        final boolean isLate = table.isFenced(clock.readNs());
        if (isLate && !isFenced && member.ownedCount() > 0)
        {
            isFenced = true;
            fencedSinceNs = clock.nowNs();
            environment.counters().add(ConsumerCounters.FENCES, 1);
            environment.listener().onDeliveryFenced(clock.nowNs() - member.lastConfirmedNs());
        }
        else if (isFenced && !isLate)
        {
            isFenced = false;
            environment.listener().onDeliveryUnfenced(clock.nowNs() - fencedSinceNs);
        }
    }

    private long fenceNs()
    {
        return settings.fenceAfterMs == Settings.Group.FENCE_AFTER_INTERVALS ?
            member.fenceNs() : settings.fenceAfterNs();
    }

    private void reportState()
    {
        if (member.state() != reportedState)
        {
            reportedState = member.state();
            environment.listener().onGroupState(reportedState, member.epoch(), reason());
        }
    }

    private String reason()
    {
        switch (member.state())
        {
            case JOINING:
                return "Joins as member " + PrintableText.of(member.memberId()) + ".";
            case STABLE:
                return "Owns " + member.ownedCount() + " partitions.";
            case RECONCILING:
                return "The assignment has changed.";
            case LEFT:
                return "Has left the group.";
            default:
                return member.failure();
        }
    }

    /** Returns when there is something to do without a byte arriving. */
    public long nextDeadlineNs(final long otherwiseNs)
    {
        if (member.state() != reportedState || member.targetChanges() != seenTargetChanges && !isLeaving)
        {
            // A callback of this cycle has kept the member alive, and its answer has not been handled.
            return clock.nowNs();
        }
        long nextNs = otherwiseNs;
        if (isReconciling)
        {
            nextNs = earlier(nextNs, isHandlerAsked ? clock.nowNs() + DutyClock.INTERVAL_NS : commitUntilNs);
        }
        final boolean isCommitting = settings.isCommittingDelivered() && member.ownedCount() > 0 &&
            committedRecords != environment.counters().records();
        return isCommitting ? earlier(nextNs, nextCommitNs) : nextNs;
    }

    private static long earlier(final long a, final long b)
    {
        return a - b < 0 ? a : b;
    }

    /** Returns whether the records of a partition are this member's, until it has been given up. */
    public boolean isOwned(final int partition)
    {
        return partition >= 0 && partition < phases.length && phases[partition] >= OWNED;
    }

    /** Returns whether a partition is being given up: nothing more of it is delivered. */
    public boolean isRevoking(final int partition)
    {
        return isOwned(partition) && phases[partition] >= DRAINING;
    }

    /** The next offset of a partition that is being given up. */
    public long nextOffset(final int partition)
    {
        return nextOffsets[partition];
    }

    /** The leader epoch of the record before that offset, or -1. */
    public int offsetEpoch(final int partition)
    {
        return offsetEpochs[partition];
    }

    /** Has a partition that is being given up continue at another offset, about which the handler is asked again. */
    public void seek(final int partition, final long offset)
    {
        nextOffsets[partition] = offset;
        offsetEpochs[partition] = PartitionTable.NULL_EPOCH;
        phases[partition] = DRAINING;
    }

    /** Returns whether this member owns what it is to own, and the coordinator knows. */
    public boolean isStable()
    {
        return member.state() == GroupState.STABLE && startingCount == 0 && !isReconciling;
    }

    public GroupMember member()
    {
        return member;
    }

    public GroupCoordinator coordinator()
    {
        return coordinator;
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder().append(settings).append(", protocol ").append(member.protocol())
            .append(": member ").append(PrintableText.of(member.memberId())).append(" of epoch ")
            .append(member.epoch()).append(' ').append(member.state()).append(", last heartbeat confirmed ")
            .append((clock.readNs() - member.lastConfirmedNs()) / 1_000_000).append(" ms ago")
            .append(isFenced ? ", delivery fenced" : "").append(", partitions");
        for (int p = 0; p < phases.length; p++)
        {
            if (phases[p] != FREE || member.isTarget(p))
            {
                text.append(' ').append(p).append(' ').append(PHASES[phases[p]])
                    .append(member.isTarget(p) ? "" : " (not assigned)");
            }
        }
        return text.toString();
    }
}
