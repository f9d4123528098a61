// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.RequestFrame;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.ClassicGroupRequestEncoder;
import org.odradek.protocol.control.GroupErrorFlyweight;
import org.odradek.protocol.control.JoinGroupResponseFlyweight;
import org.odradek.protocol.control.MetadataRequestEncoder;
import org.odradek.protocol.control.MetadataResponseFlyweight;
import org.odradek.protocol.control.SyncGroupResponseFlyweight;

import java.util.TreeMap;

/**
 * The protocol of classic groups, in which one member, the leader, assigns the partitions ({@link GroupLeader}). When
 * the members change, this member gives up all its partitions and joins again.
 * <pre>
 *  JOIN ──another leads──▶ SYNC ──assigned──▶ HEARTBEAT
 *   ▲ └──leads──▶ COUNT ────▲                   │    ▲
 *   │                                           │    │
 *   └── nothing is owned any more ── rebalance ─┘    └── while partitions are given up
 * </pre>
 * The coordinator may hold a JoinGroup request until all members have joined, and a SyncGroup request until the leader
 * has sent its own. Neither request is sent while a partition is owned.
 */
final class ClassicProtocol extends MemberProtocol
{
    private static final long NS_PER_MS = 1_000_000L;
    /** The longest time after which the leader counts the partitions again if the brokers did not know a topic. */
    private static final long MISSING_NS = 10_000_000_000L;

    /** A coordinator that lets more joins than these time out, one after another, has failed. */
    private static final int MAX_HELD_TIMEOUTS = 3;

    private static final int JOIN = 0;
    private static final int COUNT = 1;
    private static final int SYNC = 2;
    private static final int HEARTBEAT = 3;
    private static final int LEAVE = 4;
    private static final ApiKey[] API_KEYS =
    {
        ApiKey.JOIN_GROUP, ApiKey.METADATA, ApiKey.SYNC_GROUP, ApiKey.HEARTBEAT, ApiKey.LEAVE_GROUP
    };

    private int step = JOIN;
    private int sentStep;
    private boolean isSent;
    private long countNs;
    /**
     * True if the last request was lost, or answered with a retriable error. A join or a sync that timed out does not
     * count, because the coordinator may have waited for other members, unless too many in a row have timed out.
     */
    private boolean isFailing;
    /** The number of joins and syncs in a row that have timed out. */
    private int heldTimeouts;
    /** True if the counter LAST_HEARTBEAT_MS was set to 0 because the coordinator may hold the answer to a request. */
    private boolean isHeld;
    private final GroupLeader leader = new GroupLeader();
    private final ClassicGroupRequestEncoder request;
    private final MetadataRequestEncoder metadataRequest;
    private final JoinGroupResponseFlyweight joined = new JoinGroupResponseFlyweight();
    private final SyncGroupResponseFlyweight synced = new SyncGroupResponseFlyweight();
    private final MetadataResponseFlyweight metadata = new MetadataResponseFlyweight();
    private final GroupErrorFlyweight beaten = new GroupErrorFlyweight(ApiKey.HEARTBEAT);
    private final GroupErrorFlyweight left = new GroupErrorFlyweight(ApiKey.LEAVE_GROUP);

    ClassicProtocol(final GroupMember member, final TopicIdentity topic, final Environment environment)
    {
        super(ApiKey.JOIN_GROUP, member, environment);
        final String clientId = environment.settings().clientId;
        request = new ClassicGroupRequestEncoder(
            clientId, settings.id, topic.name(), settings.instanceId, environment.settings().rackOrNull());
        metadataRequest = new MetadataRequestEncoder(clientId);
        intervalNs = ClientSettings.ns(settings.classicHeartbeatIntervalMs());
        member.intervalNs(intervalNs);
        member.memberId("");
    }

    @Override
    boolean canSend()
    {
        return member.isLeaving() ? !member.isEnded() :
            !member.isEnded() && member.state() != GroupState.FENCED && member.isTopicKnown();
    }

    @Override
    boolean isDue()
    {
        return canSend() && (member.isLeaving() || member.dueNs() - environment.clock().nowNs() <= 0 ||
            step == HEARTBEAT && !member.isAcknowledged());
    }

    @Override
    boolean isJoining()
    {
        return step == COUNT || step == SYNC;
    }

    @Override
    boolean mayFollow()
    {
        final int next = nextStep();
        return next == HEARTBEAT || next == LEAVE;
    }

    private int nextStep()
    {
        if (member.isLeaving())
        {
            return LEAVE;
        }
        if (step == HEARTBEAT && leader.isLeader() && countNs - environment.clock().nowNs() <= 0 && mayCount())
        {
            return COUNT;
        }
        return step == HEARTBEAT && member.isTargetLost() ? JOIN :
            step == JOIN && member.ownedCount() > 0 ? HEARTBEAT : step;
    }

    /**
     * A heartbeat that is due waits for the answer to a count of partitions, so a count is sent only while more than
     * half of the session timeout is left.
     */
    private boolean mayCount()
    {
        return environment.clock().nowNs() - member.lastConfirmedNs() <
            ClientSettings.ns(settings.sessionTimeoutMs) / 2;
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        sentStep = nextStep();
        isSent = true;
        sentNs = environment.clock().readNs();
        sentChanges = member.ownedChanges;
        // The coordinator may hold the answer for a long time, and nothing may be committed meanwhile.
        assert sentStep != JOIN && sentStep != SYNC || member.ownedCount() == 0;
        final byte[][] topics = leader.topics();
        final MutableDirectBuffer buffer = frame.ofLength(request.maxFrameLength());
        switch (sentStep)
        {
            case JOIN:
                step = JOIN;
                member.hasJoined = isDynamic();
                onHeld();
                return request.join(buffer, version, settings.sessionTimeoutMs, rebalanceTimeoutMs());
            case COUNT:
                final int maxLength = metadataRequest.maxFrameLength(topics, topics.length);
                return metadataRequest.build(frame.ofLength(maxLength), version, topics, topics.length);
            case SYNC:
                onHeld();
                return leader.encode(request, frame, version, member.epoch());
            case LEAVE:
                return request.leave(buffer, version);
            default:
                environment.counters().add(ConsumerCounters.HEARTBEATS, 1);
                return request.heartbeat(buffer, version, member.epoch());
        }
    }

    private void onHeld()
    {
        if (!isFailing && environment.counters().get(ConsumerCounters.LAST_HEARTBEAT_MS) != 0)
        {
            isHeld = true;
            environment.counters().set(ConsumerCounters.LAST_HEARTBEAT_MS, 0);
        }
    }

    private void onFailing()
    {
        isFailing = true;
        if (isHeld && member.state() != GroupState.LEFT &&
            environment.counters().get(ConsumerCounters.LAST_HEARTBEAT_MS) == 0)
        {
            environment.counters().set(ConsumerCounters.LAST_HEARTBEAT_MS, environment.clock().epochMs());
        }
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        final boolean isDone;
        isFailing = false;
        switch (sentStep)
        {
            case JOIN:
                joined.wrap(buffer, index, limit, version);
                isDone = onJoined(buffer, index, limit, version);
                break;
            case COUNT:
                metadata.wrap(buffer, index, limit, version);
                isDone = onCounted();
                break;
            case SYNC:
                synced.wrap(buffer, index, limit, version);
                while (synced.nextPartition())
                {
                    continue;
                }
                synced.wrap(buffer, index, limit, version);
                isDone = onSynced();
                break;
            case LEAVE:
                left.wrap(buffer, index, limit, version);
                throttleTimeMs = left.throttleTimeMs();
                isDone = member.onLeft(left.errorCode());
                break;
            default:
                isDone = onHeartbeat(beaten.wrap(buffer, index, limit, version));
        }
        isSent = false;
        heldTimeouts = 0;
        member.isAnswered = true;
        onRequestEnded();
        return isDone;
    }

    /** Only a dynamic member leaves: a static member keeps its partitions until its session expires. */
    private boolean isDynamic()
    {
        return settings.instanceId == null;
    }

    /** A member that leaves while its first join is in flight waits for its id, and ends if it gets none. */
    private void onRequestEnded()
    {
        member.hasJoined = isDynamic() && !member.memberId().isEmpty();
        if (member.isLeaving())
        {
            member.leave();
        }
    }

    private boolean onJoined(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        final TreeMap<byte[], Integer> topics = leader.topics(joined);
        joined.wrap(buffer, index, limit, version);
        throttleTimeMs = joined.throttleTimeMs();
        final short errorCode = joined.errorCode();
        if (errorCode == ErrorCode.MEMBER_ID_REQUIRED && member.memberId().isEmpty())
        {
            takeId();
            member.dueNs(environment.clock().nowNs());
            return !member.memberId().isEmpty();
        }
        if (errorCode != ErrorCode.NONE || joined.generationId() <= 0)
        {
            return onError(errorCode, true);
        }
        takeId();
        member.onConfirmed(joined.generationId(), sentNs);
        final boolean isLeader = member.memberId().equals(
            buffer.getStringWithoutLengthUtf8(joined.leaderIndex(), joined.leaderLength()));
        report(leader.takeLeftOut());
        if (isLeader && !topics.isEmpty())
        {
            leader.lead(joined, topics);
            step = COUNT;
        }
        else
        {
            leader.resign();
            step = SYNC;
        }
        member.dueNs(environment.clock().nowNs());
        return true;
    }

    private void takeId()
    {
        if (joined.memberIdLength() > 0)
        {
            member.memberId(
                joined.buffer().getStringWithoutLengthUtf8(joined.memberIdIndex(), joined.memberIdLength()));
            request.memberId(member.memberId());
        }
    }

    private boolean onCounted()
    {
        throttleTimeMs = metadata.throttleTimeMs();
        final boolean isChanged = leader.countPartitions(metadata);
        report(leader.takeMissing());
        final long maxAgeNs = ClientSettings.ns(environment.settings().metadataMaxAgeMs);
        final long ageNs = leader.hasMissing() ? Math.min(MISSING_NS, maxAgeNs) : maxAgeNs;
        countNs = environment.clock().nowNs() + ageNs;
        if (step == COUNT)
        {
            step = SYNC;
        }
        else if (isChanged && step == HEARTBEAT)
        {
            rebalance();
        }
        return true;
    }

    private void report(final String sentence)
    {
        if (sentence != null)
        {
            environment.error(sentence);
        }
    }

    private boolean onSynced()
    {
        throttleTimeMs = synced.throttleTimeMs();
        if (synced.errorCode() != ErrorCode.NONE)
        {
            return onError(synced.errorCode(), true);
        }
        step = HEARTBEAT;
        member.onConfirmed(member.epoch(), sentNs);
        member.onAcknowledged(sentChanges);
        if (!member.isLeaving())
        {
            member.beginTarget();
            while (synced.nextPartition())
            {
                member.addTarget(synced.topic(), synced.partition());
            }
            member.endTarget();
            member.checkReconciled();
        }
        member.dueNs(sentNs + partOf(intervalNs));
        return true;
    }

    /** An answer that reports a rebalance also confirms the membership. */
    private boolean onHeartbeat(final GroupErrorFlyweight response)
    {
        throttleTimeMs = response.throttleTimeMs();
        final short errorCode = response.errorCode();
        if (errorCode != ErrorCode.NONE && errorCode != ErrorCode.REBALANCE_IN_PROGRESS)
        {
            return onError(errorCode, false);
        }
        member.onConfirmed(member.epoch(), sentNs);
        // All partitions may have been given up meanwhile, and the coordinator waits for the join.
        final boolean isJoinDue = step == JOIN && member.ownedCount() == 0;
        member.dueNs(isJoinDue ? environment.clock().nowNs() : sentNs + intervalNs);
        if (errorCode == ErrorCode.NONE)
        {
            member.onAcknowledged(sentChanges);
            if (step == HEARTBEAT && member.state() != GroupState.STABLE)
            {
                member.checkReconciled();
            }
        }
        else if (step == HEARTBEAT)
        {
            rebalance();
        }
        return true;
    }

    private void rebalance()
    {
        step = JOIN;
        member.clearTarget();
    }

    private boolean onError(final short errorCode, final boolean isJoining)
    {
        final GroupErrors.Action action = member.onError(API_KEYS[sentStep], errorCode, isJoining, null, sentNs);
        if (errorCode == ErrorCode.UNKNOWN_MEMBER_ID)
        {
            member.memberId("");
            request.memberId(member.memberId());
        }
        step = isJoining || action == GroupErrors.Action.REJOIN ? JOIN : step;
        if (isRetriable(errorCode) && action != GroupErrors.Action.REBALANCE ||
            action == GroupErrors.Action.FAIL || action == GroupErrors.Action.RETRY_LATER)
        {
            onFailing();
        }
        return false;
    }

    /** Without an answer to a join or a sync the generation of the member is not known, so the member joins again. */
    @Override
    public void onLost()
    {
        isSent = false;
        step = step == HEARTBEAT ? HEARTBEAT : JOIN;
        onFailing();
        // The coordinator may hold it for members with longer timeouts; if it is gone, no other join can be sent.
        heldTimeouts = heldNs() > 0 && environment.clock().nowNs() - sentNs >= heldNs() ? heldTimeouts + 1 : 0;
        isFailing = heldTimeouts == 0 || heldTimeouts > MAX_HELD_TIMEOUTS;
        member.onFailed();
        onRequestEnded();
    }

    @Override
    public ApiKey apiKey()
    {
        return API_KEYS[isSent ? sentStep : nextStep()];
    }

    @Override
    public long heldNs()
    {
        return sentStep == JOIN || sentStep == SYNC ? rebalanceTimeoutMs() * NS_PER_MS : 0;
    }

    /**
     * Returns the rebalance timeout in milliseconds: one heartbeat interval more than the revocation timeout, because
     * the coordinator's time begins up to one interval before the member is notified of a rebalance.
     */
    private int rebalanceTimeoutMs()
    {
        return (int)Math.min(Integer.MAX_VALUE, settings.revocationTimeoutMs + intervalNs / NS_PER_MS);
    }
}
