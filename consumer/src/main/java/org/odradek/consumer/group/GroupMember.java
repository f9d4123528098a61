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
 * The membership of a consumer group: the member's epoch, the partitions that are assigned to it, and those that it
 * owns. A {@link MemberProtocol} stores the results of its requests here. {@code GroupReconciliation} reports the
 * partitions that it takes and gives up with {@link #own} and {@link #disown}, and a later heartbeat acknowledges them.
 * <pre>
 *  JOINING ──assigned──▶ RECONCILING ──all is acknowledged──▶ STABLE
 *   ▲ └──assigned nothing───────────────────────────────────────▲ │
 *   │                         ▲─────assigned something else───────┘
 *   │
 *  FENCED ◀──removed by the coordinator── RECONCILING, STABLE
 *
 *  any state ──leave, answered──▶ LEFT         any state ──error that no retry can end──▶ FAILED
 * </pre>
 * {@link #rejoin} ends the state FENCED.
 */
public final class GroupMember
{
    /**
     * The longest time without a confirmed heartbeat in which a member of a consumer group delivers records, if no
     * other time is set. By default a session lasts 45 s.
     */
    private static final long MAX_FENCE_NS = 40_000_000_000L;
    private static final int FENCE_INTERVALS = 8;

    /**
     * The time for which a member waits for its instance id. A static member that was killed holds the id until its
     * session expires, which takes at most 60 s unless the brokers' settings are changed.
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
     * True if the coordinator may know the member, which then has to leave; always false for a static member of a
     * classic group.
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
    /** The partitions of the assignment that is being read. */
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
    /** The broker's message about the last error; may be null. */
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

    /** Notes that the coordinator knows the owned partitions as of this value of {@link #ownedChanges}. */
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
     * Takes the assignment that was read. If it has an unknown topic id, metadata is requested, and the next heartbeat
     * is full, so that the coordinator sends the assignment again.
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

    /** Begins to give up all partitions, because the group will assign all partitions again. */
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
     * Handles an error with which a request of the protocol was answered.
     *
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

    /** Notes that the coordinator has moved. The new coordinator restarts the sessions of the members that it loads. */
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
     * Handles the answer to a leave. After an error that is not retriable, the member counts as having left.
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

    /** Returns true once: after the member has joined for the first time. */
    boolean takeJoined()
    {
        final boolean isTaken = epoch > 0 && !isJoinReported;
        isJoinReported |= isTaken;
        return isTaken;
    }

    /** Handles a request that has failed permanently without an answer. */
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

    /** Gives up a partition, after a commit of its offset has ended. */
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

    /**
     * Notes that the owned partitions are the assigned ones. The next heartbeat acknowledges that even if no partition
     * has changed.
     */
    public void reconciled()
    {
        if (epoch > 0 && ownedChanges == confirmedChanges)
        {
            ownedChanges++;
        }
    }

    /** Joins again, after all partitions have been dropped. */
    public void rejoin()
    {
        dropOwned();
        dropTarget();
        confirmedChanges = ownedChanges;
        state = GroupState.JOINING;
        assert isConsistent();
    }

    /** Returns true if the topic was deleted and created again since the last call. */
    public boolean takeTopicRecreated()
    {
        final boolean isRecreated = topic.recreations() != seenRecreations;
        seenRecreations = topic.recreations();
        return isRecreated;
    }

    /** Drops all partitions, and stays a member. */
    public void dropAll()
    {
        dropOwned();
        dropTarget();
        ownedChanges++;
        isTargetLost = true;
        checkMembership();
    }

    /** Begins to leave, after all partitions have been given up. */
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

    /** Returns true if the member has left or failed. Both states are final. */
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

    /** Returns the protocol by which the member joins, or has joined: CONSUMER or CLASSIC. */
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

    /** Returns true if the coordinator has been notified of the partitions that are owned now. */
    boolean isAcknowledged()
    {
        return ownedChanges == confirmedChanges;
    }

    /** Returns a number that changes whenever the assignment changes. */
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

    /**
     * Stores in the table the time until which records may be delivered, unless the settings do not limit this time.
     */
    public void extendDelivery()
    {
        final long fenceNs = fenceNs();
        if (fenceNs > 0)
        {
            table.deliverUntil(deliverUntilNs(fenceNs));
        }
    }

    /** Reports that delivery has stopped, or that it continues. */
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

    /** Returns the time until which records may be delivered. For a member that was removed, this time has passed. */
    long deliverUntilNs(final long fenceNs)
    {
        if (state == GroupState.FENCED)
        {
            return environment.clock().nowNs() - 1;
        }
        final long untilNs = lastConfirmedNs + fenceNs;
        return isRevoking && revokeUntilNs - untilNs < 0 ? revokeUntilNs : untilNs;
    }

    /** Returns the time until which partitions must be given up. */
    public long revokeUntilNs()
    {
        return revokeUntilNs;
    }

    /** Returns the time at which the last confirmed request was sent. */
    public long lastConfirmedNs()
    {
        return lastConfirmedNs;
    }

    /** Stores {@link MemberProtocol#intervalNs}, the heartbeat interval in nanoseconds. */
    void intervalNs(final long newIntervalNs)
    {
        intervalNs = newIntervalNs;
    }

    /** Returns the time in nanoseconds for which records are delivered after the last confirmation; 0 for no limit. */
    long fenceNs()
    {
        return settings.fenceAfterMs != ConsumerSettings.Group.FENCE_AFTER_INTERVALS ?
            ClientSettings.ns(settings.fenceAfterMs) :
            isClassic() ? ClientSettings.ns(settings.sessionTimeoutMs) / 9 * 8 :
            Math.min(MAX_FENCE_NS, FENCE_INTERVALS * intervalNs);
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

    /** Returns the error of the last response, or the error that ended the membership if the member has failed. */
    short errorCode()
    {
        return errorCode;
    }

    /** Returns the reason why the member was fenced or has failed, in one sentence. */
    public String failure()
    {
        return GroupErrors.failure(failedApi, errorCode, brokerMessage, isEnded());
    }

    /** Returns the sentence for the error handler about the last error; null if there is nothing to report. */
    String report()
    {
        return GroupErrors.report(failedApi, errorCode, brokerMessage, memberId, settings.instanceId, isEnded());
    }

    /** Returns the reason why the member joins by its protocol, in one sentence. */
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
