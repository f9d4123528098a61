// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.consumer.status.CommittedOffsets;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.FindCoordinatorRequestEncoder;
import org.odradek.protocol.control.FindCoordinatorResponseFlyweight;

/**
 * Stores offsets under a group id, and asks for them, without being a member of the group: over one connection, to any
 * broker until it has told which one is the group's coordinator, then to that one. It is opened when there is something
 * to do, and closed without an event when there has been nothing for a while.
 * <pre>
 *  UNKNOWN ──connect to any──▶ FINDING ──found──▶ KNOWN
 *     ▲                           │                 │
 *     └── lost, or not the coordinator any more ────┘
 * </pre>
 */
public final class GroupCoordinator
{
    private static final long MAX_IDLE_NS = 300_000_000_000L;

    private static final int UNKNOWN = 0;
    private static final int FINDING = 1;
    private static final int KNOWN = 2;
    private static final String[] STATE_NAMES = {"not known", "being found", "known"};

    private static final int NOTHING = 0;
    private static final int FIND = 1;
    private static final int FETCH = 2;
    private static final int COMMIT = 3;

    private final String groupId;
    private final ControlSettings settings;
    private final PartitionTable table;
    private final ClusterView cluster;
    private final ConsumerEnvironment environment;
    private final BrokerConnection connection;
    private final FindCoordinatorRequestEncoder request;
    private final FindCoordinatorResponseFlyweight response = new FindCoordinatorResponseFlyweight();
    private final RequestFrame requestFrame;
    private final GroupCommits commits;
    private final GroupFetches fetches;

    private int state = UNKNOWN;
    private int outstanding = NOTHING;
    private int requestVersion;
    private int seenFailures;
    private int candidate = -1;
    private boolean isLost;
    private boolean isBackingOff;
    private long retryAtNs;
    private long lastUsedNs;
    private short reportedError;

    GroupCoordinator(
        final String groupId,
        final ControlSettings settings,
        final FetchTopic topic,
        final PartitionTable table,
        final ClusterView cluster,
        final ConsumerEnvironment environment)
    {
        this.groupId = groupId;
        this.settings = settings;
        this.table = table;
        this.cluster = cluster;
        this.environment = environment;
        final String clientId = settings.connectionSettings().clientId();
        connection = new BrokerConnection(
            settings.connectionSettings(), environment, settings.controlBufferLength(), ApiKey.FIND_COORDINATOR);
        request = new FindCoordinatorRequestEncoder(clientId, groupId);
        requestFrame = new RequestFrame(environment.budget(), request.maxFrameLength());
        commits = new GroupCommits(clientId, groupId, topic, environment.budget());
        fetches = new GroupFetches(clientId, groupId, topic, environment.budget());
    }

    public String groupId()
    {
        return groupId;
    }

    /**
     * Have an offset stored, instead of one that waits for the same partition.
     *
     * @param partition   0 or more.
     * @param nextOffset  of the next record wanted.
     * @param leaderEpoch of the last record read, or -1.
     */
    public void commit(final int partition, final long nextOffset, final int leaderEpoch)
    {
        commits.commit(partition, nextOffset, leaderEpoch);
    }

    /**
     * Whether nothing waits to be stored, or is on its way.
     */
    public boolean isCommitted()
    {
        return commits.isIdle();
    }

    /**
     * The offset that the coordinator has confirmed last, or -1.
     */
    public long committedOffset(final int partition)
    {
        return commits.storedOffset(partition);
    }

    /**
     * Why the last offset of a partition was refused; 0 if it was not.
     */
    public short errorCode(final int partition)
    {
        return commits.errorCode(partition);
    }

    /**
     * Ask for what is stored.
     *
     * @return where the answer will be.
     */
    public CommittedOffsets fetch()
    {
        final GroupQuery query = new GroupQuery(groupId);
        fetches.ask(query);
        return query;
    }

    int doWork(final boolean isLooking, final int partitionCount)
    {
        int work = connection.doWork(isLooking);
        if (connection.failures() != seenFailures)
        {
            seenFailures = connection.failures();
            isLost = true;
        }
        else if (outstanding != NOTHING && connection.hasResponse())
        {
            onResponse();
            work++;
        }
        if (isLost || connection.isIdle())
        {
            lose();
        }
        final long nowNs = environment.clock().nowNs();
        if (isBackingOff)
        {
            isBackingOff = retryAtNs - nowNs > 0;
        }
        if (hasWork(partitionCount))
        {
            work += isBackingOff || outstanding != NOTHING ? 0 : ask(partitionCount, nowNs);
        }
        else if (state != UNKNOWN && outstanding == NOTHING && nowNs - lastUsedNs > MAX_IDLE_NS)
        {
            lose();
        }
        return work;
    }

    private boolean hasWork(final int partitionCount)
    {
        return commits.isWaiting() || fetches.isWaiting() && partitionCount > 0;
    }

    /**
     * What was on its way waits again, and the coordinator is to be found anew.
     */
    private void lose()
    {
        isLost = false;
        outstanding = NOTHING;
        state = UNKNOWN;
        connection.close();
        commits.onLost();
        fetches.onLost();
    }

    private int ask(final int partitionCount, final long nowNs)
    {
        lastUsedNs = nowNs;
        if (state == UNKNOWN)
        {
            return connectToAny();
        }
        if (!connection.canSend())
        {
            return 0;
        }
        if (state == FINDING)
        {
            sendFind();
        }
        else
        {
            sendToCoordinator(partitionCount);
        }
        return 1;
    }

    private int connectToAny()
    {
        if (cluster.count() == 0)
        {
            return 0;
        }
        candidate = candidate + 1 < cluster.count() ? candidate + 1 : 0;
        connection.open(cluster.nodeId(candidate), cluster.addressAt(candidate));
        state = FINDING;
        return 1;
    }

    private void sendFind()
    {
        requestVersion = connection.version(ApiKey.FIND_COORDINATOR);
        request.build(requestFrame.buffer(), requestVersion).correlationId(connection.nextCorrelationId());
        outstanding = FIND;
        connection.send(requestFrame, request.frameLength());
    }

    private void sendToCoordinator(final int partitionCount)
    {
        final boolean isFetch = fetches.isWaiting() && partitionCount > 0;
        if (connection.version(isFetch ? ApiKey.OFFSET_FETCH : ApiKey.OFFSET_COMMIT) < 0)
        {
            onError(ErrorCode.UNSUPPORTED_VERSION);
            fail(ErrorCode.UNSUPPORTED_VERSION);
        }
        else if (isFetch)
        {
            outstanding = FETCH;
            fetches.send(connection, partitionCount);
        }
        else
        {
            outstanding = COMMIT;
            commits.send(connection);
        }
    }

    private void onResponse()
    {
        final int answered = outstanding;
        outstanding = NOTHING;
        try
        {
            connection.checkWhole();
            switch (answered)
            {
                case FIND:
                    readFind();
                    break;
                case FETCH:
                    fetches.read(connection, this);
                    connection.throttle(fetches.throttleTimeMs());
                    connection.release();
                    break;
                default:
                    commits.read(connection, this);
                    connection.throttle(commits.throttleTimeMs());
                    connection.release();
            }
        }
        catch (final WireFormatException ex)
        {
            environment.error("Response of the coordinator of group " + groupId + " from " + connection.address() +
                ": " + ex.getMessage() + "; will reconnect and ask again.");
            connection.fail("a response that cannot be read");
        }
    }

    private void readFind()
    {
        response.wrap(connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(),
            requestVersion);
        final short errorCode = response.errorCode();
        if (errorCode == ErrorCode.NONE)
        {
            state = KNOWN;
            if (response.nodeId() == connection.nodeId())
            {
                connection.release();
            }
            else
            {
                connection.open(response.nodeId(), addressOfCoordinator());
            }
        }
        else
        {
            connection.release();
            if (!onError(errorCode))
            {
                fail(errorCode);
            }
        }
    }

    private BrokerAddress addressOfCoordinator()
    {
        final BrokerAddress known = cluster.address(response.nodeId());
        final boolean isSame = known != null && known.port() == response.port() &&
            known.isHost(response.buffer(), response.hostIndex(), response.hostLength());
        return isSame ? known : new BrokerAddress(
            response.buffer().getStringWithoutLengthUtf8(response.hostIndex(), response.hostLength()),
            response.port(), settings.resolver(), environment.counters());
    }

    private void fail(final short errorCode)
    {
        commits.fail(errorCode);
        fetches.fail(errorCode);
    }

    /**
     * The coordinator has done what it was asked for.
     */
    void onStored()
    {
        reportedError = ErrorCode.NONE;
    }

    /**
     * The coordinator, or who should know it, answered with an error. Ask nothing for a while, whatever it is.
     *
     * @return true if it passes: then it is to be asked again.
     */
    boolean onError(final short errorCode)
    {
        isBackingOff = true;
        retryAtNs = environment.clock().nowNs() + settings.retryBackoffNs();
        if (ErrorCode.invalidatesMetadata(errorCode))
        {
            table.requestMetadata();
        }
        switch (errorCode)
        {
            case ErrorCode.COORDINATOR_NOT_AVAILABLE:
            case ErrorCode.NOT_COORDINATOR:
            case ErrorCode.REQUEST_TIMED_OUT:
                isLost = true;
                return true;
            case ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                return true;
            default:
                final boolean isPassing = ErrorCode.isRetriable(errorCode) ||
                    errorCode == ErrorCode.UNKNOWN_SERVER_ERROR;
                report(errorCode, isPassing);
                return isPassing;
        }
    }

    /**
     * An error is told when it comes up, and not again while it lasts.
     */
    private void report(final short errorCode, final boolean isPassing)
    {
        if (errorCode != reportedError)
        {
            reportedError = errorCode;
            environment.error("Offsets of group " + groupId + ", from broker " + connection.nodeId() + ": " +
                ErrorCode.name(errorCode) + meaning(errorCode) + (isPassing ? "; will ask again." : "."));
        }
    }

    private static String meaning(final short errorCode)
    {
        switch (errorCode)
        {
            case ErrorCode.ILLEGAL_GENERATION:
            case ErrorCode.UNKNOWN_MEMBER_ID:
            case ErrorCode.REBALANCE_IN_PROGRESS:
                return ", a live group owns this group id: use another";
            case ErrorCode.UNSUPPORTED_VERSION:
                return ", the broker speaks no version of OffsetCommit or OffsetFetch that this library does";
            default:
                return "";
        }
    }

    long nextDeadlineNs(final long otherwiseNs, final int partitionCount)
    {
        final long nextNs = connection.nextDeadlineNs(otherwiseNs);
        if (isLost || hasWork(partitionCount) && !isBackingOff && outstanding == NOTHING &&
            (state == UNKNOWN ? cluster.count() > 0 : connection.canSend()))
        {
            return environment.clock().nowNs();
        }
        return isBackingOff && hasWork(partitionCount) && retryAtNs - nextNs < 0 ? retryAtNs : nextNs;
    }

    void free()
    {
        connection.free();
        requestFrame.free();
        commits.free();
        fetches.free();
    }

    @Override
    public String toString()
    {
        return "offsets of group " + groupId + ", coordinator " + STATE_NAMES[state] + ", " + connection +
            (commits.isIdle() ? "" : ", offsets to be stored");
    }
}
