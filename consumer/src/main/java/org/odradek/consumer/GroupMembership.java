// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.engine.DutyCycle;
import org.odradek.consumer.engine.PollGuard;
import org.odradek.consumer.group.GroupCoordinator;
import org.odradek.consumer.group.GroupMember;
import org.odradek.consumer.group.GroupReconciliation;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.PrintableText;

/**
 * The membership of a consumer in a consumer group: what it owns, and the offsets that it commits. It joins in the
 * first polls, sends heartbeats in every poll, and leaves when the consumer is closed.
 * <p>
 * Records are delivered at least once. When a partition moves from one live member to another, nothing is repeated.
 * After a member was killed, cut off from the coordinator, or has not polled for too long, the next owner begins at the
 * offset that was committed last.
 * <p>
 * This is used as the consumer itself, on the thread that polls, and from handlers. Once every partition has been
 * committed, a commit allocates nothing.
 */
@SuppressWarnings("try")    // a call is ended by what closes it, and not used before
public final class GroupMembership
{
    public static final long NULL_OFFSET = GroupOffsets.NULL_OFFSET;

    private final PollGuard guard;
    private final DutyCycle dutyCycle;
    private final GroupReconciliation reconciliation;
    private final GroupCoordinator coordinator;
    private final GroupMember member;

    GroupMembership(
        final PollGuard guard, final DutyCycle dutyCycle, final GroupReconciliation reconciliation)
    {
        this.guard = guard;
        this.dutyCycle = dutyCycle;
        this.reconciliation = reconciliation;
        coordinator = reconciliation.coordinator();
        member = reconciliation.member();
    }

    public String groupId()
    {
        return coordinator.groupId();
    }

    /** The protocol by which the consumer joins, or has joined: CONSUMER or CLASSIC. */
    public GroupProtocol protocol()
    {
        return member.protocol();
    }

    /**
     * The id of this member. It chooses one when it is created and keeps it; a classic member is given another with
     * each first join by the coordinator, and has an empty one until then.
     */
    public String memberId()
    {
        return PrintableText.of(member.memberId());
    }

    /**
     * The member's epoch, or the generation of a classic group. The coordinator raises it with each new assignment; it
     * is 0 while the consumer is not a member.
     */
    public int memberEpoch()
    {
        return member.epoch();
    }

    public GroupState state()
    {
        return member.state();
    }

    /** Returns whether the member may commit a partition: from its assigned event until its revoked or lost event. */
    public boolean isOwned(final int partition)
    {
        return reconciliation.isOwned(partition);
    }

    /**
     * Commits an offset in the following polls. It replaces an offset of the same partition that has not been sent
     * yet. Use it with {@link CommitPolicy#explicit()}; the other policy would commit its own offsets, too.
     *
     * @param nextOffset of the next record wanted, one more than that of the last record processed; 0 or more.
     * @return false if the partition is not owned any more: then nothing is committed, and its next owner delivers the
     *         records again.
     */
    public boolean commit(final int partition, final long nextOffset)
    {
        checkOffset(partition, nextOffset);
        try (PollGuard.Call call = guard.beginChange())
        {
            return reconciliation.commitOwned(partition, nextOffset);
        }
    }

    /** Returns whether the coordinator has answered every commit of a partition that is still owned. */
    public boolean isCommitted()
    {
        return coordinator.isCommitted();
    }

    /**
     * The offset of a partition that the coordinator has confirmed last; {@link #NULL_OFFSET} if this member has
     * committed none since it owns the partition.
     */
    public long committedOffset(final int partition)
    {
        return coordinator.committedOffset(partition);
    }

    /**
     * The broker's error if it has refused the last commit of a partition, otherwise 0. After an error that may pass,
     * the commit is sent again and this stays 0; that the brokers do not know the partition may pass for a minute.
     */
    public short errorCode(final int partition)
    {
        return coordinator.errorCode(partition);
    }

    /**
     * Waits until the member owns what the group has assigned to it, and the first offsets are known. Meanwhile the
     * consumer does everything but deliver records.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return false if the time passed, the membership has failed, or the wait was woken or interrupted.
     */
    public boolean awaitStable(final long timeoutNs)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            return dutyCycle.await(() -> reconciliation.isStable() || member.isEnded(), timeoutNs) &&
                reconciliation.isStable();
        }
    }

    /**
     * Gives up all partitions, commits as the policy says, and leaves the group, in the following polls; then the state
     * is {@link GroupState#LEFT}. A close does the same.
     */
    public void leave()
    {
        try (PollGuard.Call call = guard.beginChange())
        {
            reconciliation.leave(Long.MAX_VALUE);
        }
    }

    @Override
    public String toString()
    {
        return reconciliation.toString();
    }

    static void checkOffset(final int partition, final long offset)
    {
        if (offset < 0)
        {
            throw new IllegalArgumentException(
                "offset " + offset + " of partition " + partition + " is negative: an offset is 0 or more");
        }
    }
}
