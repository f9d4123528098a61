// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.TopicIdentity;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.control.ResponseTopic;

import java.util.BitSet;
import java.util.UUID;

/**
 * The membership of a consumer group: the member's epoch, the partitions that are assigned to the member, and the
 * partitions that the member owns.
 * <pre>
 *  JOINING ──assigned──▶ RECONCILING ──all is acknowledged──▶ STABLE
 *   ▲ └──assigned nothing───────────────────────────────────────▲ │
 *   │                         ▲─────assigned something else───────┘
 *   │
 *  FENCED ◀──removed by the coordinator── RECONCILING, STABLE
 *
 *  any state ──leave, answered──▶ LEFT         any state ──error that no retry can end──▶ FAILED
 * </pre>
 */
public final class GroupMember
{
    /**
     * The longest time without a confirmed heartbeat for which a member of the protocol CONSUMER delivers records,
     * unless {@code fenceAfterMs} is set. By default the session of such a member lasts 45 s.
     */
    private static final long MAX_FENCE_NS = 40_000_000_000L;
    private static final int FENCE_INTERVALS = 8;

    /**
     * The time for which a member waits for its instance id. A static member that was killed holds the id until its
     * session expires, by default after 45 s.
     */
    private static final long UNRELEASED_NS = 90_000_000_000L;

    private GroupState state = GroupState.JOINING;
    private GroupProtocol protocol;
    boolean isAnswered;
    private boolean isJoinReported;
    private String memberId;
    private int epoch;
    /** True if the coordinator does not convert the group, which is a classic one. */
    private boolean isGroupClassic;
    private boolean isLeaving;
    /**
     * True if the coordinator may know the member, which then has to leave; false for a static member of a classic
     * group.
     */
    boolean hasJoined;
    /** True if the next heartbeat must be a full one, and is sent before other requests. */
    private boolean isInDoubt = true;
    private boolean isTargetLost;
    private ApiKey failedApi = ApiKey.FIND_COORDINATOR;
    private short errorCode;
    private long dueNs;
    private long lastConfirmedNs;
    private long unreleasedNs;
    private boolean isUnreleased;
    private long intervalNs;
    final BitSet owned = new BitSet();
    private final BitSet target = new BitSet();
    private final BitSet read = new BitSet();
    /** A number above the ids of all partitions that were ever assigned. */
    private int capacity;
    /** A number that is incremented when a heartbeat must acknowledge the owned partitions. */
    int ownedChanges;
    private int confirmedChanges;
    private int targetChanges;
    /** True while the coordinator waits for partitions to be given up. */
    private boolean isRevoking;
    private long revokeUntilNs;
    private boolean isReadUnknown;
    /** True if it was reported that delivery has stopped. */
    boolean isDeliveryFenced;
    private long deliveryFencedNs;
    private int seenRecreations;
    private String brokerMessage;
    private final ConsumerSettings.Group settings;
    private final TopicIdentity topic;
    private final PartitionTable table;
    private final Environment environment;

    GroupMember(final TopicIdentity topic, final PartitionTable table, final Environment environment)
    {
        settings = environment.settings().group;
        this.topic = topic;
        seenRecreations = topic.recreations();
        this.table = table;
        this.environment = environment;
        protocol = settings.protocol == GroupProtocol.CLASSIC ? GroupProtocol.CLASSIC : GroupProtocol.CONSUMER;
        // The id is unique among all members of all times; the coordinator gives a classic member another one.
        memberId = settings.memberId == null ? UUID.randomUUID().toString() : settings.memberId;
        dueNs = environment.clock().nowNs();
        lastConfirmedNs = dueNs;
    }

    void onConfirmed(final int newEpoch, final long sentNs)
    {
        lastConfirmedNs = sentNs;
        epoch = newEpoch;
        isInDoubt = false;
        isUnreleased = false;
        errorCode = ErrorCode.NONE;
        environment.counters().set(ConsumerCounters.LAST_HEARTBEAT_MS, environment.clock().epochMs());
    }

    /** @param changes the value of {@link #ownedChanges} in the heartbeat that the coordinator has answered. */
    void onAcknowledged(final int changes)
    {
        confirmedChanges = changes;
        isRevoking = isRevoking && (!isAcknowledged() || isOwningOther());
        assert isConsistent();
    }

    private boolean isOwningOther()
    {
        return owned.stream().anyMatch((p) -> !target.get(p));
    }

    void checkReconciled()
    {
        state = isAcknowledged() && owned.equals(target) ? GroupState.STABLE : GroupState.RECONCILING;
    }

    void beginTarget()
    {
        isReadUnknown = false;
        read.clear();
    }

    void addTarget(final ResponseTopic answered, final int partition)
    {
        if (!topic.isAnswered(answered))
        {
            isReadUnknown |= answered.isById();
        }
        else if (partition >= 0 && partition < WireLimits.MAX_PARTITIONS)
        {
            read.set(partition);
            capacity = Math.max(capacity, partition + 1);
        }
    }

    /**
     * If the assignment has an unknown topic id, metadata is requested, and the next heartbeat is full, so that the
     * coordinator sends the assignment again.
     *
     * @return true if the assignment has changed.
     */
    boolean endTarget()
    {
        isTargetLost = false;
        if (isReadUnknown)
        {
            isInDoubt = true;
            table.requestMetadata();
        }
        final boolean isChanged = (!read.isEmpty() || !isReadUnknown) && !read.equals(target);
        if (isChanged)
        {
            target.clear();
            target.or(read);
            targetChanges++;
            beginRevocation();
            environment.counters().add(ConsumerCounters.REBALANCES, 1);
        }
        assert isConsistent();
        return isChanged;
    }

    void clearTarget()
    {
        dropTarget();
        beginRevocation();
        state = GroupState.RECONCILING;
        dueNs = environment.clock().nowNs();
    }

    private void beginRevocation()
    {
        isRevoking = isOwningOther();
        revokeUntilNs = lastConfirmedNs + ClientSettings.ns(settings.revocationTimeoutMs);
    }

    private void dropTarget()
    {
        target.clear();
        targetChanges++;
    }

    private void dropOwned()
    {
        owned.clear();
        isRevoking = false;
    }

    /**
     * @param message the message of the broker; may be null.
     * @return the action, of which this method has done the part that both protocols share.
     */
    GroupErrors.Action onError(
        final ApiKey api, final short code, final boolean isJoining, final String message, final long sentNs)
    {
        failedApi = api;
        errorCode = code;
        brokerMessage = message;
        onFailed();
        final GroupErrors.Action action = GroupErrors.action(errorCode, isJoining);
        switch (action)
        {
            case RETRY_LATER:
                dueNs = sentNs + intervalNs;
                break;
            case REJOIN:
                state = GroupState.FENCED;
                epoch = 0;
                break;
            case WAIT_FOR_RELEASE:
                unreleasedNs = isUnreleased ? unreleasedNs : sentNs;
                isUnreleased = true;
                if (sentNs - unreleasedNs > UNRELEASED_NS)
                {
                    fail(errorCode);
                }
                break;
            case FAIL:
                fail(errorCode);
                break;
            default:
                break;
        }
        assert isConsistent();
        return action;
    }

    void onFailed()
    {
        environment.counters().add(ConsumerCounters.HEARTBEAT_FAILURES, 1);
        checkMembership();
    }

    /**
     * A new coordinator restarts the sessions of the members that it loads, so the wait for the instance id begins
     * again.
     */
    void onCoordinatorMoved()
    {
        isUnreleased = false;
    }

    /** Makes a full heartbeat due at once, because the membership is in doubt. */
    void checkMembership()
    {
        isInDoubt = true;
        dueNs = environment.clock().nowNs();
    }

    /**
     * After an error that is not retriable, the member counts as having left.
     *
     * @return false if the error is retriable.
     */
    boolean onLeft(final short code)
    {
        if (ControlRequest.isRetriable(code))
        {
            errorCode = code;
            onFailed();
            return false;
        }
        errorCode = ErrorCode.NONE;
        if (isLeaving)
        {
            end(GroupState.LEFT);
        }
        return true;
    }

    boolean takeAnswered()
    {
        final boolean isTaken = isAnswered;
        isAnswered = false;
        return isTaken;
    }

    boolean takeJoined()
    {
        final boolean isTaken = epoch > 0 && !isJoinReported;
        isJoinReported |= isTaken;
        return isTaken;
    }

    void fail(final ApiKey api, final short code)
    {
        failedApi = api;
        brokerMessage = null;
        fail(code);
    }

    /** Ends the membership, unless the classic protocol may be used instead. */
    private void fail(final short newErrorCode)
    {
        errorCode = newErrorCode;
        final boolean isOfGroup = newErrorCode == ErrorCode.GROUP_ID_NOT_FOUND;
        if ((newErrorCode == ErrorCode.UNSUPPORTED_VERSION || isOfGroup) &&
            settings.protocol == GroupProtocol.AUTO && protocol == GroupProtocol.CONSUMER && epoch == 0)
        {
            isGroupClassic = isOfGroup;
            protocol = GroupProtocol.CLASSIC;
            // A static member of a classic group does not leave, and this consumer is not a member of any group yet.
            hasJoined = false;
        }
        else
        {
            end(GroupState.FAILED);
        }
    }

    void end(final GroupState end)
    {
        if (end == GroupState.LEFT)
        {
            environment.counters().set(ConsumerCounters.LAST_HEARTBEAT_MS, 0);
        }
        state = end;
        epoch = 0;
        owned.clear();
        assert isConsistent();
    }

    public void own(final int partition)
    {
        owned.set(partition);
        ownedChanges++;
        assert isConsistent() && target.get(partition);
    }

    public void disown(final int partition)
    {
        owned.clear(partition);
        ownedChanges++;
        if (owned.isEmpty())
        {
            dueNs = environment.clock().nowNs();
        }
        assert isConsistent();
    }

    /** Makes the next heartbeat acknowledge the owned partitions, even if none has changed. */
    public void reconciled()
    {
        if (epoch > 0 && ownedChanges == confirmedChanges)
        {
            ownedChanges++;
        }
    }

    public void rejoin()
    {
        dropOwned();
        dropTarget();
        confirmedChanges = ownedChanges;
        state = GroupState.JOINING;
        assert isConsistent();
    }

    public boolean takeTopicRecreated()
    {
        final boolean isRecreated = topic.recreations() != seenRecreations;
        seenRecreations = topic.recreations();
        return isRecreated;
    }

    public void dropAll()
    {
        dropOwned();
        dropTarget();
        ownedChanges++;
        isTargetLost = true;
        checkMembership();
    }

    public void leave()
    {
        isLeaving = true;
        if (!hasJoined && !isEnded())
        {
            end(GroupState.LEFT);
        }
    }

    boolean hasJoined()
    {
        return hasJoined;
    }

    public boolean isEnded()
    {
        return state == GroupState.LEFT || state == GroupState.FAILED;
    }

    boolean isLeaving()
    {
        return isLeaving;
    }

    public GroupState state()
    {
        return state;
    }

    boolean isClassic()
    {
        return protocol == GroupProtocol.CLASSIC;
    }

    /** Returns CONSUMER or CLASSIC: the protocol by which the member joins or has joined. */
    public GroupProtocol protocol()
    {
        return protocol;
    }

    /** Returns the id of the member; empty while a classic member has none. */
    public String memberId()
    {
        return memberId;
    }

    void memberId(final String id)
    {
        memberId = id;
    }

    /** Returns the epoch or generation of the last confirmation; 0 while the consumer is not a member. */
    public int epoch()
    {
        return epoch;
    }

    public int ownedCount()
    {
        return owned.cardinality();
    }

    /** Returns true if the coordinator has confirmed the partitions that are owned now. */
    boolean isAcknowledged()
    {
        return ownedChanges == confirmedChanges;
    }

    public int targetChanges()
    {
        return targetChanges;
    }

    public boolean isTarget(final int partition)
    {
        return target.get(partition);
    }

    /** Returns true after {@link #dropAll()}, until another assignment has been read. */
    boolean isTargetLost()
    {
        return isTargetLost;
    }

    public int capacity()
    {
        return capacity;
    }

    boolean isInDoubt()
    {
        return isInDoubt;
    }

    boolean isTopicKnown()
    {
        return table.capacity() > 0;
    }

    long dueNs()
    {
        return dueNs;
    }

    void dueNs(final long newDueNs)
    {
        dueNs = newDueNs;
    }

    /** Sets the time until which records may be delivered, if the settings limit this time. */
    public void extendDelivery()
    {
        final long fenceNs = fenceNs();
        if (fenceNs > 0)
        {
            table.deliverUntil(deliverUntilNs(fenceNs));
        }
    }

    void reportFence()
    {
        final long nowNs = environment.clock().nowNs();
        final boolean isLate = table.isFenced(environment.clock().readNs());
        if (isLate && !isDeliveryFenced && ownedCount() > 0 && state != GroupState.FENCED)
        {
            isDeliveryFenced = true;
            deliveryFencedNs = nowNs;
            environment.counters().add(ConsumerCounters.FENCES, 1);
            environment.listener().onDeliveryFenced(nowNs - lastConfirmedNs);
        }
        else if (isDeliveryFenced && !isLate)
        {
            isDeliveryFenced = false;
            environment.listener().onDeliveryUnfenced(nowNs - deliveryFencedNs);
        }
    }

    /** Returns the time until which records may be delivered; a time in the past for a member that was removed. */
    long deliverUntilNs(final long fenceNs)
    {
        if (state == GroupState.FENCED)
        {
            return environment.clock().nowNs() - 1;
        }
        final long untilNs = lastConfirmedNs + fenceNs;
        return isRevoking && revokeUntilNs - untilNs < 0 ? revokeUntilNs : untilNs;
    }

    public long revokeUntilNs()
    {
        return revokeUntilNs;
    }

    /** Returns the time at which the last confirmed request was sent. */
    public long lastConfirmedNs()
    {
        return lastConfirmedNs;
    }

    void intervalNs(final long newIntervalNs)
    {
        intervalNs = newIntervalNs;
    }

    /** Returns the time in nanoseconds for which records are delivered after the last confirmation; 0 for no limit. */
    long fenceNs()
    {
        return settings.fenceAfterMs != ConsumerSettings.Group.FENCE_AFTER_INTERVALS ?
            ClientSettings.ns(settings.fenceAfterMs) :
            isClassic() ? classicFenceNs(ClientSettings.ns(settings.sessionTimeoutMs)) :
            Math.min(MAX_FENCE_NS, FENCE_INTERVALS * intervalNs);
    }

    /** Returns a time between the heartbeat interval and the session timeout. */
    private long classicFenceNs(final long sessionNs)
    {
        return Math.max(sessionNs / 9 * 8, (sessionNs + intervalNs) / 2);
    }

    private boolean isConsistent()
    {
        // A consumer that was removed, has left or has failed is not a member, and after the end it owns nothing.
        return (epoch == 0 || state != GroupState.FENCED && !isEnded()) && (owned.isEmpty() || !isEnded()) &&
            // Only assigned partitions are owned.
            owned.length() <= capacity && target.length() <= capacity && read.length() <= capacity &&
            // The coordinator has confirmed only changes that were made.
            ownedChanges - confirmedChanges >= 0;
    }

    short errorCode()
    {
        return errorCode;
    }

    public String failure()
    {
        return GroupErrors.failure(failedApi, errorCode, brokerMessage, isEnded());
    }

    /** Returns the sentence for the error handler about the last error; null if there is nothing to report. */
    String report()
    {
        return GroupErrors.report(failedApi, errorCode, brokerMessage, memberId, settings.instanceId, isEnded());
    }

    String protocolReason(final String broker)
    {
        if (settings.protocol != GroupProtocol.AUTO)
        {
            return "The settings of the group name it.";
        }
        return isGroupClassic ? "The coordinator, " + broker + ", does not convert the group, which is a classic one." :
            isClassic() ? "The coordinator, " + broker + ", does not have the protocol consumer." :
            "The coordinator has the newer protocol.";
    }
}
