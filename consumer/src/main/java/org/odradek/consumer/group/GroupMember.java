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
 * The membership of a consumer group as the coordinator sees it: the member's epoch, the partitions that are assigned
 * to it, and those that it owns. A {@link MemberProtocol} sends the requests and stores here what it learns. The layer
 * above takes and gives up partitions, and reports each here with {@link #own} and {@link #disown}; the next heartbeat
 * acknowledges it. Nothing is delivered while no heartbeat was confirmed for so long that the coordinator may have
 * removed the member, or after partitions were not given up in time.
 * <pre>
 *  JOINING ──assigned──▶ RECONCILING ──all is acknowledged──▶ STABLE
 *   ▲ └──assigned nothing───────────────────────────────────────▲ │
 *   │                         ▲─────assigned something else───────┘
 *   │
 *  FENCED ◀──removed by the coordinator── RECONCILING, STABLE
 *
 *  any state ──leave, answered──▶ LEFT         any state ──error that no retry can end──▶ FAILED
 * </pre>
 * Only {@link #rejoin} ends the state FENCED, when the layer above has dropped all partitions.
 */
public final class GroupMember
{
    /** The longest a consumer group delivers without a confirmed heartbeat, unless set: sessions last 45 s. */
    private static final long MAX_FENCE_NS = 40_000_000_000L;
    private static final int FENCE_INTERVALS = 8;

    /** A static member that was killed holds its instance id until its session expires, which takes 60 s at most. */
    private static final long UNRELEASED_NS = 90_000_000_000L;

    private GroupState state = GroupState.JOINING;
    private GroupProtocol protocol;
    /** A request of the protocol was answered. */
    boolean isAnswered;
    private boolean isJoinReported;
    private String memberId;
    private int epoch;
    /** The coordinator has refused the newer protocol because of the other members of the group. */
    private boolean isGroupClassic;
    private boolean isLeaving;
    /** The coordinator may know the member, which then has to leave. */
    boolean hasJoined;
    /** What the coordinator knows is not certain. */
    private boolean isInDoubt = true;
    private boolean isTargetLost;
    private ApiKey failedApi = ApiKey.FIND_COORDINATOR;
    private short errorCode;
    private long dueNs;
    private long lastConfirmedNs;
    private long unreleasedNs;
    private boolean isUnreleased;
    private long intervalNs;
    /** The partitions that are owned. */
    final BitSet owned = new BitSet();
    /** Those that are assigned. */
    private final BitSet target = new BitSet();
    /** Those of the assignment that is being read. */
    private final BitSet read = new BitSet();
    /** The ids of assigned partitions have always been below this. */
    private int capacity;
    /** Incremented by each change of what is owned; a heartbeat that lists it acknowledges that state. */
    int ownedChanges;
    private int confirmedChanges;
    private int targetChanges;
    /** Whether the coordinator waits for partitions to be given up, and until when. */
    private boolean isRevoking;
    private long revokeUntilNs;
    private boolean isReadUnknown;
    /** Delivery has stopped, which has been reported, and since when. */
    boolean isDeliveryFenced;
    private long deliveryFencedNs;
    /** Of the topic that is owned. */
    private int seenRecreations;
    /** What the broker said about the last error; may be null. */
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
        // Unique among all members of all times; a classic member is given another.
        memberId = settings.memberId == null ? UUID.randomUUID().toString() : settings.memberId;
        dueNs = environment.clock().nowNs();
        lastConfirmedNs = dueNs;
    }

    /** The coordinator has confirmed the membership with its answer to a request. */
    void onConfirmed(final int newEpoch, final long sentNs)
    {
        lastConfirmedNs = sentNs;
        epoch = newEpoch;
        isInDoubt = false;
        isUnreleased = false;
        errorCode = ErrorCode.NONE;
        environment.counters().set(ConsumerCounters.LAST_HEARTBEAT_MS, environment.clock().epochMs());
    }

    /** The coordinator knows what was owned after a number of changes. */
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

    /** Begins to read an assignment. */
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
     * Takes the assignment that was read. Partitions of an unknown topic id are those of our topic, which was created
     * again: nothing is known of them until metadata has arrived, and a full heartbeat has the assignment sent again
     * then.
     *
     * @return false if it is the same as before.
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

    /** All partitions are to be given up, because the group divides them again. */
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
     * A request of the protocol was answered with an error.
     *
     * @param isJoining whether the coordinator did not count the member as one before.
     * @param message   of the broker; may be null.
     * @return what {@link GroupErrors#action} says, which has been done as far as it is the same for each protocol.
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

    /** What the coordinator knows is not certain any more: the next heartbeat holds everything, and is due at once. */
    void onFailed()
    {
        environment.counters().add(ConsumerCounters.HEARTBEAT_FAILURES, 1);
        checkMembership();
    }

    /** Another coordinator counts the sessions of the members that it loads from their beginning. */
    void onCoordinatorMoved()
    {
        isUnreleased = false;
    }

    /** Has a full heartbeat sent at once: another request or a new coordinator casts doubt on the membership. */
    void checkMembership()
    {
        isInDoubt = true;
        dueNs = environment.clock().nowNs();
    }

    /**
     * A leave was answered. UNKNOWN_MEMBER_ID means that the member has left, too.
     *
     * @return false if the error may pass.
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

    /** Whether a request of the protocol was answered since the last call. */
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

    /** A request has failed for good. Without an answer to it there are no words of the broker. */
    void fail(final ApiKey api, final short code)
    {
        failedApi = api;
        brokerMessage = null;
        fail(code);
    }

    /**
     * A coordinator that does not have the protocol, or does not convert a classic group, ends the membership, unless
     * another protocol may be used.
     */
    private void fail(final short newErrorCode)
    {
        errorCode = newErrorCode;
        final boolean isOfGroup = newErrorCode == ErrorCode.GROUP_ID_NOT_FOUND;
        if ((newErrorCode == ErrorCode.UNSUPPORTED_VERSION || isOfGroup) &&
            settings.protocol == GroupProtocol.AUTO && protocol == GroupProtocol.CONSUMER && epoch == 0)
        {
            isGroupClassic = isOfGroup;
            protocol = GroupProtocol.CLASSIC;
            // A static member of a classic group does not leave, and this one is a member of nothing yet.
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

    /** Takes a partition that is assigned. */
    public void own(final int partition)
    {
        owned.set(partition);
        ownedChanges++;
        assert isConsistent() && target.get(partition);
    }

    /** Gives up a partition. Its offset must have been committed, because others may read it from now on. */
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
     * What is owned is what is assigned. The next heartbeat acknowledges that, even if nothing had to change because
     * the coordinator has taken back an assignment: it waits for an answer to each.
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

    /** Whether the topic was deleted and created again since the last call, so that what is owned is gone. */
    public boolean takeTopicRecreated()
    {
        final boolean isRecreated = topic.recreations() != seenRecreations;
        seenRecreations = topic.recreations();
        return isRecreated;
    }

    /** Stays a member that owns nothing, and is assigned nothing until the coordinator has answered. */
    public void dropAll()
    {
        dropOwned();
        dropTarget();
        ownedChanges++;
        isTargetLost = true;
        checkMembership();
    }

    /** Leaves the group once the request in flight has been answered. All partitions must have been given up. */
    public void leave()
    {
        isLeaving = true;
        if (!hasJoined && !isEnded())
        {
            end(GroupState.LEFT);
        }
    }

    /** Returns whether it has asked to join, so that the coordinator may know it. */
    boolean hasJoined()
    {
        return hasJoined;
    }

    /** Whether it has left or failed, both of which are final. */
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

    /** By which it joins, or has joined: CONSUMER or CLASSIC. */
    public GroupProtocol protocol()
    {
        return protocol;
    }

    /** Empty while a classic member has been given none. */
    public String memberId()
    {
        return memberId;
    }

    void memberId(final String id)
    {
        memberId = id;
    }

    /** The epoch, or generation, of the last confirmation; 0 while it is not a member. */
    public int epoch()
    {
        return epoch;
    }

    public int ownedCount()
    {
        return owned.cardinality();
    }

    /** Whether the coordinator knows what is owned now. */
    boolean isAcknowledged()
    {
        return ownedChanges == confirmedChanges;
    }

    /** Changes whenever the assignment does. */
    public int targetChanges()
    {
        return targetChanges;
    }

    /** Whether the coordinator has assigned a partition. */
    public boolean isTarget(final int partition)
    {
        return target.get(partition);
    }

    /** Whether the assignment was dropped, and has not been received again. */
    boolean isTargetLost()
    {
        return isTargetLost;
    }

    /** The ids of assigned partitions are below this. */
    public int capacity()
    {
        return capacity;
    }

    boolean isInDoubt()
    {
        return isInDoubt;
    }

    /** Whether metadata of the topic has arrived, before which a member does not join. */
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

    /** Allows delivery while the member cannot have been removed. The table has the time until which it is allowed. */
    public void extendDelivery()
    {
        final long fenceNs = fenceNs();
        if (fenceNs > 0)
        {
            table.deliverUntil(deliverUntilNs(fenceNs));
        }
    }

    /** Reports that delivery has stopped because the membership is not certain, or continues. */
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

    /**
     * Returns until when records may be delivered: a member that was removed delivers none, nor does one that may have
     * been, because it was silent for long or has not given partitions up in time.
     */
    long deliverUntilNs(final long fenceNs)
    {
        if (state == GroupState.FENCED)
        {
            return environment.clock().nowNs() - 1;
        }
        final long untilNs = lastConfirmedNs + fenceNs;
        return isRevoking && revokeUntilNs - untilNs < 0 ? revokeUntilNs : untilNs;
    }

    /**
     * Returns when the coordinator removes the member if it still owns partitions that it was told to give up. The time
     * begins when the request was sent whose answer said so, because the answer may be read long after it has come.
     */
    public long revokeUntilNs()
    {
        return revokeUntilNs;
    }

    /** When the last request that was confirmed had been sent. */
    public long lastConfirmedNs()
    {
        return lastConfirmedNs;
    }

    /** Sets the interval between heartbeats that the session is made for. */
    void intervalNs(final long newIntervalNs)
    {
        intervalNs = newIntervalNs;
    }

    /** How long records are delivered after the last confirmation: less than a session, unless set. */
    long fenceNs()
    {
        return settings.fenceAfterMs != ConsumerSettings.Group.FENCE_AFTER_INTERVALS ?
            ClientSettings.ns(settings.fenceAfterMs) :
            isClassic() ? ClientSettings.ns(settings.sessionTimeoutMs) / 9 * 8 :
            Math.min(MAX_FENCE_NS, FENCE_INTERVALS * intervalNs);
    }

    private boolean isConsistent()
    {
        // Who was removed, has left or has failed is no member, and after the end nothing is owned.
        return (epoch == 0 || state != GroupState.FENCED && !isEnded()) && (owned.isEmpty() || !isEnded()) &&
            // Only what was assigned is owned.
            owned.length() <= capacity && target.length() <= capacity && read.length() <= capacity &&
            // The coordinator knows of no change that has not been made.
            ownedChanges - confirmedChanges >= 0;
    }

    /** The error of the last response; of a member that has failed, the error that ended the membership. */
    short errorCode()
    {
        return errorCode;
    }

    /** Why it was fenced or has failed, in one sentence. */
    public String failure()
    {
        return GroupErrors.failure(failedApi, errorCode, brokerMessage, isEnded());
    }

    /** The sentence for the error handler about the last error; null for none, or if the member recovers by itself. */
    String report()
    {
        return GroupErrors.report(failedApi, errorCode, brokerMessage, memberId, settings.instanceId, isEnded());
    }

    /** Why it uses the protocol by which it joins. */
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
