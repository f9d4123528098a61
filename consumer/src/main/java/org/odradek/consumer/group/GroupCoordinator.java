// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.collections.ArrayUtil;
import org.odradek.client.cluster.Brokers;
import org.odradek.client.cluster.ControlConnection;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.core.Backoff;
import org.odradek.client.core.TopicIdentity;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Commits and fetches offsets under a group id, and sends the heartbeats if the consumer is a member of the group. The
 * only connection leads to any broker until that broker has named the coordinator, and then to the coordinator. A
 * heartbeat may be sent before a commit or a fetch of offsets is answered.
 * <pre>
 *  UNKNOWN ──connect to any──▶ FINDING ──found──▶ KNOWN
 *     ▲                           │                 │
 *     └───────────────────────────┴─────────────────┘ connection lost, or not the coordinator
 * </pre>
 */
public final class GroupCoordinator
{
    private static final long MAX_IDLE_NS = 300_000_000_000L;

    /** The first and the longest time after which a leaving member tries again on a new connection. */
    private static final long LEAVE_NS = 1_000_000_000L;
    private static final long LEAVE_MAX_NS = 30_000_000_000L;

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
    /** The requests that a heartbeat may follow; they take turns. */
    private final GroupRequest[] inTurn;
    private final Backoff reconnects;
    private final Backoff metadataBackoff;
    /** The backoff of attempts to leave: an attempt ends when the delay has expired. */
    private final Backoff leaves;

    /** This field is null without a member. */
    private GroupMember member;
    /** This field is null without a member. */
    private MemberProtocol protocol;
    /** All requests to the coordinator: those in turn, and the protocol if there is one. */
    private GroupRequest[] requests;
    private int turn;
    private int state = UNKNOWN;
    private int candidate = -1;
    /** The node id of the coordinator that was found last, or -1. */
    private int coordinatorId = -1;
    private int seenForgotten;
    private boolean isDraining;
    /** True if the coordinator may not have read the last requests. */
    private boolean isLastInDoubt;

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
        connection = new ControlConnection(
            environment, ApiKey.FIND_COORDINATOR, environment.settings().reconnectBackoff());
        find = new FindCoordinator(groupId, brokers, environment);
        commits = new OffsetCommits(groupId, topic, environment);
        fetches = new OffsetFetches(groupId, topic, environment);
        inTurn = new GroupRequest[]{commits, fetches};
        requests = inTurn;
        reconnects = environment.settings().reconnectBackoff();
        metadataBackoff = environment.settings().metadataBackoff();
        leaves = new Backoff(LEAVE_NS, LEAVE_MAX_NS, environment.settings().random);
    }

    public String groupId()
    {
        return groupId;
    }

    public GroupMember join()
    {
        member = new GroupMember(topic, table, environment);
        commits.member(member);
        chooseProtocol();
        return member;
    }

    private void chooseProtocol()
    {
        protocol = member.isClassic() ? new ClassicProtocol(member, topic, environment) :
            new ConsumerProtocol(member, topic, environment);
        requests = ArrayUtil.add(inTurn, protocol);
    }

    /**
     * Makes the member leave, without waiting for the backoffs of earlier failures, or for a request that the
     * coordinator may hold, unless the response contains the id of the member. All partitions must have been given up.
     */
    public void leave()
    {
        member.leave();
        protocol.backoff().succeeded();
        if (connection.isHeld() && !isAwaitingId())
        {
            disconnect();
        }
        find.backoff().succeeded();
        reconnects.succeeded();
        leaves.failed(environment.clock().nowNs());
    }

    private boolean isTryingToLeave()
    {
        return leaves.failures() > 0 && !member.isEnded() && !isAwaitingId();
    }

    public boolean hasMember()
    {
        return member != null;
    }

    public OffsetCommits commits()
    {
        return commits;
    }

    public CommittedOffsets fetch()
    {
        return fetches.query(OffsetFetches.ALL);
    }

    public CommittedOffsets fetch(final int partition)
    {
        return fetches.query(partition);
    }

    public void cancel(final CommittedOffsets query)
    {
        fetches.cancel(query);
    }

    /**
     * @param partitionCount the number of partitions of the topic; 0 while it is not known.
     * @param topicErrorCode the last error code of the topic in metadata, or 0.
     */
    public int receive(final boolean isPollingSocket, final int partitionCount, final short topicErrorCode)
    {
        fetches.topic(partitionCount, topicErrorCode);
        commits.checkTopic();
        if (seenForgotten != brokers.timesForgotten())
        {
            // The bootstrap servers may be those of another cluster, with another coordinator.
            seenForgotten = brokers.timesForgotten();
            disconnect();
        }
        int work = connection.doWork(isPollingSocket);
        ControlRequest answered = connection.takeAnswered();
        while (answered != null)
        {
            onAnswered(answered);
            // The answer to the request that followed has usually arrived, too.
            work += connection.isInFlight() ? connection.doWork(true) : 0;
            answered = connection.takeAnswered();
        }
        if (work > 0)
        {
            // The time is for one answer, and a slow connection needs several before it can send the leave.
            leaves.renewed(environment.clock().nowNs());
        }
        final boolean hasFailed = connection.takeFailed();
        if (hasFailed || connection.isUnused(MAX_IDLE_NS))
        {
            if (state == KNOWN && hasFailed)
            {
                reconnects.failed(environment.clock().nowNs());
            }
            if (state == KNOWN && member != null)
            {
                // The broker may have restarted, and the sessions of its members with it.
                member.onCoordinatorMoved();
            }
            disconnect();
        }
        else if (isTryingToLeave() && leaves.hasExpired(environment.clock().nowNs()))
        {
            leaves.failed(environment.clock().nowNs());
            disconnect();
        }
        if (commits.isHeld())
        {
            table.requestMetadata(metadataBackoff, environment.clock().nowNs());
        }
        assert isConsistent();
        return work;
    }

    public boolean isInFlight()
    {
        return connection.isInFlight();
    }

    public int send()
    {
        if (!hasWork() || !reconnects.hasExpired(environment.clock().nowNs()))
        {
            return 0;
        }
        final int first = connection.isInFlight() ? 0 : switch (state)
        {
            case UNKNOWN -> connectToAny();
            case FINDING -> send(find, find);
            default -> sendFirst();
        };
        assert isConsistent();
        return mayHeartbeatFollow() && connection.follow(protocol) ? first + 1 : first;
    }

    private boolean mayHeartbeatFollow()
    {
        boolean isOtherAlone = false;
        for (final GroupRequest request : inTurn)
        {
            isOtherAlone |= connection.isAlone(request);
        }
        return isOtherAlone && isHeartbeatDue() && protocol.mayFollow();
    }

    private boolean hasWork()
    {
        boolean isDue = false;
        for (final GroupRequest request : requests)
        {
            isDue |= request.isDue();
        }
        return isDue;
    }

    private boolean isHeartbeatDue()
    {
        return member != null && protocol.isDue();
    }

    private void onAnswered(final ControlRequest request)
    {
        if (state == FINDING && request.errorCode() == ErrorCode.NONE)
        {
            state = KNOWN;
            find.takeError(ErrorCode.NONE);
            final int nodeId = find.response.nodeId();
            if (member != null && nodeId != coordinatorId)
            {
                member.onCoordinatorMoved();
            }
            coordinatorId = nodeId;
            if (nodeId != connection.nodeId())
            {
                connection.open(nodeId, find.address);
            }
            return;
        }
        if (state == KNOWN)
        {
            reconnects.succeeded();
        }
        if (request.complete())
        {
            onResult(request, request.errorCode(), request.leftOutPartition());
        }
        report(commits.takeGone());
        if (member != null && member.takeAnswered())
        {
            onHeartbeat();
        }
    }

    private void onHeartbeat()
    {
        if (protocol.isRefused())
        {
            chooseProtocol();
            if (member.isLeaving())
            {
                // The group has not accepted a request of the member.
                member.leave();
            }
            return;
        }
        if (member.takeJoined())
        {
            environment.listener().onGroupProtocol(member.protocol(), member.protocolReason(broker()));
            protocol.onJoined();
        }
        final short errorCode = member.errorCode();
        if (ControlRequest.isRetriable(errorCode))
        {
            onResult(protocol, errorCode, -1);
        }
        else if ((errorCode != ErrorCode.NONE || !protocol.isJoining()) && protocol.takeError(errorCode) ||
            member.isEnded())
        {
            report(member.report());
        }
    }

    private void onResult(final ControlRequest request, final short errorCode, final int leftOutPartition)
    {
        if (ErrorCode.invalidatesMetadata(errorCode))
        {
            table.requestMetadata(metadataBackoff, environment.clock().nowNs());
        }
        if (leftOutPartition >= 0)
        {
            report(request, ErrorCode.UNKNOWN_SERVER_ERROR, GroupErrors.leftOut(request.apiKey(), leftOutPartition));
            return;
        }
        switch (errorCode)
        {
            case ErrorCode.NONE:
                request.takeError(ErrorCode.NONE);
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
        report(request, errorCode,
            GroupErrors.error(request.apiKey(), errorCode, ControlRequest.isRetriable(errorCode)));
        if (state == FINDING && !ControlRequest.isRetriable(errorCode))
        {
            fail(request.apiKey(), errorCode);
        }
    }

    private void fail(final ApiKey api, final short errorCode)
    {
        for (final GroupRequest request : requests)
        {
            request.fail(api, errorCode);
        }
    }

    private void report(final ControlRequest request, final short errorCode, final String sentence)
    {
        if (request.takeError(errorCode))
        {
            report(sentence);
        }
    }

    private void report(final String sentence)
    {
        if (sentence != null)
        {
            environment.error((member == null ? "Offsets of group " : "Group ") + groupId + ", from " + broker() +
                ": " + sentence);
        }
    }

    private String broker()
    {
        return "broker " + connection.nodeId() + " (" + connection.address() + ")";
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

    /**
     * Sends a commit or fetch of offsets if one is due, and otherwise a heartbeat; while the membership is in doubt,
     * the heartbeat is sent first.
     */
    private int sendFirst()
    {
        final boolean isDue = isHeartbeatDue();
        if (isDue && (member.isInDoubt() || !protocol.mayFollow()) && send(protocol, protocol.next()) > 0)
        {
            return 1;
        }
        for (int i = 0; i < inTurn.length; i++)
        {
            final int index = (turn + i) % inTurn.length;
            if (inTurn[index].isDue() && send(inTurn[index], inTurn[index].next()) > 0)
            {
                turn = index + 1;
                return 1;
            }
        }
        turn = 0;
        return isDue ? send(protocol, protocol.next()) : 0;
    }

    private int connectToAny()
    {
        if (brokers.count() == 0)
        {
            return 0;
        }
        candidate = nextCandidate();
        connection.open(brokers.nodeId(candidate), brokers.addressAt(candidate));
        state = FINDING;
        return 1;
    }

    /** Returns the index of the next broker that has not failed recently, or else that of the next broker. */
    private int nextCandidate()
    {
        for (int i = 1; i <= brokers.count(); i++)
        {
            final int next = (candidate + i) % brokers.count();
            if (!brokers.isFailing(brokers.addressAt(next)))
            {
                return next;
            }
        }
        return (candidate + 1) % brokers.count();
    }

    /** @param next the request to send: {@code request}, or a request that must be sent before it. */
    private int send(final ControlRequest request, final ControlRequest next)
    {
        if (!connection.prepare(next))
        {
            return 0;
        }
        if (connection.isSupported(request.apiKey()))
        {
            if (connection.isSupported(next.apiKey()))
            {
                connection.send(next);
            }
            else
            {
                next.onLost();
            }
        }
        else if (request == protocol)
        {
            protocol.fail(request.apiKey(), ErrorCode.UNSUPPORTED_VERSION);
            onHeartbeat();
        }
        else
        {
            onError(request, ErrorCode.UNSUPPORTED_VERSION);
            fail(request.apiKey(), ErrorCode.UNSUPPORTED_VERSION);
        }
        return 1;
    }

    public long nextDeadlineNs(final long otherwiseNs)
    {
        long nextNs = isTryingToLeave() ? earlier(leaves.deadlineNs(), otherwiseNs) : otherwiseNs;
        for (final GroupRequest request : requests)
        {
            nextNs = request.dueNs(nextNs);
        }
        nextNs = commits.isHeld() ? earlier(metadataBackoff.deadlineNs(), nextNs) : nextNs;
        if (state == UNKNOWN)
        {
            return hasWork() && brokers.count() > 0 ?
                earlier(reconnects.dueNs(environment.clock().nowNs()), nextNs) : nextNs;
        }
        if (state == FINDING)
        {
            return connection.nextDeadlineNs(hasWork() ? find : null, nextNs);
        }
        if (mayHeartbeatFollow())
        {
            nextNs = connection.followDeadlineNs(protocol, nextNs);
        }
        for (final GroupRequest request : requests)
        {
            nextNs = connection.nextDeadlineNs(request.isDue() ? request.next() : null, nextNs);
        }
        return nextNs;
    }

    /** Sends the waiting commits and the leave without waiting for answers, if the coordinator is known. */
    public void sendLast()
    {
        final boolean isKnown = state == KNOWN;
        if (isKnown && commits.isDue())
        {
            connection.sendLast(commits);
        }
        if (member != null)
        {
            // A static member of a classic group sends nothing after this call.
            member.leave();
        }
        if (isKnown)
        {
            if (isLeaveMissing() && !isAwaitingId())
            {
                connection.sendLast(protocol);
            }
            isDraining = connection.shutdownOutput();
        }
        isLastInDoubt = isLeaveMissing() || !commits.isIdle();
        if (!isDraining)
        {
            connection.close();
        }
    }

    private boolean isLeaveMissing()
    {
        return member != null && member.isLeaving() && !member.isEnded();
    }

    /** Returns true while a member that leaves waits for the response to its first join, which contains its id. */
    private boolean isAwaitingId()
    {
        return isLeaveMissing() && member.memberId().isEmpty();
    }

    /**
     * Returns true once the coordinator has closed the connection after {@link #sendLast()}, or if nothing was sent.
     */
    public boolean drain()
    {
        if (isDraining && connection.drain())
        {
            isDraining = false;
            isLastInDoubt = commits.isAnyWaiting() || isAwaitingId();
        }
        return !isDraining;
    }

    public void reportLast()
    {
        if (isLastInDoubt)
        {
            environment.error("The time to close has passed, and the coordinator of group " + groupId +
                " may not have received the last offsets" + (isLeaveMissing() ?
                " and the leave: without it, no member has the partitions until the session expires." : "."));
        }
    }

    public void reportUnsent()
    {
        if (!commits.isIdle())
        {
            environment.error("The last offsets of group " + groupId + " are not committed, because only the polling " +
                "thread sends them: close the consumer on this thread, or wait there for the commit before.");
        }
    }

    public void free()
    {
        connection.free();
    }

    private boolean isConsistent()
    {
        // A member has a protocol, which is the last request.
        return (member == null) == (protocol == null) && (member == null || requests[inTurn.length] == protocol) &&
            // Nothing is in flight before a broker is chosen.
            (state != UNKNOWN || !connection.isInFlight());
    }

    @Override
    public String toString()
    {
        return (member == null ? "offsets of group " : "group ") + groupId + ", coordinator " + STATE_NAMES[state] +
            ", " + connection + (commits.isIdle() ? "" : ", commits outstanding");
    }
}
