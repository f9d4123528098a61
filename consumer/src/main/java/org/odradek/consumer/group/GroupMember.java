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
 * to it, and those that it owns. A {@link MemberProtocol} sends the requests and stores the results here.
 * {@code GroupReconciliation} takes and gives up partitions, and reports each change with {@link #own} and
 * {@link #disown}; the next heartbeat acknowledges the change. Nothing is delivered if no heartbeat was confirmed for
 * so long that the coordinator may have removed the member, or if partitions were not given up in time.
 * <pre>
 *  JOINING ──assigned──▶ RECONCILING ──all is acknowledged──▶ STABLE
 *   ▲ └──assigned nothing───────────────────────────────────────▲ │
 *   │                         ▲─────assigned something else───────┘
 *   │
 *  FENCED ◀──removed by the coordinator── RECONCILING, STABLE
 *
 *  any state ──leave, answered──▶ LEFT         any state ──error that no retry can end──▶ FAILED
 * </pre>
 * Only {@link #rejoin} ends the state FENCED, when {@code GroupReconciliation} has dropped all partitions.
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
    /** True if a request of the protocol was answered. */
    boolean isAnswered;
    private boolean isJoinReported;
    private String memberId;
    private int epoch;
    /** True if the coordinator has refused the newer protocol because of the other members of the group. */
    private boolean isGroupClassic;
    private boolean isLeaving;
    /**
     * True if the coordinator may know the member, which then has to leave; always false for a static member of a
     * classic group.
     */
    boolean hasJoined;
    /**
     * True if the next heartbeat must be a full one, and is sent before other requests: the member does not know
     * whether the coordinator still has it, or it could not read the last assignment.
     */
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
    /** The partitions that are assigned. */
    private final BitSet target = new BitSet();
    /** The partitions of the assignment that is being read. */
    private final BitSet read = new BitSet();
    /** A number above the ids of all partitions that were ever assigned. */
    private int capacity;
    /**
     * The number of changes of the owned partitions; a heartbeat that lists these partitions acknowledges that state.
     */
    int ownedChanges;
    private int confirmedChanges;
    private int targetChanges;
    /**
     * True while the coordinator waits for partitions to be given up. The next field is the time until which it waits.
     */
    private boolean isRevoking;
    private long revokeUntilNs;
    private boolean isReadUnknown;
    /** True if it was reported that delivery has stopped. The next field is the time of the report. */
    boolean isDeliveryFenced;
    private long deliveryFencedNs;
    /** The number of times that the topic was created again, as of the last check. */
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

    /** Notes that the coordinator has confirmed the membership with its answer to a request. */
    void onConfirmed(final int newEpoch, final long sentNs)
    {
        lastConfirmedNs = sentNs;
        epoch = newEpoch;
        isInDoubt = false;
        isUnreleased = false;
        errorCode = ErrorCode.NONE;
        environment.counters().set(ConsumerCounters.LAST_HEARTBEAT_MS, environment.clock().epochMs());
    }

    /** Notes that the coordinator has been notified of the partitions that were owned after a number of changes. */
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
     * Takes the assignment that was read. Partitions of an unknown topic id belong to the consumer's topic, which was
     * created again: they cannot be taken until metadata has arrived, and then a full heartbeat makes the coordinator
     * send the assignment again.
     *
     * @return false if the assignment is the same as before.
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
     * @param isJoining true if the request was part of a join.
     * @param message   the message of the broker; may be null.
     * @return the result of {@link GroupErrors#action}, of which this method has done the part that both protocols
     *         share.
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

    /**
     * Notes that the coordinator's state of the member is not certain: the next heartbeat is full, and is due at once.
     */
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

    /**
     * Makes a full heartbeat due at once, because another request or a new coordinator casts doubt on the membership.
     */
    void checkMembership()
    {
        isInDoubt = true;
        dueNs = environment.clock().nowNs();
    }

    /**
     * Handles the answer to a leave. After an error that is not retriable, such as UNKNOWN_MEMBER_ID, the member counts
     * as having left.
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

    /** Returns true if a request of the protocol was answered since the last call. */
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

    /** Handles a request that has failed permanently without an answer, so there is no message of the broker. */
    void fail(final ApiKey api, final short code)
    {
        failedApi = api;
        brokerMessage = null;
        fail(code);
    }

    /**
     * Handles a permanent failure. A coordinator that does not support the protocol, or does not convert a classic
     * group, ends the membership, unless another protocol may be used.
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

    /** Takes a partition that is assigned. */
    public void own(final int partition)
    {
        owned.set(partition);
        ownedChanges++;
        assert isConsistent() && target.get(partition);
    }

    /**
     * Gives up a partition. Before this call its offset was committed or the commit was given up, because other members
     * may read the partition from now on.
     */
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
     * Notes that the owned partitions are the assigned ones. The next heartbeat acknowledges that, even if the
     * coordinator has withdrawn an assignment and nothing had to change: the coordinator waits for an acknowledgement
     * of each assignment.
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

    /**
     * Returns true if the topic was deleted and created again since the last call, so that the owned partitions are
     * gone.
     */
    public boolean takeTopicRecreated()
    {
        final boolean isRecreated = topic.recreations() != seenRecreations;
        seenRecreations = topic.recreations();
        return isRecreated;
    }

    /** Drops all partitions and stays a member, which is assigned nothing until the coordinator has answered. */
    public void dropAll()
    {
        dropOwned();
        dropTarget();
        ownedChanges++;
        isTargetLost = true;
        checkMembership();
    }

    /** Makes the leave the next request of the member, which has given up all partitions before this call. */
    public void leave()
    {
        isLeaving = true;
        if (!hasJoined && !isEnded())
        {
            end(GroupState.LEFT);
        }
    }

    /**
     * Returns true if the coordinator may know the member, which then has to leave; always false for a static member of
     * a classic group.
     */
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

    /** Returns true if the coordinator has assigned a partition. */
    public boolean isTarget(final int partition)
    {
        return target.get(partition);
    }

    /** Returns true if the assignment was dropped, and has not been received again. */
    boolean isTargetLost()
    {
        return isTargetLost;
    }

    /** Returns a number above the ids of all assigned partitions. */
    public int capacity()
    {
        return capacity;
    }

    boolean isInDoubt()
    {
        return isInDoubt;
    }

    /** Returns true if metadata of the topic has arrived. A member does not join before that. */
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

    /** Reports that delivery has stopped because the membership is not certain, or that it continues. */
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
     * Returns the time until which records may be delivered. A member that was removed delivers none. A member also
     * delivers none if it may have been removed, because no heartbeat was confirmed for too long or partitions were not
     * given up in time.
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
     * Returns the time at which the coordinator removes the member if it still owns partitions that it must give up.
     * The timeout is counted from the sending of the request whose answer revoked them, because the answer may be read
     * long after its arrival.
     */
    public long revokeUntilNs()
    {
        return revokeUntilNs;
    }

    /** Returns the time at which the last confirmed request was sent. */
    public long lastConfirmedNs()
    {
        return lastConfirmedNs;
    }

    /** Sets the interval between heartbeats, in nanoseconds. */
    void intervalNs(final long newIntervalNs)
    {
        intervalNs = newIntervalNs;
    }

    /**
     * Returns the time in nanoseconds for which records are delivered after the last confirmation. If no other time is
     * set, this time is less than a session of brokers with default settings.
     */
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

    /**
     * Returns the sentence for the error handler about the last error; null without an error, or if the member recovers
     * itself.
     */
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
