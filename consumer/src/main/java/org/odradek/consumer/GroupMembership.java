// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.Acknowledgements;
import org.odradek.client.ClientException;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.SafeCallbacks;
import org.odradek.consumer.core.OwnershipHandler;
import org.odradek.consumer.engine.DutyCycle;
import org.odradek.consumer.engine.PollGuard;
import org.odradek.consumer.group.GroupCoordinator;
import org.odradek.consumer.group.GroupMember;
import org.odradek.consumer.group.GroupReconciliation;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RevocationHandler;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.PrintableText;

import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * The membership of a consumer in a consumer group: the partitions that the consumer owns, and the offsets that it
 * commits.
 * <p>
 * After a member was killed or removed, the next owner of a partition begins at the last committed offset, so records
 * may be delivered again.
 * <p>
 * Only the polling thread may use this object, also inside handlers. After an offset of every partition has been
 * committed once, a commit allocates nothing.
 */
@SuppressWarnings("try")    // a call is ended by what closes it, and not used before
public final class GroupMembership
{
    /** The value of {@link #committedOffset} if no commit of the partition was confirmed. */
    public static final long NULL_OFFSET = GroupOffsets.NULL_OFFSET;

    private final PollGuard guard;
    private final DutyCycle dutyCycle;
    private final GroupReconciliation reconciliation;
    private final GroupCoordinator coordinator;
    private final GroupMember member;
    private final CommitPolicy commitPolicy;
    private final ConsumerCounters counters;
    /** This field is null if the counters are in memory. */
    private final CountersFile countersFile;
    private final SafeCallbacks callbacks;
    private final BooleanSupplier isAllCommitted;
    private boolean hasPassedOffset;
    private boolean isNoOffsetReported;

    GroupMembership(
        final PollGuard guard,
        final DutyCycle dutyCycle,
        final GroupReconciliation reconciliation,
        final CommitPolicy commitPolicy,
        final ConsumerCounters counters,
        final CountersFile countersFile,
        final SafeCallbacks callbacks)
    {
        this.guard = guard;
        this.dutyCycle = dutyCycle;
        this.reconciliation = reconciliation;
        coordinator = reconciliation.coordinator();
        member = reconciliation.member();
        this.commitPolicy = commitPolicy;
        this.counters = counters;
        this.countersFile = countersFile;
        this.callbacks = callbacks;
        isAllCommitted = () -> coordinator.commits().isIdle() &&
            (commitPolicy == CommitPolicy.explicit() || !reconciliation.isAnyUndecided());
    }

    /** Returns the id of the group. */
    public String groupId()
    {
        return coordinator.groupId();
    }

    /** Returns CONSUMER or CLASSIC, the protocol by which the consumer joins or has joined. */
    public GroupProtocol protocol()
    {
        return member.protocol();
    }

    /** Returns the id of this member; empty while a member of a classic group has none. */
    public String memberId()
    {
        return PrintableText.of(member.memberId());
    }

    /** Returns the member's epoch, or the generation of a classic group; 0 while the consumer is not a member. */
    public int memberEpoch()
    {
        return member.epoch();
    }

    /** Returns the state of the membership, which is {@link GroupState#JOINING} before the first poll. */
    public GroupState state()
    {
        return member.state();
    }

    /**
     * Returns true if the member may commit a partition: from the event {@code onPartitionAssigned} of the listener on,
     * until the partition has been revoked or lost.
     */
    public boolean isOwned(final int partition)
    {
        return reconciliation.isOwned(partition);
    }

    /**
     * Returns the time of {@link System#nanoTime()}, or of the clock of the context, until which the consumer delivers
     * records. A thread to which a handler passes records should begin no record after this time. If the time is not
     * limited, the result is more than 100 years from now.
     */
    public long deliverUntilNs()
    {
        return reconciliation.deliverUntilNs();
    }

    /**
     * Sets the handler that is called before a partition is revoked.
     *
     * @throws IllegalStateException if the consumer has been polled before.
     */
    public void revocationHandler(final RevocationHandler handler)
    {
        try (PollGuard.Call call = guard.beginChange())
        {
            if (guard.hasOwner())
            {
                throw new IllegalStateException(
                    "the consumer has been polled: set the revocation handler of its group before the first poll");
            }
            if (handler == null)
            {
                throw new IllegalArgumentException("revocationHandler of a group is null: it must be set");
            }
            reconciliation.revocationHandler(handler);
            if (countersFile != null && handler instanceof OwnershipHandler ofLibrary)
            {
                ofLibrary.countersFile(countersFile);
            }
        }
    }

    /**
     * Commits an offset of a partition in the following polls. The commit policy must be {@link
     * CommitPolicy#explicit()}, because the other policies commit their own offsets.
     *
     * @param nextOffset the offset of the next record to process, which is usually one more than that of the last
     *                   processed record; 0 or more.
     * @return true if the member owns the partition; false if it does not, and nothing is committed.
     * @throws IllegalArgumentException if the offset is negative.
     * @throws IllegalStateException    if the commit policy is not {@link CommitPolicy#explicit()}.
     */
    public boolean commitAsync(final int partition, final long nextOffset)
    {
        checkOffset(partition, nextOffset);
        if (commitPolicy != CommitPolicy.explicit())
        {
            throw new IllegalStateException("the commit policy of group " + groupId() + " is " + commitPolicy +
                ", which commits its own offsets: set CommitPolicy.explicit() before the consumer connects, " +
                "or use commitSync");
        }
        try (PollGuard.Call call = guard.beginChange())
        {
            hasPassedOffset = true;
            return reconciliation.commitOwned(partition, nextOffset);
        }
    }

    /**
     * Commits offsets, and waits until the coordinator has responded. {@link CommitPolicy#delivered} commits the next
     * offset of every owned partition, {@link CommitPolicy#acknowledged} the offset up to which each partition is
     * acknowledged, and {@link CommitPolicy#explicit()} the offsets that were passed to {@link #commitAsync}. During
     * the wait the consumer does all its work except delivering records, so partitions may be revoked or lost. With
     * {@link CommitPolicy#delivered} the wait includes the revocation handler, which decides whether the records of a
     * partition that is being revoked are committed.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if the coordinator has confirmed the offsets; false if the time has passed, or the wait was woken or
     *         interrupted. After a result of false, the commits continue in the following polls.
     * @throws ClientException       if the coordinator has refused the last commit of an owned partition, or if a
     *                               commit was discarded because its partition was lost or revoked.
     * @throws IllegalStateException if a callback of this consumer, for example a handler, calls this method.
     */
    public boolean commitSync(final long timeoutNs)
    {
        try (PollGuard.Call call = guard.beginPoll())
        {
            if (commitPolicy != CommitPolicy.explicit())
            {
                // The application has not requested the commits before this call.
                coordinator.commits().forgetDiscarded();
                reconciliation.commitDelivered();
            }
            else if (!hasPassedOffset && !isNoOffsetReported && counters.records() > 0)
            {
                isNoOffsetReported = true;
                callbacks.onError(new ClientException("commitSync of group " + groupId() + " has nothing to commit: " +
                    "with CommitPolicy.explicit() it commits the offsets that were passed to commitAsync, and none " +
                    "was; CommitPolicy.delivered commits the offsets of all delivered records, also without a call."));
            }
            final boolean isAnswered = dutyCycle.await(isAllCommitted, timeoutNs);
            for (int p = 0; p < member.capacity(); p++)
            {
                if (errorCode(p) != ErrorCode.NONE && isOwned(p))
                {
                    throw new ClientException("The commit of partition " + p + " under group " + groupId() +
                        " was refused: " + ErrorCode.name(errorCode(p)) + ".");
                }
            }
            checkDiscarded();
            return isAnswered;
        }
    }

    private void checkDiscarded()
    {
        TreeSet<Integer> discarded = null;
        for (int p = 0; p < member.capacity(); p++)
        {
            if (coordinator.commits().isDiscarded(p))
            {
                discarded = discarded == null ? new TreeSet<>() : discarded;
                discarded.add(p);
            }
        }
        if (discarded != null)
        {
            coordinator.commits().forgetDiscarded();
            throw new ClientException("The commits of partitions " + discarded + " under group " + groupId() +
                " were discarded, because this member does not own them any more; their next owner may deliver " +
                "records again.");
        }
    }

    /**
     * Returns the object through which threads of the application acknowledge the records that they have processed.
     * Each call returns the same object.
     *
     * @throws IllegalStateException if the commit policy is not {@link CommitPolicy#acknowledged}.
     */
    public Acknowledgements acknowledgements()
    {
        final Acknowledgements acknowledgements = reconciliation.acknowledgements();
        if (acknowledgements == null)
        {
            throw new IllegalStateException("the commit policy of group " + groupId() + " does not take " +
                "acknowledgements: set CommitPolicy.acknowledged before the consumer connects");
        }
        return acknowledgements;
    }

    /** Returns true if no commit waits or is in flight; {@link #errorCode} shows whether one has failed. */
    public boolean areCommitsDone()
    {
        return coordinator.commits().isIdle();
    }

    /**
     * Returns the offset of a partition that the coordinator has confirmed last since this member began to own the
     * partition; {@link #NULL_OFFSET} if there is none.
     */
    public long committedOffset(final int partition)
    {
        return coordinator.commits().committedOffset(partition);
    }

    /**
     * Returns Kafka's error code if the last commit of a partition has failed, otherwise 0. After a retriable error the
     * commit is sent again and the error code stays 0. If the brokers do not know the partition, the commit is sent
     * again for about a minute, and then fails.
     */
    public short errorCode(final int partition)
    {
        return coordinator.commits().errorCode(partition);
    }

    /**
     * Waits until the member owns the partitions that the group has assigned to it, and their first offsets are known.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if the member owns its partitions; false if the time has passed, the member has left or failed, or
     *         the wait was woken or interrupted.
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
     * Leaves the group: in the following polls the consumer revokes all partitions, commits according to the policy,
     * and leaves. Then the state is {@link GroupState#LEFT}.
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
