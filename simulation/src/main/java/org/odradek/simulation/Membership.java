// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.odradek.harness.model.ModelRequest;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What the coordinator has answered to one consumer of a {@link Member}. */
final class Membership
{
    private static final long NEVER = Long.MIN_VALUE;
    /** The first time after which a leave is tried on a new connection. */
    private static final long FIRST_LEAVE_MS = 1_000;
    /** Errors of a group that say what to do, and do not refuse it. */
    private static final Set<Errors> NO_FAILURES =
        EnumSet.of(Errors.NONE, Errors.REBALANCE_IN_PROGRESS, Errors.MEMBER_ID_REQUIRED);

    private final GroupWorld world;
    private final Member member;
    private final Answers heartbeats;
    private final Answers commits;
    private boolean wasLeave;
    private ConsumerGroupHeartbeatResponseData.Assignment assignment;
    /**
     * When the coordinator has accepted the last heartbeat, on the member's thread: what is sent after a callback
     * arrives before the world has reached the time of the thread.
     */
    private long acceptedOnThreadNs;
    /** Whether the coordinator has told the member to join a classic group again. */
    private boolean isRebalancing;
    /** When the member was last assigned partitions of a classic group, or was opened. */
    private long syncedNs;
    /** When a coordinator that had loaded the groups has accepted the last heartbeat, or the member was opened. */
    private long knownNs;
    /** When the coordinator said that another member has the instance id, or NEVER. */
    private long takenNs = NEVER;
    /** Since when the coordinator waits for the member to give up partitions, or NEVER. */
    private long givingUpNs = NEVER;

    Membership(final GroupWorld world, final Member member)
    {
        this.world = world;
        this.member = member;
        heartbeats = new Answers(world, member.number, "heartbeat storm");
        commits = new Answers(world, member.number, "commit storm");
        syncedNs = world.clock.nowNs();
        knownNs = syncedNs;
        acceptedOnThreadNs = syncedNs;
    }

    /** When the coordinator has accepted the last heartbeat. */
    long acceptedNs()
    {
        return heartbeats.acceptedNs();
    }

    /** As {@link #acceptedNs()}, by the clock of the member's thread. */
    long acceptedOnThreadNs()
    {
        return acceptedOnThreadNs;
    }

    /** When the coordinator has accepted the last heartbeat as one of a member, and not blindly. */
    long knownNs()
    {
        return knownNs;
    }

    /** Whether the coordinator has waited for the rebalance timeout for the member to give up partitions. */
    boolean isRevocationOverdue()
    {
        return givingUpNs != NEVER &&
            world.clock.nowNs() - givingUpNs >= TimeUnit.MILLISECONDS.toNanos(GroupWorld.REVOCATION_MS);
    }

    /** While a coordinator loads the groups, it accepts every heartbeat of a classic one, also of a former member. */
    boolean isConfirmedBlindly()
    {
        return isLoadedSince(heartbeats.acceptedNs());
    }

    /** A coordinator that is loaded knows the former member of an instance, if the new one was assigned nothing. */
    boolean isForgotten()
    {
        return isLoadedSince(syncedNs);
    }

    /** Whether a coordinator has loaded the member's classic group since a time. */
    private boolean isLoadedSince(final long ns)
    {
        return world.isClassic && world.sessionStartNs(ns) > ns;
    }

    /** The member does not know the last answer. */
    void onUnread()
    {
        takenNs = NEVER;
    }

    /** The member has left a coordinator before it has read all answers, perhaps that to a heartbeat after a commit. */
    void onDiscarded()
    {
        heartbeats.forgetFailures();
    }

    /** Leaving goes on with another connection, and does not know the last answer. */
    void onDisconnected()
    {
        if (wasLeave)
        {
            heartbeats.forgetFailures();
        }
    }

    /** The coordinator, or another broker, has served a request. */
    void onAnswer(final ModelRequest request, final ApiMessage response)
    {
        if (response instanceof ConsumerGroupHeartbeatResponseData heartbeat)
        {
            final ConsumerGroupHeartbeatRequestData data = (ConsumerGroupHeartbeatRequestData)request.message();
            if (heartbeat.errorCode() == Errors.NONE.code() && assignment != null && isOwnedOnly(data))
            {
                givingUpNs = NEVER;
            }
            if (heartbeat.assignment() != null && !heartbeat.assignment().equals(assignment))
            {
                assignment = heartbeat.assignment();
                onGivingUp();
            }
            onMembership(data.memberEpoch() < 0, heartbeat.errorCode());
        }
        else if (response instanceof HeartbeatResponseData heartbeat)
        {
            if (heartbeat.errorCode() == Errors.REBALANCE_IN_PROGRESS.code() && !isRebalancing)
            {
                isRebalancing = true;
                onGivingUp();
            }
            onMembership(false, heartbeat.errorCode());
        }
        else if (response instanceof JoinGroupResponseData joined)
        {
            isRebalancing = false;
            givingUpNs = NEVER;
            onMembership(false, joined.errorCode());
        }
        else if (response instanceof SyncGroupResponseData synced)
        {
            syncedNs = synced.errorCode() == Errors.NONE.code() ? world.clock.nowNs() : syncedNs;
            onMembership(false, synced.errorCode());
        }
        else if (response instanceof LeaveGroupResponseData left)
        {
            onMembership(true, left.errorCode());
        }
        else if (response instanceof SaslHandshakeResponseData)
        {
            // Until it is authenticated again, a connection takes no other request, and each step is between batches.
            member.onSetBack();
        }
        else if (response instanceof OffsetCommitResponseData committed &&
            ((OffsetCommitRequestData)request.message()).groupId().equals(GroupWorld.GROUP))
        {
            onCommit((OffsetCommitRequestData)request.message(), committed);
        }
    }

    /** Whether a heartbeat says that the member owns nothing that is not assigned to it. */
    private boolean isOwnedOnly(final ConsumerGroupHeartbeatRequestData data)
    {
        return data.topicPartitions() != null && data.topicPartitions().stream().allMatch((owned) ->
            assignment.topicPartitions().stream().anyMatch((assigned) -> assigned.topicId().equals(owned.topicId()) &&
                assigned.partitions().containsAll(owned.partitions())));
    }

    private void onGivingUp()
    {
        givingUpNs = world.clock.nowNs();
        member.onGivingUp();
    }

    private void onCommit(final OffsetCommitRequestData data, final OffsetCommitResponseData committed)
    {
        boolean isAccepted = true;
        for (int i = 0; i < data.topics().size(); i++)
        {
            for (int j = 0; j < data.topics().get(i).partitions().size(); j++)
            {
                final OffsetCommitRequestData.OffsetCommitRequestPartition partition =
                    data.topics().get(i).partitions().get(j);
                final short errorCode = committed.topics().get(i).partitions().get(j).errorCode();
                isAccepted &= errorCode == Errors.NONE.code();
                if (errorCode == Errors.NONE.code())
                {
                    member.note("committed", partition.partitionIndex(), partition.committedOffset());
                    world.ledger.onCommitted(member, partition.partitionIndex(), partition.committedOffset(),
                        partition.committedLeaderEpoch());
                }
            }
        }
        commits.onAnswer(isAccepted, world.scenario.retryBackoffMaxMs);
    }

    /** The coordinator has answered a request that joins, keeps or ends the membership. */
    private void onMembership(final boolean isLeave, final short errorCode)
    {
        // A leave does not wait for the backoff of earlier failures.
        if (isLeave && !wasLeave)
        {
            heartbeats.forgetFailures();
        }
        wasLeave = isLeave;
        final boolean isAccepted = NO_FAILURES.contains(Errors.forCode(errorCode));
        acceptedOnThreadNs = isAccepted ? world.clock.nowNs() + member.aheadNs() : acceptedOnThreadNs;
        if (!isAccepted)
        {
            member.onSetBack();
        }
        else if (world.cluster.groups().loadedNs() <= world.clock.nowNs())
        {
            knownNs = world.clock.nowNs();
            // A member does not know an answer that was lost.
            world.ledger.check(isLeave || takenNs == NEVER || world.sessionStartNs(takenNs) > takenNs ||
                member.disturbedNs >= takenNs, "instance id",
                "member " + member.number + " not to come back after it was told that its instance id is taken");
        }
        // A member that leaves before it joins again may go on: the other member may leave, too.
        takenNs = errorCode == Errors.FENCED_INSTANCE_ID.code() && !isLeave ? world.clock.nowNs() :
            errorCode == Errors.UNKNOWN_MEMBER_ID.code() ? NEVER : takenNs;
        heartbeats.onAnswer(isAccepted,
            Math.min(isLeave ? FIRST_LEAVE_MS : Integer.MAX_VALUE, world.scenario.retryBackoffMaxMs));
    }
}
