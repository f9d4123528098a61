// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.agrona.DirectBuffer;
import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.net.Backoff;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.ConsumerGroupHeartbeatRequestEncoder;
import org.odradek.protocol.control.ConsumerGroupHeartbeatResponseFlyweight;

import java.util.Arrays;

/**
 * The membership of a consumer group as the coordinator sees it (KIP-848): the member's epoch, the partitions that the
 * coordinator has assigned, and the heartbeat, which is the only request of the protocol. The layer above takes and
 * gives up partitions, and reports each here with {@link #own} and {@link #disown}; the next heartbeat acknowledges it.
 * <pre>
 *  JOINING --assigned--> RECONCILING --all is acknowledged--> STABLE
 *     ^  \--assigned nothing------------------------------------^ |
 *     |                      ^----------assigned something else---+
 *     |
 *  FENCED &lt;--removed by the coordinator-- RECONCILING, STABLE
 *
 *  any state --leave, answered--> LEFT         any state --error that no retry can end--> FAILED
 * </pre>
 * Only {@link #rejoin} ends the state FENCED, when the layer above has dropped all partitions.
 * <p>
 * Heartbeats run on the time of the clock: a session expires even if nobody polls.
 */
public final class GroupMember implements ControlRequest
{
    /** The interval between heartbeats until a broker has sent its own. */
    private static final long INTERVAL_NS_DEFAULT = 5_000_000_000L;

    /** Longest interval for a while after the assignment has changed, because more changes are likely to follow. */
    private static final long SOON_NS = 500_000_000L;

    /** How many intervals of the broker that while lasts: other members learn of a change within one. */
    private static final int SOON_INTERVALS = 2;

    /** A static member that was killed holds its instance id until its session expires, which takes 60 s at most. */
    private static final long UNRELEASED_NS = 90_000_000_000L;

    private static final int MAX_PARTITIONS = 1_000_000;

    /** The forms of a heartbeat. */
    private static final int KEEP_ALIVE = 0;
    private static final int OWNED = 1;
    private static final int FULL = 2;
    private static final int LEAVE = 3;

    /**
     * What a member is.
     *
     * @param memberId           unique among all members of all times.
     * @param instanceId         of a static member, or null.
     * @param rackId             or null.
     * @param assignor           of the broker, or null for its first.
     * @param rebalanceTimeoutMs time for giving up partitions.
     * @param maxIntervalMs      limit of the interval between heartbeats; 0 for the broker's.
     */
    public record Settings(
        String memberId,
        String instanceId,
        String rackId,
        String assignor,
        int rebalanceTimeoutMs,
        int maxIntervalMs)
    {
    }

    private GroupState state = GroupState.JOINING;
    private int epoch;
    private int sentForm;
    private boolean isFullDue = true;
    private boolean isLeaving;
    /** The coordinator refuses to let the member join while it takes it for a member of another epoch. */
    private boolean isLeavingFirst;
    private boolean hasJoined;
    private short errorCode;
    private long dueNs;
    private long sentNs;
    private long lastConfirmedNs;
    private long changedNs;
    private long unreleasedNs;
    private boolean isUnreleased;
    private long intervalNs = INTERVAL_NS_DEFAULT;
    private int ownedCount;
    /** Incremented by each change of what is owned; a heartbeat that lists it acknowledges that state. */
    private int ownedChanges;
    private int sentChanges;
    private int confirmedChanges;
    private int targetChanges;
    private boolean[] owned = {};
    private boolean[] target = {};
    private boolean[] read = {};
    /** Of the topic that is owned. */
    private int seenRecreations;
    /** What the broker said about the last error; may be null. */
    private String brokerMessage;
    private final Settings settings;
    private final Backoff backoff;
    private final FetchTopic topic;
    private final PartitionTable table;
    private final ConsumerEnvironment environment;
    private final ConsumerGroupHeartbeatRequestEncoder request;
    private final ConsumerGroupHeartbeatResponseFlyweight response = new ConsumerGroupHeartbeatResponseFlyweight();

    GroupMember(
        final String groupId,
        final Settings settings,
        final ControlSettings controlSettings,
        final FetchTopic topic,
        final PartitionTable table,
        final ConsumerEnvironment environment)
    {
        this.settings = settings;
        this.topic = topic;
        seenRecreations = topic.recreations();
        this.table = table;
        this.environment = environment;
        backoff = controlSettings.retryBackoff();
        request = new ConsumerGroupHeartbeatRequestEncoder(
            controlSettings.connectionSettings().clientId(), groupId, settings.memberId(), topic.name())
            .instanceId(settings.instanceId())
            .rackId(settings.rackId())
            .assignor(settings.assignor())
            .rebalanceTimeoutMs(settings.rebalanceTimeoutMs());
        dueNs = environment.clock().nowNs();
        lastConfirmedNs = dueNs;
    }

    /** Whether a heartbeat is to be sent now, as far as the member is concerned. */
    boolean isDue(final long nowNs)
    {
        return canSend() && (hasNews() || dueNs - nowNs <= 0);
    }

    private boolean hasNews()
    {
        return isLeaving || ownedChanges != confirmedChanges;
    }

    /**
     * Partitions are assigned by the id of the topic, so a member does not join before metadata has arrived. Brokers
     * that have no ids of topics have no such groups either, which the join finds out.
     */
    private boolean canSend()
    {
        return isLeaving ? !isEnded() : state == GroupState.JOINING && table.capacity() > 0 || epoch > 0;
    }

    /** Returns when the next heartbeat is due, if none is due now. */
    long nextDueNs(final long otherwiseNs)
    {
        return canSend() && dueNs - otherwiseNs < 0 ? dueNs : otherwiseNs;
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        frame.ensureCapacity(request.maxFrameLength(ownedCount));
        sentNs = environment.clock().readNs();
        sentForm = nextForm();
        sentChanges = ownedChanges;
        environment.counters().add(ConsumerCounters.HEARTBEATS, 1);
        switch (sentForm)
        {
            case LEAVE:
                return request.leave(frame.buffer(), !isLeaving);
            case KEEP_ALIVE:
                return request.keepAlive(frame.buffer(), epoch);
            case OWNED:
                encodeTopic().beginOwned(frame.buffer(), epoch, ownedCount);
                return encodeOwned();
            default:
                hasJoined = true;
                encodeTopic().beginFull(frame.buffer(), epoch, ownedCount);
                return encodeOwned();
        }
    }

    /** Without partitions the request is full, or else the response to it might lack an assignment that was lost. */
    private int nextForm()
    {
        if (isLeaving || isLeavingFirst)
        {
            return LEAVE;
        }
        if (isFullDue || ownedCount == 0)
        {
            return FULL;
        }
        return ownedChanges == confirmedChanges ? KEEP_ALIVE : OWNED;
    }

    private ConsumerGroupHeartbeatRequestEncoder encodeTopic()
    {
        return request.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits());
    }

    private int encodeOwned()
    {
        for (int p = 0; p < owned.length; p++)
        {
            if (owned[p])
            {
                request.entry(p);
            }
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
        errorCode = response.errorCode();
        if (sentForm == LEAVE)
        {
            return onLeft();
        }
        if (errorCode == ErrorCode.NONE && response.memberEpoch() > 0)
        {
            onConfirmed();
            return true;
        }
        brokerMessage = GroupErrors.message(response);
        onError();
        return false;
    }

    private void onConfirmed()
    {
        final boolean isNew = epoch == 0;
        lastConfirmedNs = sentNs;
        epoch = response.memberEpoch();
        isFullDue = false;
        isUnreleased = false;
        confirmedChanges = sentForm == KEEP_ALIVE ? confirmedChanges : sentChanges;
        changedNs = isNew ? sentNs : changedNs;
        intervalNs = response.heartbeatIntervalMs() > 0 ? response.heartbeatIntervalMs() * 1_000_000L : intervalNs;
        if (response.hasAssignment() && !isLeaving)
        {
            readTarget();
        }
        if (isNew || state != GroupState.STABLE || response.hasAssignment())
        {
            state = isReconciled() ? GroupState.STABLE : GroupState.RECONCILING;
        }
        dueNs = sentNs + currentIntervalNs();
        environment.counters().max(ConsumerCounters.LAST_HEARTBEAT_MS, environment.clock().epochMs());
    }

    private long currentIntervalNs()
    {
        final long ceilingNs = settings.maxIntervalMs() == 0 ? intervalNs : settings.maxIntervalMs() * 1_000_000L;
        final boolean isSoon = sentNs - changedNs < SOON_INTERVALS * intervalNs;
        return Math.min(intervalNs, isSoon ? Math.min(ceilingNs, SOON_NS) : ceilingNs);
    }

    /**
     * Reads an assignment. Partitions of an unknown topic id are those of our topic, which was created again: nothing
     * is known of them until metadata has arrived, and a full heartbeat has the assignment sent again then.
     */
    private void readTarget()
    {
        boolean hasOurs = false;
        boolean hasUnknown = false;
        Arrays.fill(read, false);
        while (response.nextPartition())
        {
            final int partition = response.partition();
            if (!topic.isAnswered(response.topic()))
            {
                hasUnknown = true;
            }
            else if (partition >= 0 && partition < MAX_PARTITIONS)
            {
                ensureCapacity(partition + 1);
                read[partition] = true;
                hasOurs = true;
            }
        }
        if (hasUnknown)
        {
            isFullDue = true;
            table.requestMetadata();
        }
        if ((hasOurs || !hasUnknown) && !Arrays.equals(read, target))
        {
            final boolean[] previous = target;
            target = read;
            read = previous;
            targetChanges++;
            changedNs = sentNs;
            environment.counters().add(ConsumerCounters.REBALANCES, 1);
        }
    }

    private void ensureCapacity(final int count)
    {
        if (count > owned.length)
        {
            owned = Arrays.copyOf(owned, count);
            target = Arrays.copyOf(target, count);
            read = Arrays.copyOf(read, count);
        }
    }

    private boolean isReconciled()
    {
        return ownedChanges == confirmedChanges && Arrays.equals(owned, target);
    }

    private void onError()
    {
        onFailed();
        switch (GroupErrors.action(errorCode, epoch == 0))
        {
            case GroupErrors.RETRY_LATER:
                dueNs = sentNs + intervalNs;
                break;
            case GroupErrors.LEAVE_FIRST:
                isLeavingFirst = true;
                break;
            case GroupErrors.REJOIN:
                state = GroupState.FENCED;
                epoch = 0;
                break;
            case GroupErrors.WAIT_FOR_RELEASE:
                unreleasedNs = isUnreleased ? unreleasedNs : sentNs;
                isUnreleased = true;
                if (sentNs - unreleasedNs > UNRELEASED_NS)
                {
                    fail(errorCode);
                }
                break;
            case GroupErrors.FAIL:
                fail(errorCode);
                break;
            default:
                break;
        }
    }

    /** What the coordinator knows is not certain any more: the next heartbeat holds everything, and is due at once. */
    private void onFailed()
    {
        environment.counters().add(ConsumerCounters.HEARTBEAT_FAILURES, 1);
        checkMembership();
    }

    /** Sends a full heartbeat at once, because another request or a new coordinator casts doubt on the membership. */
    void checkMembership()
    {
        isFullDue = true;
        dueNs = environment.clock().nowNs();
    }

    private boolean onLeft()
    {
        isLeavingFirst = false;
        if (ControlRequest.isRetriable(errorCode))
        {
            onFailed();
            return false;
        }
        if (isLeaving)
        {
            end(GroupState.LEFT);
        }
        // UNKNOWN_MEMBER_ID means here that the member has left.
        errorCode = ErrorCode.NONE;
        return true;
    }

    @Override
    public void onLost()
    {
        onFailed();
    }

    void fail(final short newErrorCode)
    {
        errorCode = newErrorCode;
        end(GroupState.FAILED);
    }

    private void end(final GroupState end)
    {
        state = end;
        epoch = 0;
        ownedCount = 0;
    }

    /** Takes a partition that is assigned. */
    public void own(final int partition)
    {
        owned[partition] = true;
        ownedCount++;
        ownedChanges++;
    }

    /** Gives up a partition. Its offset must have been committed, because others may read it from now on. */
    public void disown(final int partition)
    {
        owned[partition] = false;
        ownedCount--;
        ownedChanges++;
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

    /** Joins again under the same id, after all partitions have been dropped. */
    public void rejoin()
    {
        Arrays.fill(owned, false);
        Arrays.fill(target, false);
        ownedCount = 0;
        confirmedChanges = ownedChanges;
        targetChanges++;
        state = GroupState.JOINING;
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
        Arrays.fill(owned, false);
        Arrays.fill(target, false);
        ownedCount = 0;
        ownedChanges++;
        targetChanges++;
        checkMembership();
    }

    /** Leaves the group once the heartbeat in flight has been answered. All partitions must have been given up. */
    public void leave()
    {
        isLeaving = true;
        if (!hasJoined && !isEnded())
        {
            end(GroupState.LEFT);
        }
    }

    /** Whether it has left or failed, both of which are final. */
    public boolean isEnded()
    {
        return state == GroupState.LEFT || state == GroupState.FAILED;
    }

    public GroupState state()
    {
        return state;
    }

    public String memberId()
    {
        return settings.memberId();
    }

    String instanceId()
    {
        return settings.instanceId();
    }

    /** The epoch of the last confirmed heartbeat; 0 while it is not a member. */
    public int epoch()
    {
        return epoch;
    }

    public int ownedCount()
    {
        return ownedCount;
    }

    /** Changes whenever the assignment does. */
    public int targetChanges()
    {
        return targetChanges;
    }

    /** Whether the coordinator has assigned a partition. */
    public boolean isTarget(final int partition)
    {
        return partition < target.length && target[partition];
    }

    /** The ids of assigned partitions are below this. */
    public int capacity()
    {
        return target.length;
    }

    /** When the last heartbeat that was confirmed had been sent. */
    public long lastConfirmedNs()
    {
        return lastConfirmedNs;
    }

    /** The broker's interval between heartbeats. */
    public long intervalNs()
    {
        return intervalNs;
    }

    /** The error of the last response; of a member that has failed, the error that ended the membership. */
    short errorCode()
    {
        return errorCode;
    }

    /** Why it was fenced or has failed, in one sentence. */
    public String failure()
    {
        return GroupErrors.failure(errorCode, brokerMessage, isEnded());
    }

    /** The sentence for the error handler about the last error; null for none. */
    String report()
    {
        return GroupErrors.report(errorCode, brokerMessage, memberId(), instanceId(), isEnded());
    }

    @Override
    public ApiKey apiKey()
    {
        return ApiKey.CONSUMER_GROUP_HEARTBEAT;
    }

    @Override
    public Backoff backoff()
    {
        return backoff;
    }

    @Override
    public int throttleTimeMs()
    {
        return response.throttleTimeMs();
    }
}
