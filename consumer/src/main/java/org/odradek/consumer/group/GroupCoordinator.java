// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.consumer.cluster.Brokers;
import org.odradek.consumer.cluster.ControlConnection;
import org.odradek.consumer.cluster.ControlRequest;
import org.odradek.consumer.cluster.UnknownPartitionTimeout;
import org.odradek.consumer.core.Backoff;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.TopicIdentity;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.status.CommittedOffsets;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;

/**
 * Commits and fetches offsets under a group id, and sends the heartbeats if the consumer is a member of the group. It
 * has one connection: to any broker until that has named the group's coordinator, then to the coordinator. The
 * connection is opened on demand, and closed without an event when it is unused.
 * <pre>
 *  UNKNOWN --connect to any--> FINDING --found--> KNOWN
 *     ^                           |                 |
 *     +-- connection lost, or not the coordinator --+
 * </pre>
 */
public final class GroupCoordinator
{
    private static final long MAX_IDLE_NS = 300_000_000_000L;

    /** The first and the longest time for an answer while a member leaves; then it tries on a new connection. */
    private static final long LEAVE_NS = 1_000_000_000L;
    private static final long LEAVE_MAX_NS = 30_000_000_000L;

    private static final int KINDS_OF_REQUESTS = 3;

    private static final int UNKNOWN = 0;
    private static final int FINDING = 1;
    private static final int KNOWN = 2;
    private static final String[] STATE_NAMES = {"not known", "being found", "known"};

    private final String groupId;
    private final TopicIdentity topic;
    private final PartitionTable table;
    private final Brokers brokers;
    private final Environment environment;
    private final ControlConnection connection;
    private final FindCoordinator find;
    private final OffsetCommits commits;
    private final OffsetFetches fetches;
    /** Other brokers may go on naming a coordinator that cannot be reached: it is looked for again only after this. */
    private final Backoff reconnects;
    private final Backoff metadataBackoff;
    /** The attempts to leave, each of which ends when the delay has expired. */
    private final Backoff leaves;

    /** Null without one. */
    private GroupMember member;
    /** Null without a member. */
    private MemberProtocol protocol;
    /** Null without a member, or if it joins by the classic protocol. */
    private DescribeClassicGroup classicGroup;
    private boolean isProtocolReported;
    private int state = UNKNOWN;
    private int candidate = -1;
    /** The kind of request that is sent first if several are due. */
    private int turn;
    private short reportedError;
    private short reportedHeartbeatError;

    public GroupCoordinator(
        final String groupId,
        final TopicIdentity topic,
        final PartitionTable table,
        final Brokers brokers,
        final Environment environment)
    {
        this.groupId = groupId;
        this.topic = topic;
        this.table = table;
        this.brokers = brokers;
        this.environment = environment;
        connection = new ControlConnection(environment, ApiKey.FIND_COORDINATOR);
        find = new FindCoordinator(groupId, brokers, environment);
        commits = new OffsetCommits(groupId, topic, environment);
        fetches = new OffsetFetches(groupId, topic, environment);
        reconnects = environment.settings().reconnectBackoff();
        metadataBackoff = environment.settings().metadataBackoff();
        leaves = new Backoff(LEAVE_NS, LEAVE_MAX_NS, environment.settings().random);
    }

    public String groupId()
    {
        return groupId;
    }

    /** Makes the consumer a member of the group. */
    public GroupMember join()
    {
        member = new GroupMember(topic, table, environment);
        chooseProtocol();
        return member;
    }

    private void chooseProtocol()
    {
        final boolean isClassic = member.protocol() == GroupProtocol.CLASSIC;
        protocol = isClassic ? new ClassicProtocol(member, topic, environment) :
            new ConsumerProtocol(member, topic, environment);
        classicGroup = isClassic ? null : new DescribeClassicGroup(groupId, environment);
    }

    /**
     * Has the member leave, after all partitions have been given up. A close does not wait for long, so this neither
     * waits for the backoffs of earlier failures, nor for the timeout of an answer that was lost or is held.
     */
    public void leave()
    {
        member.leave();
        protocol.backoff().succeeded();
        if (connection.isHeld())
        {
            disconnect();
        }
        find.backoff().succeeded();
        reconnects.succeeded();
        leaves.failed(environment.clock().nowNs());
    }

    private boolean isTryingToLeave()
    {
        return leaves.failures() > 0 && !member.isEnded();
    }

    /** Whether the consumer is a member of the group, or tries to be one. */
    public boolean hasMember()
    {
        return member != null;
    }

    /**
     * Commit an offset; it replaces one that still waits for the same partition.
     *
     * @param partition   0 or more.
     * @param nextOffset  of the next record to be read.
     * @param leaderEpoch of the last record read, or -1.
     */
    public void commit(final int partition, final long nextOffset, final int leaderEpoch)
    {
        commits.commit(partition, nextOffset, leaderEpoch);
    }

    /** Whether every commit has been answered. */
    public boolean isCommitted()
    {
        return commits.isIdle();
    }

    /** Whether an offset of a partition waits to be committed or to be confirmed. */
    public boolean isOutstanding(final int partition)
    {
        return commits.isOutstanding(partition);
    }

    /** The offset of a partition that was given last to be committed, unless it was refused; -1 for none. */
    public long newestOffset(final int partition)
    {
        return commits.newestOffset(partition);
    }

    /** Forgets the offsets of a partition that is not owned any more: what waits is not sent. */
    public void discard(final int partition)
    {
        commits.discard(partition);
    }

    /** The offset that the coordinator has confirmed last, or -1. */
    public long committedOffset(final int partition)
    {
        return commits.committedOffset(partition);
    }

    /** The error with which the last commit of a partition was refused; otherwise 0. */
    public short errorCode(final int partition)
    {
        return commits.errorCode(partition);
    }

    /**
     * Fetch the committed offsets.
     *
     * @return the query, which is answered while the duty cycle runs.
     */
    public CommittedOffsets fetch()
    {
        return fetches.query();
    }

    /**
     * Advances the connection, and takes an answer that has arrived.
     *
     * @return amount of work done; 0 means idle.
     */
    public int receive(final boolean isPollingSocket, final int partitionCount)
    {
        fetches.partitionCount(partitionCount);
        commits.checkTopic();
        final int work = connection.doWork(isPollingSocket);
        if (work > 0)
        {
            // The time is for one answer: a slow connection takes several, until it can send the leave.
            leaves.renewed(environment.clock().nowNs());
        }
        final ControlRequest answered = connection.takeAnswered();
        if (answered != null && answered != find)
        {
            reconnects.succeeded();
        }
        if (answered == find)
        {
            onFound();
        }
        else if (answered == fetches)
        {
            onResult(fetches, fetches.errorCode(), fetches.leftOutPartition());
        }
        else if (answered == commits)
        {
            onCommitted();
        }
        else if (answered != null && answered == classicGroup)
        {
            onResult(classicGroup, classicGroup.retriedError(), -1);
        }
        else if (answered != null)
        {
            onHeartbeat();
        }
        if (connection.takeFailed())
        {
            if (state == KNOWN)
            {
                reconnects.failed(environment.clock().nowNs());
            }
            disconnect();
        }
        else if (connection.isUnused(MAX_IDLE_NS))
        {
            disconnect();
        }
        else if (isTryingToLeave() && leaves.hasExpired(environment.clock().nowNs()))
        {
            leaves.failed(environment.clock().nowNs());
            disconnect();
        }
        if (isHoldingCommits())
        {
            UnknownPartitionTimeout.requestMetadata(table, metadataBackoff, environment.clock().nowNs());
        }
        return work;
    }

    public boolean isInFlight()
    {
        return connection.isInFlight();
    }

    /**
     * Sends a request that is due, or takes a step towards the coordinator.
     *
     * @return amount of work done; 0 means idle.
     */
    public int send()
    {
        if (connection.isInFlight() || !hasWork() || !reconnects.hasExpired(environment.clock().nowNs()))
        {
            return 0;
        }
        switch (state)
        {
            case UNKNOWN:
                return connectToAny();
            case FINDING:
                return send(find);
            default:
                return sendInTurn();
        }
    }

    private boolean hasWork()
    {
        return canCommit() || fetches.isWaiting() || isHeartbeatDue();
    }

    /** While a member joins, it owns nothing. */
    private boolean canCommit()
    {
        return commits.isWaiting() && (member == null || member.epoch() > 0) && !isHoldingCommits();
    }

    /**
     * Whether offsets wait until metadata shows if the topic still exists: it may have been deleted and created again,
     * and brokers that know a topic by its name alone would take the old offsets for the new topic.
     */
    private boolean isHoldingCommits()
    {
        return commits.isWaiting() && topic.isInDoubt() &&
            !UnknownPartitionTimeout.isGone(topic.inDoubtSinceNs(), environment.clock().nowNs());
    }

    private boolean isHeartbeatDue()
    {
        return member != null && protocol.isDue(environment.clock().nowNs());
    }

    private void onFound()
    {
        if (find.errorCode() != ErrorCode.NONE)
        {
            onResult(find, find.errorCode(), -1);
        }
        else
        {
            state = KNOWN;
            if (find.nodeId() != connection.nodeId())
            {
                connection.open(find.nodeId(), find.address());
            }
        }
    }

    private void onCommitted()
    {
        final boolean isDone = commits.errorCode() == ErrorCode.NONE && commits.leftOutPartition() < 0;
        environment.counters().add(isDone ? ConsumerCounters.COMMITS : ConsumerCounters.COMMIT_FAILURES, 1);
        if (member != null && GroupErrors.isOfMembership(commits.errorCode()))
        {
            member.checkMembership();
        }
        else
        {
            onResult(commits, commits.errorCode(), commits.leftOutPartition());
        }
        if (commits.gonePartition() >= 0)
        {
            environment.error(report(GroupErrors.gone(commits.gonePartition(), commits.errorCode())));
        }
    }

    private void onHeartbeat()
    {
        final short errorCode = member.errorCode();
        if (member.protocol() == GroupProtocol.CLASSIC && classicGroup != null)
        {
            // The coordinator does not have the protocol that was tried first.
            chooseProtocol();
            return;
        }
        if (member.epoch() > 0 && !isProtocolReported)
        {
            isProtocolReported = true;
            environment.listener().onGroupProtocol(groupId, member.protocol(), protocolReason());
        }
        if (member.epoch() > 0 && classicGroup != null)
        {
            classicGroup.onJoined();
        }
        if (ControlRequest.isRetriable(errorCode))
        {
            onResult(protocol, errorCode, -1);
        }
        else if (errorCode != reportedHeartbeatError || member.isEnded())
        {
            reportedHeartbeatError = errorCode;
            final String sentence = member.report();
            if (sentence != null)
            {
                environment.error(report(sentence));
            }
        }
    }

    private void onResult(final ControlRequest request, final short errorCode, final int leftOutPartition)
    {
        if (ErrorCode.invalidatesMetadata(errorCode))
        {
            UnknownPartitionTimeout.requestMetadata(table, metadataBackoff, environment.clock().nowNs());
        }
        if (leftOutPartition >= 0)
        {
            report(ErrorCode.UNKNOWN_SERVER_ERROR, GroupErrors.leftOut(request.apiKey(), leftOutPartition));
            return;
        }
        switch (errorCode)
        {
            case ErrorCode.NONE:
                reportedError = ErrorCode.NONE;
                metadataBackoff.succeeded();
                break;
            case ErrorCode.COORDINATOR_NOT_AVAILABLE:
            case ErrorCode.NOT_COORDINATOR:
            case ErrorCode.REQUEST_TIMED_OUT:
                disconnect();
                break;
            case ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                break;
            default:
                onError(request, errorCode);
        }
    }

    private void onError(final ControlRequest request, final short errorCode)
    {
        report(errorCode, GroupErrors.error(request.apiKey(), errorCode, ControlRequest.isRetriable(errorCode)));
        if (request == find && !ControlRequest.isRetriable(errorCode))
        {
            fail(errorCode);
        }
    }

    private void fail(final short errorCode)
    {
        commits.fail(errorCode);
        fetches.fail(errorCode);
        if (member != null)
        {
            member.fail(errorCode);
        }
    }

    /** An error is reported when it first occurs, and not again while it lasts. */
    private void report(final short errorCode, final String sentence)
    {
        if (errorCode != reportedError)
        {
            reportedError = errorCode;
            environment.error(report(sentence));
        }
    }

    private void disconnect()
    {
        state = UNKNOWN;
        connection.close();
        if (member != null)
        {
            member.checkMembership();
        }
    }

    /** Requests of different kinds take turns, because in each cycle a heartbeat may be due. */
    private int sendInTurn()
    {
        for (int i = 0; i < KINDS_OF_REQUESTS; i++)
        {
            final int kind = turn;
            turn = turn + 1 < KINDS_OF_REQUESTS ? turn + 1 : 0;
            if (sendKind(kind) > 0)
            {
                return 1;
            }
        }
        return 0;
    }

    private int sendKind(final int kind)
    {
        switch (kind)
        {
            case 0:
                return isHeartbeatDue() ? send(heartbeat()) : 0;
            case 1:
                return canCommit() ? sendCommits() : 0;
            default:
                return fetches.isWaiting() ? send(fetches) : 0;
        }
    }

    /** The next request of the member, or the one that precedes its first join; null without a member. */
    private ControlRequest heartbeat()
    {
        return classicGroup == null || classicGroup.isDone() ? protocol : classicGroup;
    }

    private int sendCommits()
    {
        if (member != null)
        {
            commits.member(member.memberId(), member.instanceId());
            commits.memberEpoch(member.epoch());
        }
        return send(commits);
    }

    private int connectToAny()
    {
        if (brokers.count() == 0)
        {
            return 0;
        }
        candidate = candidate + 1 < brokers.count() ? candidate + 1 : 0;
        connection.open(brokers.nodeId(candidate), brokers.addressAt(candidate));
        state = FINDING;
        return 1;
    }

    private int send(final ControlRequest request)
    {
        if (!connection.canSend(request))
        {
            return 0;
        }
        if (request == heartbeat() && !connection.isSupported(protocol.apiKey()))
        {
            member.failUnsupported(protocol.apiKey());
            onHeartbeat();
        }
        else if (connection.isSupported(request.apiKey()))
        {
            connection.send(request);
        }
        else if (request == classicGroup)
        {
            classicGroup.onLost();
        }
        else
        {
            onError(request, ErrorCode.UNSUPPORTED_VERSION);
            fail(ErrorCode.UNSUPPORTED_VERSION);
        }
        return 1;
    }

    public long nextDeadlineNs(final long otherwiseNs)
    {
        final boolean isDue = isHeartbeatDue();
        long nextNs = otherwiseNs;
        if (member != null && !isDue && protocol.canSend() && member.dueNs() - nextNs < 0)
        {
            nextNs = member.dueNs();
        }
        if (isTryingToLeave() && leaves.deadlineNs() - nextNs < 0)
        {
            nextNs = leaves.deadlineNs();
        }
        if (isHoldingCommits() && metadataBackoff.deadlineNs() - nextNs < 0)
        {
            nextNs = metadataBackoff.deadlineNs();
        }
        if (state == UNKNOWN)
        {
            return hasWork() && brokers.count() > 0 ? dueNs(nextNs) : nextNs;
        }
        if (state == FINDING)
        {
            return connection.nextDeadlineNs(hasWork() ? find : null, nextNs);
        }
        return connection.nextDeadlineNs(canCommit() ? commits : null,
            connection.nextDeadlineNs(fetches.isWaiting() ? fetches : null,
                connection.nextDeadlineNs(isDue ? heartbeat() : null, nextNs)));
    }

    private long dueNs(final long otherwiseNs)
    {
        final long nowNs = environment.clock().nowNs();
        final long dueNs = reconnects.hasExpired(nowNs) ? nowNs : reconnects.deadlineNs();
        return dueNs - otherwiseNs < 0 ? dueNs : otherwiseNs;
    }

    public void free()
    {
        connection.free();
    }

    @Override
    public String toString()
    {
        return (member == null ? "offsets of group " : "group ") + groupId + ", coordinator " + STATE_NAMES[state] +
            ", " + connection + (commits.isIdle() ? "" : ", commits outstanding");
    }

    private String protocolReason()
    {
        if (environment.settings().group.protocol != GroupProtocol.AUTO)
        {
            return "The settings of the group name it.";
        }
        return member.protocol() == GroupProtocol.CONSUMER ? "The coordinator has the newer protocol." :
            "The coordinator, broker " + connection.nodeId() + " (" + connection.address() +
                "), does not have the protocol consumer.";
    }

    private String report(final String sentence)
    {
        return (member == null ? "Offsets of group " : "Group ") + groupId + ", from broker " +
            connection.nodeId() + " (" + connection.address() + "): " + sentence;
    }
}
