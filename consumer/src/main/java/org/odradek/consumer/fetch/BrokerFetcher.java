// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.ConnectionSettings;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.fetch.FetchResponseFlyweight;

/**
 * Fetches the partitions that are read from one broker, over one connection, one request at a time. It has two states
 * that do not depend on each other: a request is on its way or not, and a frame is being delivered or not. When a
 * response is in, the headers of its batches are walked to learn the next offsets, and the next request goes out before
 * a single record is delivered: the broker works while the handler does.
 */
public final class BrokerFetcher
{
    private static final int BULK_LENGTH = 1 << 16;

    private final int nodeId;
    private final FetchSettings settings;
    private final FetchTopic topic;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final ConsumerEnvironment environment;
    private final FetchLatency latency;
    private final FetchCapture capture;
    private final BrokerConnection connection;
    private final FetchSession session;
    private final FetchRequests requests;
    private final FetchIntake intake;
    private final FetchPacing pacing;

    private int requestVersion;
    private int lastResponseLength;
    private int seenFailures;
    private boolean isRequestSent;
    private boolean isDelivering;
    private long retryAtNs;
    private boolean isBackingOff;

    /**
     * @param nodeId              of the broker.
     * @param receiveBufferLength in bytes, at the start.
     * @param connectionSettings  shared.
     * @param settings            of fetching.
     * @param topic               that is fetched.
     * @param errors              what to do with a partition in error.
     * @param table               of the partitions.
     */
    public BrokerFetcher(
        final int nodeId,
        final int receiveBufferLength,
        final ConnectionSettings connectionSettings,
        final FetchSettings settings,
        final FetchTopic topic,
        final PartitionErrors errors,
        final PartitionTable table)
    {
        this.nodeId = nodeId;
        this.settings = settings;
        this.topic = topic;
        this.errors = errors;
        this.table = table;
        environment = errors.environment();
        latency = new FetchLatency(environment);
        connection = new BrokerConnection(connectionSettings, environment, receiveBufferLength, ApiKey.FETCH);
        session = new FetchSession(settings.sessionMinPartitions());
        requests = new FetchRequests(connectionSettings, settings, topic, table, session, environment.budget());
        intake = new FetchIntake(nodeId, settings, topic, errors, table, session);
        capture = new FetchCapture(nodeId, environment, topic, session, connection, intake.frame());
        pacing = new FetchPacing(settings.minIntervalNs(), environment);
    }

    /**
     * Advance the connection, take in a response that has arrived, and send the next request if one is due.
     *
     * @param isLooking true: read the socket even if the poller has not marked it.
     * @return amount of work done; 0 means idle.
     */
    public int doWork(final boolean isLooking)
    {
        int work = connection.doWork(isLooking);
        if (connection.failures() != seenFailures)
        {
            onConnectionFailed();
        }
        if (connection.hasResponse() && !isDelivering)
        {
            onResponse();
            work++;
        }
        if (!isRequestSent && connection.canSend())
        {
            work += sendFetch();
        }
        else if (connection.isIdle() && requests.isAny(environment.clock().nowNs()))
        {
            connection.wake();
            work++;
        }
        return work;
    }

    private void onResponse()
    {
        isRequestSent = false;
        lastResponseLength = connection.responseLimit();
        environment.counters().add(ConsumerCounters.FETCHES, 1);
        latency.onResponse();
        pacing.onResponse(requests.changes());
        try
        {
            readResponse();
        }
        catch (final WireFormatException ex)
        {
            capture.onResponse(requestVersion, 0);
            onMalformed(ex);
            return;
        }
        capture.onResponse(requestVersion, intake.frame().count());
        if (intake.frame().count() > 0)
        {
            isDelivering = true;
        }
        else
        {
            environment.counters().add(ConsumerCounters.EMPTY_FETCHES, 1);
            connection.release();
        }
    }

    private void readResponse()
    {
        final FetchResponseFlyweight response = intake.begin(
            connection.responseMemory(), BrokerConnection.BODY_INDEX, connection.responseLimit(), requestVersion);
        if (ApiKey.FETCH.isThrottledByClient(requestVersion))
        {
            connection.throttle(response.throttleTimeMs());
        }
        if (response.errorCode() == ErrorCode.NONE)
        {
            intake.readPartitions();
            intake.onUnanswered(requests);
            if (!isBulk() && !intake.isMoreInLog())
            {
                pacing.hold(requests.changes());
            }
        }
        else
        {
            onResponseError(response.errorCode());
        }
    }

    private int sendFetch()
    {
        if (pacing.isHolding(requests.changes()))
        {
            return 0;
        }
        final long nowNs = environment.clock().nowNs();
        if (isBackingOff)
        {
            isBackingOff = retryAtNs - nowNs > 0;
            if (isBackingOff)
            {
                return 0;
            }
        }
        final int version = topic.fetchVersion(connection.version(ApiKey.FETCH));
        if (!requests.prepare(version, nowNs))
        {
            return 0;
        }
        requestVersion = version;
        environment.counters().add(
            session.isLastFull() ? ConsumerCounters.FULL_FETCHES : ConsumerCounters.INCREMENTAL_FETCHES, 1);
        latency.onRequest();
        connection.send(requests.frame(connection.nextCorrelationId()), requests.frameLength());
        pacing.onSent(requests.changes());
        isRequestSent = true;
        return 1;
    }

    /**
     * Errors of the session alone change nothing about any partition: it is begun anew, and what was asked for is asked
     * for again.
     */
    private void onResponseError(final short errorCode)
    {
        final boolean wasIncremental = !session.isLastFull();
        restartSession();
        switch (errorCode)
        {
            case ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
                session.onNotFound();
                break;

            case ErrorCode.INVALID_FETCH_SESSION_EPOCH:
                break;

            case ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR:
                table.requestMetadata();
                break;

            default:
                environment.error("Fetch from broker " + nodeId + " answered with " + ErrorCode.name(errorCode) +
                    "; will ask again.");
                table.requestMetadata();
                backOff();
                return;
        }
        if (!wasIncremental)
        {
            // A full request gives no cause for these: whoever answers so may do it again at once.
            backOff();
        }
    }

    private void backOff()
    {
        isBackingOff = true;
        retryAtNs = environment.clock().nowNs() + settings.retryBackoffNs();
    }

    private void restartSession()
    {
        if (session.restart())
        {
            environment.counters().add(ConsumerCounters.SESSION_RESETS, 1);
        }
    }

    private void onMalformed(final WireFormatException ex)
    {
        final FetchResponseFlyweight response = intake.response();
        final int partition = response.partition();
        if (connection.isResponseOversized() && response.isRecordSetCutOff() && table.isAssigned(partition))
        {
            errors.onCorrupt(nodeId, partition, "its record set of " + response.recordsLength() +
                " bytes does not fit into the receive buffer; raise receiveBufferMaxLength above that");
        }
        else
        {
            environment.error("Fetch response from broker " + nodeId + " at " + connection.address() + ": " +
                ex.getMessage() + "; will reconnect and ask again.");
        }
        connection.fail("a response that cannot be read");
        onConnectionFailed();
    }

    private void onConnectionFailed()
    {
        forgetOutstanding();
        for (int i = 0; i < requests.partitionCount(); i++)
        {
            final int partition = requests.partition(i);
            if (table.isReplica(partition, nodeId))
            {
                table.leaveReplica(partition, ErrorCode.NETWORK_EXCEPTION,
                    environment.clock().nowNs() + settings.retryBackoffNs());
            }
        }
        table.requestMetadata();
    }

    /**
     * Whether the broker has seen the request is not known, nor what its session holds.
     */
    private void forgetOutstanding()
    {
        seenFailures = connection.failures();
        isRequestSent = false;
        if (isDelivering)
        {
            isDelivering = false;
            environment.counters().add(ConsumerCounters.BYTES_DISCARDED, intake.frame().undelivered());
        }
        intake.frame().clear();
        pacing.end();
        restartSession();
        for (int i = 0; i < requests.partitionCount(); i++)
        {
            table.invalidate(requests.partition(i));
        }
    }

    /**
     * Whether a response waits to be delivered.
     */
    public boolean isDelivering()
    {
        return isDelivering;
    }

    FetchFrame frame()
    {
        return intake.frame();
    }

    /**
     * The response has been delivered to its end.
     */
    void endFrame()
    {
        intake.frame().clear();
        isDelivering = false;
        connection.release();
    }

    /**
     * A response is held beyond the poll.
     */
    public void park()
    {
        connection.park();
    }

    /**
     * Begin to list the partitions that are read from this broker.
     *
     * @param capacity of the table.
     */
    public void clearPartitions(final int capacity)
    {
        requests.clearPartitions(capacity);
        intake.frame().ensureCapacity(capacity);
    }

    /**
     * Add a partition that is read from this broker.
     *
     * @param partition its id, below the capacity.
     */
    public void addPartition(final int partition)
    {
        requests.addPartition(partition);
    }

    public int partitionCount()
    {
        return requests.partitionCount();
    }

    /**
     * Connect to where the broker is; does nothing if that is where it is connected to.
     *
     * @param address of the broker.
     */
    public void address(final BrokerAddress address)
    {
        if (connection.state() == BrokerConnection.CLOSED || !connection.address().isSame(address))
        {
            connection.open(nodeId, address);
            forgetOutstanding();
            table.requestMetadata();
        }
    }

    /**
     * Whether the last response was a large one.
     */
    public boolean isBulk()
    {
        return lastResponseLength >= BULK_LENGTH;
    }

    public int nodeId()
    {
        return nodeId;
    }

    /**
     * Whether the connection stands, or has been closed only because there was nothing to fetch.
     */
    public boolean isReady()
    {
        return connection.isReady() || connection.isIdle();
    }

    /**
     * When there is something to do without a byte arriving.
     *
     * @param otherwiseNs what to return if this knows of no nearer time.
     * @return the time, as the duty cycle tells it.
     */
    public long nextDeadlineNs(final long otherwiseNs)
    {
        final long nextNs = pacing.nextDeadlineNs(connection.nextDeadlineNs(otherwiseNs));
        final boolean isToCome = isBackingOff && retryAtNs - environment.clock().nowNs() > 0;
        return isToCome && retryAtNs - nextNs < 0 ? retryAtNs : nextNs;
    }

    /**
     * Close the connection and give all memory back.
     */
    public void free()
    {
        forgetOutstanding();
        table.requestMetadata();
        connection.free();
        requests.free();
    }

    @Override
    public String toString()
    {
        return connection + ", " + requests.partitionCount() + " partitions, " + session +
            (isRequestSent ? ", fetch outstanding" : "") +
            (isDelivering ? ", delivering" : "") + ", fetch version " + requestVersion;
    }
}
