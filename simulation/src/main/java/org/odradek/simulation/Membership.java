// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.odradek.testkit.model.ModelRequest;

import java.util.EnumSet;
import java.util.Set;

/** What the coordinator has answered to one consumer of a {@link Member}. */
final class Membership
{
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
    /** Whether the coordinator has told the member to join a classic group again. */
    private boolean isRebalancing;
    /** When the member was last assigned partitions of a classic group, or was opened. */
    private long syncedNs;

    Membership(final GroupWorld world, final Member member)
    {
        this.world = world;
        this.member = member;
        heartbeats = new Answers(world, member.number, "heartbeat storm");
        commits = new Answers(world, member.number, "commit storm");
        syncedNs = world.clock.nowNs();
    }

    /** When the coordinator has accepted the last heartbeat. */
    long acceptedNs()
    {
        return heartbeats.acceptedNs();
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
            if (heartbeat.assignment() != null && !heartbeat.assignment().equals(assignment))
            {
                assignment = heartbeat.assignment();
                member.onGivingUp();
            }
            onMembership(((ConsumerGroupHeartbeatRequestData)request.message()).memberEpoch() < 0,
                heartbeat.errorCode());
        }
        else if (response instanceof HeartbeatResponseData heartbeat)
        {
            if (heartbeat.errorCode() == Errors.REBALANCE_IN_PROGRESS.code() && !isRebalancing)
            {
                isRebalancing = true;
                member.onGivingUp();
            }
            onMembership(false, heartbeat.errorCode());
        }
        else if (response instanceof JoinGroupResponseData joined)
        {
            isRebalancing = false;
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
        else if (response instanceof OffsetCommitResponseData committed &&
            ((OffsetCommitRequestData)request.message()).groupId().equals(GroupWorld.GROUP))
        {
            onCommit((OffsetCommitRequestData)request.message(), committed);
        }
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
                    world.ledger.onCommitted(member, partition.partitionIndex(), partition.committedOffset());
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
        if (!isAccepted)
        {
            member.onSetBack();
        }
        heartbeats.onAnswer(isAccepted,
            Math.min(isLeave ? FIRST_LEAVE_MS : Integer.MAX_VALUE, world.scenario.retryBackoffMaxMs));
    }
}
