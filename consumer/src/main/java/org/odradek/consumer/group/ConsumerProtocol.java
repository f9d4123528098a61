// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.RequestFrame;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.ConsumerGroupHeartbeatRequestEncoder;
import org.odradek.protocol.control.ConsumerGroupHeartbeatResponseFlyweight;

/**
 * The protocol of groups in which the brokers assign the partitions (KIP-848). The same request, a heartbeat, joins the
 * group, keeps the membership, acknowledges the owned partitions, or leaves the group.
 */
final class ConsumerProtocol extends MemberProtocol
{
    private static final long INTERVAL_NS_DEFAULT = 5_000_000_000L;

    /**
     * The longest interval between heartbeats for some time after a join or a change of the assignment, because more
     * changes are likely to follow.
     */
    private static final long SOON_NS = 500_000_000L;

    /** The number of heartbeat intervals of the broker for which {@link #SOON_NS} applies. */
    private static final int SOON_INTERVALS = 2;

    private static final int KEEP_ALIVE = 0;
    private static final int OWNED = 1;
    private static final int FULL = 2;
    private static final int LEAVE = 3;

    private int sentForm;
    /** True if the member must leave before it joins, because the coordinator knows its id with another epoch. */
    private boolean isLeavingFirst;
    /** True if the coordinator may know the id of this member, because it was a member or a response was lost. */
    private boolean isMaybeKnown;
    private long changedNs;
    private boolean isSoon;
    private final TopicIdentity topic;
    private final DescribeClassicGroup classicGroup;
    private final ConsumerGroupHeartbeatRequestEncoder request;
    private final ConsumerGroupHeartbeatResponseFlyweight response = new ConsumerGroupHeartbeatResponseFlyweight();

    ConsumerProtocol(final GroupMember member, final TopicIdentity topic, final Environment environment)
    {
        super(ApiKey.CONSUMER_GROUP_HEARTBEAT, member, environment);
        this.topic = topic;
        classicGroup = new DescribeClassicGroup(environment);
        request = new ConsumerGroupHeartbeatRequestEncoder(
            environment.settings().clientId, settings.id, member.memberId(), topic.name())
            .instanceId(settings.instanceId)
            .rackId(environment.settings().rackOrNull())
            .assignor(settings.assignor)
            .rebalanceTimeoutMs(settings.revocationTimeoutMs);
        intervalNs = INTERVAL_NS_DEFAULT;
        member.intervalNs(intervalNs);
    }

    @Override
    boolean isDue()
    {
        final long nowNs = environment.clock().nowNs();
        return canSend() && (member.isLeaving() || !member.isAcknowledged() || member.dueNs() - nowNs <= 0);
    }

    /** Returns the request for the description of a classic group until that request is done, and then this object. */
    @Override
    ControlRequest next()
    {
        return classicGroup.isDone() ? this : classicGroup;
    }

    @Override
    boolean mayFollow()
    {
        return classicGroup.isDone();
    }

    @Override
    boolean isRefused()
    {
        return member.isClassic();
    }

    @Override
    void onJoined()
    {
        classicGroup.onJoined();
    }

    /** A member does not join before metadata has arrived, because partitions are assigned by the id of the topic. */
    @Override
    boolean canSend()
    {
        return member.isLeaving() ? !member.isEnded() :
            member.state() == GroupState.JOINING && member.isTopicKnown() || member.epoch() > 0;
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        final MutableDirectBuffer buffer = frame.ofLength(request.maxFrameLength(member.ownedCount()));
        sentNs = environment.clock().readNs();
        sentForm = nextForm();
        sentChanges = member.ownedChanges;
        environment.counters().add(ConsumerCounters.HEARTBEATS, 1);
        request.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits());
        switch (sentForm)
        {
            case LEAVE:
                return request.leave(buffer, !member.isLeaving());
            case KEEP_ALIVE:
                return request.keepAlive(buffer, member.epoch());
            case OWNED:
                request.beginOwned(buffer, member.epoch(), member.ownedCount());
                return encodeOwned();
            default:
                member.hasJoined = true;
                request.beginFull(buffer, member.epoch(), member.ownedCount());
                return encodeOwned();
        }
    }

    /**
     * A member without partitions sends a FULL heartbeat unless it leaves, because the response to another form might
     * not repeat an assignment that was lost.
     */
    private int nextForm()
    {
        if (member.isLeaving() || isLeavingFirst)
        {
            return LEAVE;
        }
        if (member.isInDoubt() || member.ownedCount() == 0)
        {
            return FULL;
        }
        return member.isAcknowledged() ? KEEP_ALIVE : OWNED;
    }

    private int encodeOwned()
    {
        // A stream would allocate, and a member that owns nothing sends this in each heartbeat.
        for (int p = member.owned.nextSetBit(0); p >= 0; p = member.owned.nextSetBit(p + 1))
        {
            request.entry(p);
        }
        return request.end();
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        response.wrap(buffer, index, limit, version);
        if (response.hasAssignment())
        {
            while (response.nextPartition())
            {
                continue;
            }
            response.wrap(buffer, index, limit, version);
        }
        throttleTimeMs = response.throttleTimeMs();
        member.isAnswered = true;
        if (sentForm == LEAVE)
        {
            isLeavingFirst = false;
            // After a refusal, a member that leaves first joins only after the backoff.
            return member.onLeft(response.errorCode()) &&
                (member.isEnded() || response.errorCode() == ErrorCode.NONE);
        }
        if (response.errorCode() == ErrorCode.NONE && response.memberEpoch() > 0)
        {
            onConfirmed();
            return true;
        }
        final boolean isJoining = member.epoch() == 0;
        final GroupErrors.Action action = member.onError(ApiKey.CONSUMER_GROUP_HEARTBEAT, response.errorCode(),
            isJoining, GroupErrors.message(response), sentNs);
        // For a static member, a coordinator refuses the id of the instance even if this member itself holds it.
        isLeavingFirst |= action == GroupErrors.Action.LEAVE_FIRST ||
            action == GroupErrors.Action.WAIT_FOR_RELEASE && isJoining && isMaybeKnown;
        isMaybeKnown &= action != GroupErrors.Action.WAIT_FOR_RELEASE;
        return false;
    }

    private void onConfirmed()
    {
        final boolean isNew = member.epoch() == 0;
        isMaybeKnown = true;
        member.onConfirmed(response.memberEpoch(), sentNs);
        if (sentForm != KEEP_ALIVE)
        {
            member.onAcknowledged(sentChanges);
        }
        changedNs = isNew ? sentNs : changedNs;
        intervalNs = response.heartbeatIntervalMs() > 0 ? response.heartbeatIntervalMs() * 1_000_000L : intervalNs;
        member.intervalNs(intervalNs);
        if (response.hasAssignment() && !member.isLeaving())
        {
            readTarget();
        }
        if (member.state() != GroupState.STABLE || response.hasAssignment())
        {
            member.checkReconciled();
        }
        member.dueNs(sentNs + currentIntervalNs());
    }

    private long currentIntervalNs()
    {
        // Else delivery would be fenced between two heartbeats.
        final long fenceNs = member.fenceNs();
        final long defaultNs = fenceNs > 0 ? Math.min(intervalNs, fenceNs / 2) : intervalNs;
        final long ceilingNs =
            settings.heartbeatIntervalMs == 0 ? defaultNs : ClientSettings.ns(settings.heartbeatIntervalMs);
        final boolean wasSoon = isSoon;
        isSoon = sentNs - changedNs < SOON_INTERVALS * intervalNs;
        final long usualNs = Math.min(intervalNs, ceilingNs);
        return isSoon ? Math.min(usualNs, SOON_NS) : wasSoon ? partOf(usualNs) : usualNs;
    }

    private void readTarget()
    {
        member.beginTarget();
        while (response.nextPartition())
        {
            member.addTarget(response.topic(), response.partition());
        }
        if (member.endTarget())
        {
            changedNs = sentNs;
        }
    }

    @Override
    public void onLost()
    {
        isMaybeKnown = true;
        member.onFailed();
    }
}
