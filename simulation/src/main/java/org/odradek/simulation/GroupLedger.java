// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.handler.GroupState;
import org.odradek.harness.model.ModelPartition;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The oracles of a {@link GroupWorld}: which member owns each partition by the events that the members received, what
 * was delivered, and what the coordinator has accepted as committed. A partition has one owner; only the owner receives
 * its records and commits them, and only while the coordinator has accepted a heartbeat not long ago. Each record is
 * delivered; again only if its last owner was killed, or was removed by the coordinator.
 */
final class GroupLedger
{
    private static final String OWNERSHIP = "ownership";
    /** Members send heartbeats so often for two intervals after a change. */
    private static final long SOON_NS = TimeUnit.MILLISECONDS.toNanos(500);
    /** The guard is checked before each batch, whose handlers may take this long. */
    private static final long BATCH_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** One partition. */
    private static final class Entry
    {
        private Member owner;
        /** Has given the partition up while its commit was in flight, because its time was over; or null. */
        private Member former;
        private long startOffset;
        private long nextOffset;
        /** The offsets that a handler or a worker has processed. */
        private final BitSet worked = new BitSet();
        /** Those that the owner has processed, unless it has sought back to them. */
        private final BitSet workedByOwner = new BitSet();
        private long deliveredEnd;
        private long committed;
        /** Since when there may be delivered records that are not committed. */
        private long uncommittedNs;
        private boolean mayRepeat;
    }

    private final GroupWorld world;
    private final List<Entry> entries = new ArrayList<>();
    private long records;
    /** When a slow member was removed last. */
    private long slowRemovedNs;

    GroupLedger(final GroupWorld world)
    {
        this.world = world;
    }

    /** Fails the run unless what was expected is the case. */
    void check(final boolean isRight, final String oracle, final String expected)
    {
        if (!isRight)
        {
            throw new SimulationFailure(
                oracle, world.clock.nowNs(), "expected " + expected + ".\n" + world.describe());
        }
    }

    private Entry of(final int partition)
    {
        while (entries.size() <= partition)
        {
            entries.add(new Entry());
        }
        return entries.get(partition);
    }

    void onAssigned(final Member member, final int partition, final long nextOffset)
    {
        final Entry entry = of(partition);
        final Member former = entry.owner;
        final String name = "partition " + partition;
        // The answers of a member that was removed may be old. The guard keeps records from it until it has learned.
        final boolean isOld = member.rules.mayBeRemoved();
        check(former != member, OWNERSHIP, name + " not to be assigned twice to member " + member.number);
        if (former != null && isOld && (!former.rules.mayBeRemoved() || former.rules.hasReplaced(member)))
        {
            return;
        }
        check(former == null || former.rules.mayBeRemoved(), OWNERSHIP, name + " to stay with " +
            "its owner, which the coordinator cannot have removed, but member " + member.number + " has it");
        entry.mayRepeat |= former != null || isOld;
        final long lostAfter = world.readable.next(partition, entry.deliveredEnd);
        check(nextOffset <= lostAfter, "loss", "member " + member.number + " to begin at offset " +
            lostAfter + " of " + name + " or before, not at " + nextOffset);
        check(nextOffset == entry.committed || isOld, "start", "member " + member.number +
            " to begin at offset " + entry.committed + " of " + name + ", which was committed, not at " + nextOffset);
        final boolean isRepeating = world.readable.next(partition, nextOffset) < entry.nextOffset;
        check(!isRepeating || entry.mayRepeat, "repeat", "member " + member.number +
            " to begin at offset " + entry.nextOffset + " of " + name + ", not at " + nextOffset);
        entry.owner = member;
        entry.workedByOwner.clear();
        entry.former = null;
        entry.startOffset = nextOffset;
        entry.nextOffset = nextOffset;
        entry.mayRepeat = false;
    }

    void onRecord(final Member member, final int partition, final long offset)
    {
        final Entry entry = of(partition);
        records++;
        final boolean isLate = member.handler().isLate(partition, offset);
        check(isLate || member.unconfirmedNs() <=
            BATCH_NS + member.pace().slowestNs() + TimeUnit.MILLISECONDS.toNanos(world.fenceMs), "guard",
            "offset " + offset + " of partition " + partition + " not to be delivered to member " + member.number +
            ", because the coordinator has accepted no heartbeat for " + member.unconfirmedNs() / 1e9 + " s");
        if (entry.owner != member)
        {
            // In a classic group a second process takes an instance id at once, and the first one is told later.
            check(isLate || member.isConfirmedBlindly() || world.isClassic && member.rules.isTaken(), "guard",
                "offset " + offset + " of partition " + partition + " not to be delivered to " +
                "member " + member.number + ", because it is owned by " +
                (entry.owner == null ? "nobody" : "member " + entry.owner.number));
            return;
        }
        final long expected = world.readable.next(partition, entry.nextOffset);
        check(offset == expected, "order", "offset " + expected + " of partition " + partition +
            " at member " + member.number + ", not " + offset);
        entry.uncommittedNs = entry.nextOffset <= entry.committed ?
            world.clock.nowNs() + member.aheadNs() : entry.uncommittedNs;
        entry.nextOffset = offset + 1;
        entry.deliveredEnd = Math.max(entry.deliveredEnd, entry.nextOffset);
    }

    /**
     * A handler or a worker has processed a record. A worker processes none of a partition that its member does not own
     * any more, and none later than the guard allows; and each record after the one before it of its key.
     */
    void onWorked(final Member member, final int partition, final long offset)
    {
        final Entry entry = of(partition);
        if (member.handler().workers() != null)
        {
            final String name = "offset " + offset + " of partition " + partition;
            check(member.unconfirmedNs() <= BATCH_NS + TimeUnit.MILLISECONDS.toNanos(world.fenceMs), "worker guard",
                name + " not to be processed by a worker of member " + member.number +
                ", because the coordinator has accepted no heartbeat for " + member.unconfirmedNs() / 1e9 + " s");
            check(entry.owner == member || member.isConfirmedBlindly() || world.isClassic && member.rules.isTaken(),
                "worker guard", name + " not to be processed by a worker of member " + member.number +
                ", which does not own it any more");
            check(entry.owner != member || !entry.workedByOwner.get((int)offset), "worker repeat",
                name + " to be processed once by member " + member.number);
            long before = offset - MemberWorkers.KEYS;
            while (before >= 0 && world.readable.next(partition, before) != before)
            {
                before -= MemberWorkers.KEYS;
            }
            check(before < 0 || entry.worked.get((int)before), "worker order", name +
                " to be processed by member " + member.number + " after offset " + before + ", of the same key");
        }
        entry.worked.set((int)offset);
        // In a classic group another process may go on for a while with the instance id that the owner has taken.
        entry.workedByOwner.set((int)offset, entry.owner == member || entry.workedByOwner.get((int)offset));
    }

    /** Whether all records that the owner was given are processed. */
    boolean isWorked(final int partition)
    {
        final Entry entry = of(partition);
        return firstUnworked(partition, entry.committed) >= entry.nextOffset;
    }

    /** Returns the offset of the first record at or after an offset that is not processed. */
    private long firstUnworked(final int partition, final long fromOffset)
    {
        final Entry entry = of(partition);
        long offset = world.readable.next(partition, fromOffset);
        while (offset < entry.nextOffset && entry.worked.get((int)offset))
        {
            offset = world.readable.next(partition, offset + 1);
        }
        return offset;
    }

    /** Whether a record will not be delivered again to the owner. */
    boolean isRead(final int partition, final long offset)
    {
        return of(partition).nextOffset > offset;
    }

    /** The owner has the record delivered again that its handler was given. */
    void onSeek(final Member member, final int partition, final long offset)
    {
        final Entry entry = of(partition);
        if (entry.owner == member)
        {
            entry.nextOffset = offset;
        }
    }

    /** The coordinator has accepted an offset, and the leader epoch of the record before it. */
    void onCommitted(final Member member, final int partition, final long offset, final int epoch)
    {
        final Entry entry = of(partition);
        check(entry.owner == member || entry.owner == null && entry.former == member, "commit",
            "no commit of partition " + partition + " by member " + member.number +
            ", because it is owned by " + (entry.owner == null ? "nobody" : "member " + entry.owner.number));
        // Commits pass markers and holes.
        final long end = world.readable.next(partition, entry.nextOffset);
        check(offset >= entry.committed && offset <= end, "commit", "member " + member.number +
            " to commit an offset of partition " + partition + " from " + entry.committed + ", which was committed, " +
            "to " + end + ", before which all was delivered, not " + offset);
        check(world.readable.isEpochBefore(partition, offset, epoch), "epoch", "member " + member.number +
            " to commit offset " + offset + " of partition " + partition + " with the epoch of the record before it, " +
            "not with epoch " + epoch);
        member.handler().onCommitted(partition, offset);
        check(member.handler().workers() == null ||
            firstUnworked(partition, entry.committed) >= Math.min(offset, entry.nextOffset), "worker commit",
            "member " + member.number + " not to commit offset " + offset + " of partition " +
            partition + ", because the record at offset " + firstUnworked(partition, entry.committed) +
            " is not processed");
        entry.committed = offset;
        entry.uncommittedNs = world.clock.nowNs();
    }

    /** Checks what a member has sent since nothing fails, unless one was removed and has joined again. */
    void checkHeartbeats(final Member member, final long sinceNs, final long count)
    {
        final long durationNs = world.clock.nowNs() - sinceNs;
        final long intervalNs = TimeUnit.MILLISECONDS.toNanos(world.intervalMs);
        final long max = 2 * intervalNs / SOON_NS + durationNs / intervalNs + 2;
        check(count <= max || slowRemovedNs >= sinceNs, "heartbeat storm",
            "no more than " + max + " heartbeats of member " + member.number +
            " in " + durationNs / 1e9 + " s without faults, but it has sent " + count);
    }

    /** A member that takes longer than its session to authenticate again, with a step after each batch, is removed. */
    void onState(final Member member, final GroupState state)
    {
        slowRemovedNs = state == GroupState.FENCED && world.sasl != null && member.isSlowToReconnect() ?
            world.clock.nowNs() : slowRemovedNs;
    }

    /** Checks what has occurred since nothing fails. */
    void checkStability(final long sinceNs, final boolean isStable)
    {
        check(isStable || slowRemovedNs >= sinceNs, "stability", "no rebalance while nothing fails");
    }

    /** Checks, while nothing fails, that delivered records are committed in time. */
    void checkCommits()
    {
        for (final Entry entry : entries)
        {
            check(entry.owner == null || entry.nextOffset <= entry.committed ||
                world.clock.nowNs() - entry.uncommittedNs <= entry.owner.rules.maxCommitAgeNs(), "commit",
                "a commit after offset " + entry.committed + ", because records until " + entry.nextOffset +
                " were delivered");
        }
    }

    /** Checks the offsets of the event at which an owner loses a partition, or has given it up. */
    private void checkEnd(final Member member, final int partition, final long nextOffset, final long committedOffset)
    {
        final Entry entry = of(partition);
        // The consumer passes markers and holes.
        check(nextOffset >= entry.nextOffset &&
            world.readable.next(partition, nextOffset) == world.readable.next(partition, entry.nextOffset), "event",
            "offset " + entry.nextOffset + " to be the next one of partition " + partition + " at the end of member " +
            member.number + ", not " + nextOffset);
        check(committedOffset <= entry.committed, "event", "no committed offset of partition " + partition +
            " after " + entry.committed + ", but member " + member.number + " reports " + committedOffset);
    }

    void onRevoked(final Member member, final int partition, final long nextOffset, final long committedOffset)
    {
        final Entry entry = of(partition);
        if (entry.owner != member)
        {
            check(member.rules.mayBeRemoved(), OWNERSHIP, "member " + member.number + " to own partition " + partition +
                " until it is revoked");
            return;
        }
        checkEnd(member, partition, nextOffset, committedOffset);
        final long beginning = committedOffset < 0 ? entry.startOffset : committedOffset;
        final boolean isCommitted = world.readable.next(partition, beginning) >= entry.nextOffset;
        check(isCommitted || member.rules.isCommitOverdue() || member.rules.mayBeRemoved() ||
            member.handler().isUndone(partition), "commit",
            "member " + member.number + " to commit offset " + entry.nextOffset + " of partition " + partition +
            " when it gives it up, not " + committedOffset);
        entry.owner = null;
        // The start position is committed, too, and may be on the way. A late close sends commits after this event.
        entry.former = isCommitted && !(member.isClosing && member.isClosedLate) &&
            (committedOffset >= 0 || !member.rules.isCommitOverdue()) ? null : member;
        entry.mayRepeat |= !isCommitted;
    }

    void onLost(final Member member, final int partition, final long nextOffset, final long committedOffset)
    {
        final Entry entry = of(partition);
        // A member that could not give the partition up in time does not know whether it was removed.
        check(member.rules.mayBeRemoved() || member.rules.isCommitOverdue(), OWNERSHIP,
            "member " + member.number + " not to lose partition " + partition + " without a reason");
        if (entry.owner == member)
        {
            checkEnd(member, partition, nextOffset, committedOffset);
            entry.owner = null;
            entry.former = member.isClosing && member.rules.isCommitOverdue() ? member : null;
            entry.mayRepeat = true;
        }
    }

    /** A member has ended, and received no events. */
    void onEnded(final Member member)
    {
        for (final Entry entry : entries)
        {
            if (entry.owner == member)
            {
                entry.owner = null;
                entry.mayRepeat = true;
            }
        }
    }

    boolean isAllOwned()
    {
        return world.partitions().stream().allMatch((partition) -> of(partition.index()).owner != null);
    }

    /** Returns the batches that are not read yet. */
    long unreadBatches()
    {
        long records = 0;
        for (final ModelPartition partition : world.partitions())
        {
            records += partition.log().endOffset() - of(partition.index()).committed;
        }
        return records / GroupLoad.BATCH_LENGTH;
    }

    boolean isOwner(final Member member)
    {
        return entries.stream().anyMatch((entry) -> entry.owner == member);
    }

    /** Returns whether each partition has an owner that has read all of it and has committed that. */
    boolean isAllRead()
    {
        for (final ModelPartition partition : world.partitions())
        {
            final Entry entry = of(partition.index());
            final long endOffset = partition.log().endOffset();
            if (entry.owner == null || entry.committed < entry.nextOffset ||
                world.readable.next(partition.index(), entry.nextOffset) != endOffset)
            {
                return false;
            }
        }
        return true;
    }

    long records()
    {
        return records;
    }
}
