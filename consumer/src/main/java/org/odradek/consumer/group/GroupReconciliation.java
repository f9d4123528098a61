// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.client.Acknowledgements;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.PerPartition;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.OwnershipHandler;
import org.odradek.consumer.fetch.PartitionAssignment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RevocationHandler;
import org.odradek.protocol.PrintableText;

import java.util.Locale;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Takes and gives up partitions so that this member reads those that the consumer group has assigned to it, and commits
 * offsets at the interval of the policy.
 * <pre>
 *  FREE ──take──▶ STARTING ──first offset known──▶ OWNED ──give up──▶ DRAINING ──work is done──▶ COMMITTING
 *   ▲                 │                              └────────────removed─┬──┴────────────────────────┤
 *   │                 │                                                   ▼                           │
 *   ├◀────────────────│─────────────────────────────reported─────────── LOST                          │
 *   └─────────────────┴─────────────────────────────────────── commit confirmed, or too late ─────────┘
 * </pre>
 * A partition is not read any more when it enters DRAINING, but the heartbeat lists it as owned while it is DRAINING or
 * COMMITTING. New partitions are taken when none is left to give up or to report as lost.
 */
public final class GroupReconciliation
{
    private enum Phase
    {
        FREE, STARTING, OWNED, DRAINING, COMMITTING, LOST;

        boolean isRevoking()
        {
            return this == DRAINING || this == COMMITTING;
        }

        boolean isOwned()
        {
            return this == OWNED || isRevoking();
        }
    }

    /** The state of one partition; the offsets are set while the partition is being given up or was lost. */
    private static final class Partition
    {
        private Phase phase = Phase.FREE;
        private long nextOffset;
        private int offsetEpoch;
        /** The last committed offset of a partition that was lost and is not reported yet; -1 if there was none. */
        private long committedOffset;
        private int askedRound;
        /** True if the handler is not called any more, because it has returned true or has thrown. */
        private boolean isHandlerDone;
        private boolean isAgreed;
    }

    private boolean isReconciling;
    private boolean isLeaving;
    /** True if the member leaves without waiting for the answers to its commits. */
    private boolean isLate;
    private boolean isHandlerAsked;
    private boolean isAwaiting;
    private boolean isUnacknowledged;
    private boolean isLosing;
    /** The partition for which a callback was called last in this cycle, or -1. */
    private int calledPartition = -1;
    /** The time at which this cycle began, which a callback that keeps the member alive does not change. */
    private long cycleNs;
    private boolean isCutShort;
    /**
     * The number of the round, which takes one or more cycles: in each round the handler is called at most once for
     * each partition.
     */
    private int round;
    private int startingCount;
    /** The longest time of a cycle since the last confirmed heartbeat, in nanoseconds. */
    private long longestNs;
    private long longestEndNs;
    private int longestPartition = -1;
    private int seenTargetChanges;
    /** The time at which the wait for the revocation handler and for acknowledgements ends. */
    private long drainUntilNs;
    private long commitUntilNs;
    /** The time at which the acknowledgements are read again, because one may have been stored while the wait began. */
    private long visibleNs;
    private long nextCommitNs;
    private long committedRecords = -1;
    private GroupState reportedState;
    private final PerPartition<Partition> partitions = new PerPartition<>(Partition::new);
    private final ConsumerSettings.Group settings;
    private RevocationHandler revocationHandler;
    /** The revocation handler if a library has set it; otherwise null. */
    private OwnershipHandler ownershipHandler;
    /** This field is null unless acknowledged offsets are committed. */
    private final AcknowledgedOffsets acknowledged;
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
        revocationHandler = settings.revocationHandler;
        acknowledged = settings.isAcknowledged ? new AcknowledgedOffsets(table, environment) : null;
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
        calledPartition = -1;
        cycleNs = clock.nowNs();
        isCutShort = false;
        reportState();
        if (isRemoved())
        {
            loseAll();
        }
        if (member.takeTopicRecreated())
        {
            loseAll();
            member.dropAll();
        }
        if (isLosing)
        {
            reportLost();
        }
        if (!isLosing && member.state() == GroupState.FENCED)
        {
            member.rejoin();
            reportState();
        }
        if (startingCount > 0)
        {
            reportStarted();
        }
        // The coordinator changes an assignment only when it does not wait for the member to give up partitions of the
        // previous one, so the time begins again.
        if (member.targetChanges() != seenTargetChanges && !isLeaving)
        {
            begin(Math.max(0, member.revokeUntilNs() - clock.readNs()), false);
        }
        member.extendDelivery();
        if (isReconciling && !isLosing)
        {
            reconcile();
        }
        if (settings.hasCommitInterval() && nextCommitNs - clock.nowNs() <= 0)
        {
            commitDelivered();
        }
        member.reportFence();
        assert isConsistent();
    }

    private boolean isRemoved()
    {
        return member.state() == GroupState.FENCED || member.state() == GroupState.FAILED;
    }

    /**
     * Returns true if this cycle may call a callback for a partition: the first callback of a cycle is always allowed,
     * the others until the time of the cycle has passed. After the result false, the next cycle begins without a wait.
     */
    private boolean beginCall(final int partition)
    {
        final boolean isInTime =
            calledPartition < 0 || clock.readNs() - cycleNs < DutyClock.LONGEST_CYCLE_NS;
        calledPartition = isInTime ? partition : calledPartition;
        isCutShort |= !isInTime;
        return isInTime;
    }

    /**
     * Leaves the group after all partitions have been given up.
     *
     * @param timeoutNs the time for giving up partitions and leaving, in nanoseconds, which is limited to the
     *                  revocation timeout. A later call may shorten this time.
     */
    public void leave(final long timeoutNs)
    {
        if (!isLeaving || isReconciling)
        {
            begin(Math.min(timeoutNs, ClientSettings.ns(settings.revocationTimeoutMs)), isLeaving);
            isLeaving = true;
        }
    }

    /** Leaves the group without waiting for handlers, acknowledgements or the answers to commits. */
    public void leaveLate()
    {
        isLate = true;
        leave(0);
    }

    /** Returns true while partitions must be given up before the member leaves, or if the member does not leave. */
    public boolean isLeaveDelayed()
    {
        return isReconciling || !isLeaving;
    }

    private void begin(final long timeoutNs, final boolean isShortened)
    {
        final long drainedNs = clock.readNs() + timeoutNs / 2;
        final long committedNs = drainedNs + timeoutNs / 4;
        isReconciling = true;
        drainUntilNs = isShortened ? earlier(drainUntilNs, drainedNs) : drainedNs;
        commitUntilNs = isShortened ? earlier(commitUntilNs, committedNs) : committedNs;
    }

    private void reconcile()
    {
        seenTargetChanges = member.targetChanges();
        releaseAll();
        if (findReleased())
        {
            isReconciling = false;
            if (isLate)
            {
                // The member leaves when the coordinator has sent the last commits.
                return;
            }
            if (isLeaving)
            {
                coordinator.leave();
                reportState();
            }
            else if (!isRemoved())
            {
                take();
            }
        }
    }

    private void releaseAll()
    {
        isHandlerAsked = false;
        isAwaiting = false;
        if (acknowledged != null)
        {
            acknowledged.forgetArrived();
        }
        for (int p = 0; p < partitions.size(); p++)
        {
            if (isToBeGivenUp(p))
            {
                giveUp(p, partitions.get(p));
            }
        }
        for (int p = 0; p < partitions.size() && !isRemoved(); p++)
        {
            if (partitions.get(p).phase.isRevoking())
            {
                release(p, partitions.get(p));
            }
        }
        round += isCutShort ? 0 : 1;
    }

    private boolean isToBeGivenUp(final int partition)
    {
        final Phase phase = partitions.get(partition).phase;
        return (phase == Phase.STARTING || phase == Phase.OWNED) && (isLeaving || !member.isTarget(partition));
    }

    private boolean findReleased()
    {
        boolean isReleased = true;
        for (int p = 0; p < partitions.size(); p++)
        {
            isReleased &= !partitions.get(p).phase.isRevoking() && !isToBeGivenUp(p);
            isCutShort |= isToBeGivenUp(p);
        }
        return isReleased;
    }

    private void giveUp(final int partition, final Partition state)
    {
        final boolean isStarting = state.phase == Phase.STARTING;
        state.nextOffset = table.nextOffset(partition);
        state.offsetEpoch = table.offsetEpoch(partition);
        state.isHandlerDone = false;
        state.isAgreed = false;
        state.askedRound = round - 1;
        state.phase = Phase.DRAINING;
        table.unassign(partition);
        if (isStarting)
        {
            startingCount--;
            free(partition, state);
        }
    }

    private void release(final int partition, final Partition state)
    {
        if (state.phase == Phase.DRAINING && drain(partition, state))
        {
            state.phase = Phase.COMMITTING;
            // If the handler has not returned true, only acknowledged records are certain to be processed.
            if (settings.hasCommitInterval() && (state.isAgreed || acknowledged != null))
            {
                commit(partition, state.nextOffset, state.offsetEpoch);
            }
        }
        final boolean isUnconfirmed = table.isFenced(clock.nowNs());
        if (state.phase != Phase.COMMITTING || !endCommit(partition) ||
            isUnconfirmed && commitUntilNs - clock.nowNs() > 0 || !beginCall(partition))
        {
            return;
        }
        free(partition, state);
        final long committedOffset = coordinator.commits().committedOffset(partition);
        if (isUnconfirmed)
        {
            // The membership was not confirmed for so long that another member may already have the partition.
            reportLost(partition, state.nextOffset, committedOffset);
        }
        else
        {
            environment.counters().add(ConsumerCounters.PARTITIONS_REVOKED, 1);
            environment.listener().onPartitionRevoked(partition, state.nextOffset, committedOffset);
        }
    }

    private void reportLost(final int partition, final long nextOffset, final long committedOffset)
    {
        environment.counters().add(ConsumerCounters.PARTITIONS_LOST, 1);
        environment.listener().onPartitionLost(partition, nextOffset, committedOffset);
    }

    /**
     * While delivery is fenced, the handler is not called, because the partition may be lost already.
     *
     * @return true if the partition may be given up.
     */
    private boolean drain(final int partition, final Partition state)
    {
        final long nowNs = clock.readNs();
        if (!state.isHandlerDone && table.isFenced(nowNs))
        {
            reportUndone(commitUntilNs - nowNs <= 0, partition, state);
            return commitUntilNs - nowNs <= 0;
        }
        if (!state.isHandlerDone && (state.askedRound == round || !beginCall(partition)))
        {
            isHandlerAsked = true;
            return false;
        }
        final long remainingNs = Math.max(0, drainUntilNs - nowNs);
        if (!state.isHandlerDone)
        {
            state.askedRound = round;
            askHandler(partition, state, remainingNs);
        }
        if (state.isHandlerDone && (acknowledged == null || acknowledged.await(partition, state.nextOffset)))
        {
            return true;
        }
        isHandlerAsked |= !state.isHandlerDone && remainingNs > 0;
        isAwaiting |= state.isHandlerDone && remainingNs > 0;
        reportUndone(remainingNs == 0, partition, state);
        return remainingNs == 0;
    }

    /**
     * Replaces the revocation handler. After a library has set its handler, this method passes further handlers to that
     * handler.
     */
    public void revocationHandler(final RevocationHandler handler)
    {
        if (ownershipHandler != null)
        {
            ownershipHandler.programHandler(handler);
        }
        else
        {
            ownershipHandler = handler instanceof OwnershipHandler ofLibrary ? ofLibrary : null;
            revocationHandler = handler;
        }
    }

    private void reportUndone(final boolean isLate, final int partition, final Partition state)
    {
        if (isLate)
        {
            reportLate((state.isHandlerDone ? "The application did not acknowledge in time all records of" :
                "The work before a revocation or a close was not done in time with") + " partition " + partition +
                " up to offset " + state.nextOffset +
                "; the partition is given up, and its next owner may deliver records again.");
        }
    }

    private void askHandler(final int partition, final Partition state, final long remainingNs)
    {
        try
        {
            state.isAgreed = revocationHandler.onRevoking(partition, state.nextOffset, remainingNs);
            state.isHandlerDone = state.isAgreed;
        }
        catch (final Throwable ex)
        {
            state.isAgreed = false;
            state.isHandlerDone = true;
            environment.error("The revocation handler threw " + ex + " for partition " + partition +
                "; the partition is given up, and nothing is committed that was not acknowledged.");
            if (ex instanceof Error)
            {
                environment.errorHandler().onError(ex);
            }
        }
        if (state.isHandlerDone)
        {
            visibleNs = clock.nowNs() + DutyClock.INTERVAL_NS;
        }
    }

    private void reportLate(final String sentence)
    {
        environment.counters().add(ConsumerCounters.REVOCATIONS_TIMED_OUT, 1);
        environment.error(sentence);
    }

    /** @return false if the answer to a commit must be waited for. */
    private boolean endCommit(final int partition)
    {
        if (!isLate && coordinator.commits().isOutstanding(partition))
        {
            if (commitUntilNs - clock.nowNs() > 0 && !coordinator.commits().isTopicUnknown())
            {
                return false;
            }
            reportLate("Offset " + coordinator.commits().newestOffset(partition) + " of partition " + partition +
                " could not be committed " + (coordinator.commits().isTopicUnknown() ?
                "because the brokers do not know the topic" : "before the revocation timeout") +
                "; the partition is given up, and its next owner may deliver records again.");
            coordinator.commits().giveUp(partition);
        }
        return true;
    }

    private void free(final int partition, final Partition state)
    {
        state.phase = Phase.FREE;
        member.disown(partition);
        endOwnership(partition);
    }

    private void endOwnership(final int partition)
    {
        coordinator.commits().endOwnership(partition);
        if (acknowledged != null)
        {
            acknowledged.endAwait(partition);
        }
        if (ownershipHandler != null)
        {
            ownershipHandler.onOwnershipEnded(partition);
        }
    }

    /** The consumer delivers and commits nothing any more. */
    public void onClosed()
    {
        if (ownershipHandler != null)
        {
            ownershipHandler.onClosed();
        }
    }

    private void take()
    {
        partitions.ensureSize(member.capacity());
        if (acknowledged != null)
        {
            acknowledged.ensureSize(partitions.size());
        }
        // The loop runs downwards, so that the table grows only once for partitions that metadata has not named yet.
        for (int p = partitions.size() - 1; p >= 0; p--)
        {
            if (partitions.get(p).phase == Phase.FREE && member.isTarget(p))
            {
                coordinator.commits().discard(p);
                assignment.assign(p);
                member.own(p);
                partitions.get(p).phase = Phase.STARTING;
                startingCount++;
            }
        }
        member.reconciled();
    }

    /** Reports partitions whose first offset has been found, before their first record is delivered. */
    private void reportStarted()
    {
        for (int p = 0; p < partitions.size(); p++)
        {
            if (partitions.get(p).phase != Phase.STARTING || table.nextOffset(p) == PartitionTable.NULL_OFFSET)
            {
                continue;
            }
            if (isLeaving || isRemoved() || !beginCall(p))
            {
                table.hold(p);
            }
            else
            {
                partitions.get(p).phase = Phase.OWNED;
                startingCount--;
                table.release(p);
                // The start position of a group that has committed nothing must be committed, too.
                committedRecords = -1;
                environment.counters().add(ConsumerCounters.PARTITIONS_ASSIGNED, 1);
                environment.listener().onPartitionAssigned(p, table.nextOffset(p));
            }
        }
    }

    private void loseAll()
    {
        for (int p = 0; p < partitions.size(); p++)
        {
            final Partition state = partitions.get(p);
            final Phase phase = state.phase;
            if (phase.isOwned())
            {
                state.committedOffset = coordinator.commits().committedOffset(p);
            }
            if (phase == Phase.STARTING || phase == Phase.OWNED)
            {
                state.nextOffset = table.nextOffset(p);
                table.unassign(p);
            }
            if (phase.isOwned())
            {
                endOwnership(p);
                isLosing = true;
            }
            if (phase != Phase.FREE)
            {
                coordinator.commits().discard(p);
            }
            state.phase = phase.isOwned() || phase == Phase.LOST ? Phase.LOST : Phase.FREE;
        }
        startingCount = 0;
    }

    /** The member does not join again before all lost partitions are reported. */
    private void reportLost()
    {
        for (int p = 0; p < partitions.size(); p++)
        {
            if (partitions.get(p).phase == Phase.LOST)
            {
                if (!beginCall(p))
                {
                    return;
                }
                partitions.get(p).phase = Phase.FREE;
                reportLost(p, partitions.get(p).nextOffset, partitions.get(p).committedOffset);
            }
        }
        isLosing = false;
    }

    public void commitDelivered()
    {
        nextCommitNs = clock.nowNs() + ClientSettings.ns(settings.commitIntervalMs);
        committedRecords = environment.counters().get(ConsumerCounters.RECORDS);
        isUnacknowledged = false;
        for (int p = 0; p < partitions.size(); p++)
        {
            final Phase phase = partitions.get(p).phase;
            if (phase == Phase.OWNED || phase == Phase.DRAINING && acknowledged != null)
            {
                commit(p, nextOffset(p), offsetEpoch(p));
            }
        }
    }

    /**
     * Returns true if the revocation handler has yet to decide whether the delivered records of a partition are
     * committed.
     */
    public boolean isAnyUndecided()
    {
        boolean isAny = false;
        for (int p = 0; p < partitions.size() && acknowledged == null && !isAny; p++)
        {
            isAny = partitions.get(p).phase == Phase.DRAINING;
        }
        return isAny;
    }

    private void commit(final int partition, final long nextOffset, final int offsetEpoch)
    {
        final long offset = acknowledged == null ? nextOffset : acknowledged.committable(partition, nextOffset);
        // Only delivered records are committed.
        assert offset <= nextOffset;
        isUnacknowledged |= offset != nextOffset;
        if (offset != PartitionTable.NULL_OFFSET && offset != coordinator.commits().newestOffset(partition))
        {
            coordinator.commits().commit(
                partition, offset, offset == nextOffset ? offsetEpoch : PartitionTable.NULL_EPOCH);
        }
    }

    /** @return false if the partition is not owned. */
    public boolean commitOwned(final int partition, final long nextOffset)
    {
        final boolean isOwned = isOwned(partition);
        if (isOwned)
        {
            coordinator.commits().commit(partition, nextOffset,
                nextOffset == nextOffset(partition) ? offsetEpoch(partition) : PartitionTable.NULL_EPOCH);
        }
        return isOwned;
    }

    private void reportState()
    {
        if (member.state() != reportedState)
        {
            reportedState = member.state();
            environment.listener().onGroupState(reportedState, member.epoch(), reason());
            if (reportedState == GroupState.FENCED)
            {
                environment.error(GroupErrors.removed(settings.id, member.memberId(), member.failure(),
                    clock.readNs() - member.lastConfirmedNs(), longestSinceConfirmed()));
            }
        }
    }

    /**
     * @param tookNs    the time in nanoseconds from the beginning of the last cycle to that of the next one, without
     *                  waits.
     * @param partition the partition whose records were handled for most of the time, or -1.
     */
    public void endCycle(final long tookNs, final long nowNs, final int partition)
    {
        if (tookNs >= longestNs || longestEndNs - member.lastConfirmedNs() <= 0)
        {
            longestNs = tookNs;
            longestEndNs = nowNs;
            longestPartition = partition >= 0 ? partition : calledPartition;
        }
    }

    private String longestSinceConfirmed()
    {
        return longestEndNs - member.lastConfirmedNs() <= 0 ? "" : GroupErrors.longest(longestNs, longestPartition);
    }

    private String reason()
    {
        return switch (member.state())
        {
            case JOINING -> "Joins as member " + PrintableText.of(member.memberId()) + ".";
            case STABLE -> "Owns " + member.ownedCount() + " partitions.";
            case RECONCILING -> "The assignment has changed.";
            case LEFT -> member.hasJoined() ? "Has left the group." : "Ends without a request to leave the group.";
            default -> member.failure();
        };
    }

    public long nextDeadlineNs(final long otherwiseNs)
    {
        if (isCutShort || member.state() != reportedState ||
            member.targetChanges() != seenTargetChanges && !isLeaving ||
            isAwaiting() && acknowledged != null && acknowledged.hasArrived())
        {
            // More callbacks are due; or a callback has kept the member alive, and the answer has not been handled.
            return clock.nowNs();
        }
        long nextNs = otherwiseNs;
        if (isReconciling)
        {
            nextNs = earlier(nextNs, isHandlerAsked ? clock.nowNs() + DutyClock.INTERVAL_NS :
                !isAwaiting ? commitUntilNs : visibleNs - clock.nowNs() > 0 ? visibleNs : drainUntilNs);
        }
        final boolean isCommitting = settings.hasCommitInterval() && member.ownedCount() > 0 &&
            (isUnacknowledged || committedRecords != environment.counters().get(ConsumerCounters.RECORDS));
        return isCommitting ? earlier(nextNs, nextCommitNs) : nextNs;
    }

    /** Returns true if the time of this cycle passed before all due callbacks were called. */
    public boolean isCutShort()
    {
        return isCutShort;
    }

    /** Returns true while an acknowledgement of another thread may cause work. */
    public boolean isAwaiting()
    {
        return isReconciling && isAwaiting;
    }

    /** Returns true from the assigned event of a partition until the partition has been given up or lost. */
    public boolean isOwned(final int partition)
    {
        return partitions.has(partition) && partitions.get(partition).phase.isOwned();
    }

    public boolean isRevoking(final int partition)
    {
        return partitions.has(partition) && partitions.get(partition).phase.isRevoking();
    }

    public long nextOffset(final int partition)
    {
        return isRevoking(partition) ? partitions.get(partition).nextOffset : table.nextOffset(partition);
    }

    public int offsetEpoch(final int partition)
    {
        return isRevoking(partition) ? partitions.get(partition).offsetEpoch : table.offsetEpoch(partition);
    }

    /**
     * Changes the next offset of a partition that is being given up; the revocation handler is called again with the
     * new offset.
     */
    public void seek(final int partition, final long offset)
    {
        final Partition state = partitions.get(partition);
        state.nextOffset = offset;
        state.offsetEpoch = PartitionTable.NULL_EPOCH;
        state.isHandlerDone = false;
        state.isAgreed = false;
        state.phase = Phase.DRAINING;
        table.beginEpoch(partition, offset);
    }

    public boolean isEnded()
    {
        return member.isEnded() && !isLosing;
    }

    /** Returns true if this member owns exactly the assigned partitions, and the coordinator has confirmed that. */
    public boolean isStable()
    {
        return member.state() == GroupState.STABLE && startingCount == 0 && !isReconciling && !isLosing;
    }

    /** Returns the time until which records are delivered, or a time 146 years from now if delivery is not limited. */
    public long deliverUntilNs()
    {
        return table.deliverUntilNs(clock.nowNs());
    }

    /** Returns null unless acknowledged offsets are committed. */
    public Acknowledgements acknowledgements()
    {
        return acknowledged;
    }

    public GroupMember member()
    {
        return member;
    }

    public GroupCoordinator coordinator()
    {
        return coordinator;
    }

    private boolean isConsistent()
    {
        boolean isConsistent = true;
        boolean isAnyLost = false;
        int starting = 0;
        for (int p = 0; p < partitions.size() && isConsistent; p++)
        {
            final Phase phase = partitions.get(p).phase;
            final boolean isRead = phase == Phase.STARTING || phase == Phase.OWNED;
            starting += phase == Phase.STARTING ? 1 : 0;
            isAnyLost |= phase == Phase.LOST;
            // As soon as a partition is given up or lost, no more of its records are fetched or delivered.
            isConsistent = isRead == (p < table.capacity() && table.isAssigned(p)) &&
                // The heartbeat lists it as owned from the moment it is taken until it has been given up.
                (isRemoved() || member.owned.get(p) == (isRead || phase.isRevoking())) &&
                // A partition is reported when the offset of its first record is known.
                (phase != Phase.OWNED || table.nextOffset(p) != PartitionTable.NULL_OFFSET);
        }
        // The numbers show whether partitions are in certain phases, so that most cycles need not search for them.
        return isConsistent && starting == startingCount && isAnyLost == isLosing;
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder().append(settings).append(", protocol ").append(member.protocol())
            .append(": member ").append(PrintableText.of(member.memberId())).append(" of epoch ")
            .append(member.epoch()).append(' ').append(member.state())
            .append(member.epoch() <= 0 ? "" : ", last heartbeat confirmed " +
                (clock.readNs() - member.lastConfirmedNs()) / 1_000_000 + " ms ago")
            .append(member.isDeliveryFenced ? ", delivery fenced" : "").append(", partitions");
        for (int p = 0; p < partitions.size(); p++)
        {
            final Phase phase = partitions.get(p).phase;
            if (phase != Phase.FREE || member.isTarget(p))
            {
                text.append(' ').append(p).append(' ').append(phase.name().toLowerCase(Locale.ROOT))
                    .append(member.isTarget(p) ? "" : " (not assigned)");
            }
        }
        return text.toString();
    }
}
