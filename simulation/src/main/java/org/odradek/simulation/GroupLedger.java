// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.testkit.model.ModelPartition;

import java.util.ArrayList;
import java.util.List;

/**
 * The oracles of a {@link GroupWorld}: which member owns each partition by the events that the members received, and
 * what was delivered. A partition has one owner, and only the owner receives its records. Each record is delivered;
 * again only if its last owner was killed, has lost the partition, or could not reach the coordinator.
 */
final class GroupLedger
{
    private static final int BATCH_LENGTH = 10;
    private static final String OWNERSHIP = "ownership";

    /** One partition. */
    private static final class Entry
    {
        private Member owner;
        private long startOffset;
        private long nextOffset;
        private long deliveredEnd;
        private boolean mayRepeat;
    }

    private final GroupWorld world;
    private final List<Entry> entries = new ArrayList<>();
    private long records;

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
        check(former != member, OWNERSHIP, "partition " + partition + " not to be assigned twice to " + member.number);
        if (former != null && !former.wasDisturbed() && member.wasDisturbed())
        {
            // Its answers are old, and the guard keeps records from it.
            return;
        }
        if (former != null)
        {
            check(former.wasDisturbed(), OWNERSHIP, "partition " + partition + " to stay with member " +
                former.number + ", which nothing has disturbed, but member " + member.number + " has it");
            entry.mayRepeat = true;
        }
        check(nextOffset <= entry.deliveredEnd, "loss", "member " + member.number + " to begin at offset " +
            entry.deliveredEnd + " of partition " + partition + " or before, not at " + nextOffset);
        check(nextOffset >= entry.nextOffset || entry.mayRepeat, "repeat", "member " + member.number +
            " to begin at offset " + entry.nextOffset + " of partition " + partition + ", not at " + nextOffset);
        entry.owner = member;
        entry.startOffset = nextOffset;
        entry.nextOffset = nextOffset;
        entry.mayRepeat = false;
    }

    void onRecord(final Member member, final int partition, final long offset)
    {
        final Entry entry = of(partition);
        records++;
        if (entry.owner != member)
        {
            check(member.isLate(partition, offset), "guard", "offset " + offset + " of partition " + partition +
                " not to be delivered to member " + member.number + ", because it is owned by " +
                (entry.owner == null ? "nobody" : "member " + entry.owner.number));
            return;
        }
        check(offset == entry.nextOffset, "order", "offset " + entry.nextOffset + " of partition " + partition +
            " at member " + member.number + ", not " + offset);
        entry.nextOffset = offset + 1;
        entry.deliveredEnd = Math.max(entry.deliveredEnd, entry.nextOffset);
    }

    /** Returns the end of the batch of a record: the guard is checked for each batch. */
    static long batchEnd(final long offset)
    {
        return offset - offset % BATCH_LENGTH + BATCH_LENGTH;
    }

    void onRevoked(final Member member, final int partition, final long committedOffset)
    {
        final Entry entry = of(partition);
        if (entry.owner != member)
        {
            check(member.wasDisturbed(), OWNERSHIP, "member " + member.number + " to own partition " + partition +
                " until it is revoked");
            return;
        }
        final boolean isCommitted = committedOffset == entry.nextOffset ||
            committedOffset < 0 && entry.nextOffset == entry.startOffset;
        check(isCommitted || world.isUnsettled() || member.wasDisturbed(), "commit", "member " + member.number +
            " to commit offset " + entry.nextOffset + " of partition " + partition + " when it gives it up, not " +
            committedOffset);
        entry.owner = null;
        entry.mayRepeat |= !isCommitted;
    }

    void onLost(final Member member, final int partition)
    {
        final Entry entry = of(partition);
        check(member.wasDisturbed(), OWNERSHIP,
            "member " + member.number + " not to lose partition " + partition + " without a reason");
        if (entry.owner == member)
        {
            entry.owner = null;
            entry.mayRepeat = true;
        }
    }

    /** A member has ended, and received no events. */
    void onKilled(final Member member)
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

    /** Returns whether each partition has an owner that has read all of it. */
    boolean isAllRead()
    {
        for (final ModelPartition partition : world.partitions())
        {
            final Entry entry = of(partition.index());
            if (entry.owner == null || entry.nextOffset != partition.log().endOffset())
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
