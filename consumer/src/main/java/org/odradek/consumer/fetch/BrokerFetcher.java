// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.ClientException;
import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.client.core.Backoff;
import org.odradek.client.core.ConnectionRole;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.engine.Leaders;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.BrokerConnection;
import org.odradek.client.net.ConnectionState;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.fetch.FetchResponseFlyweight;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Fetches partitions from one broker over one connection, with at most one request in flight. The next offsets are
 * taken from the batch headers of a response, so that the next request can be sent before the records are delivered.
 */
public final class BrokerFetcher implements Leaders.Connected
{
    private static final int BULK_LENGTH = 1 << 16;
    private static final long NS_PER_MS = 1_000_000;
    private static final int TRICKLE_LENGTH = 1 << 14;

    private final int nodeId;
    private final FetchConnections connections;
    private final ConsumerSettings settings;
    private final FetchFrameHandler frameHandler;
    private final TopicIdentity topic;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final Environment environment;
    private final DutyClock clock;
    private final CounterWriter counters;
    private final BrokerConnection connection;
    private final boolean isFirst;
    private final FetchSession session;
    private final FetchRequests requests;
    final FetchResponseReader responses;
    private final FetchTuning tuning;
    private final Backoff retries;

    private int requestVersion;
    private int lastResponseLength;
    private int seenFailures;
    private boolean isRequestSent;
    private boolean isDelivering;
    private int seenChanges;
    private long sentNs;
    /** The last time at which the connection was being opened, or had a request in flight or a response to deliver. */
    private long usedNs;
    /** The time at which the last request was sent, read from the clock; it is set only if histograms are recorded. */
    private long exactlySentNs;

    /** @param frameHandler receives the responses; null if there is no such handler. */
    public BrokerFetcher(
        final FetchConnections connections,
        final BrokerConnection connection,
        final FetchFrameHandler frameHandler,
        final TopicIdentity topic,
        final PartitionErrors errors,
        final PartitionTable table,
        final Environment environment)
    {
        this.connections = connections;
        nodeId = connections.nodeId();
        this.frameHandler = frameHandler;
        this.environment = environment;
        settings = environment.settings();
        this.topic = topic;
        this.errors = errors;
        this.table = table;
        clock = environment.clock();
        counters = environment.counters();
        this.connection = connection;
        isFirst = connection.role() == ConnectionRole.FIRST;
        // A further connection fetches lagging partitions, and each request lists all of them, so a session would save
        // nothing and take a slot of the broker.
        session = new FetchSession(isFirst ? settings.sessionMinPartitions : Integer.MAX_VALUE);
        requests = new FetchRequests(topic, table, session, environment);
        responses = new FetchResponseReader(nodeId, topic, errors, table, session, environment);
        tuning = new FetchTuning(connections, connection.number(), environment);
        retries = settings.retryBackoff();
        connections.onOpened(connection.number(), connection.response().memory().capacity());
    }

    /** @param isPollingSocket true to read the socket even if the poller has not reported it as ready. */
    public int doWork(final boolean isPollingSocket)
    {
        int work = connection.doWork(isPollingSocket);
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
        else if (isFirst && connection.state() == ConnectionState.IDLE &&
            requests.findAny(clock.nowNs()))
        {
            connection.wake();
            work++;
        }
        checkUse();
        assert isConsistent();
        return work;
    }

    private void checkUse()
    {
        if (isInUse() || connection.number() == connections.opening())
        {
            usedNs = clock.nowNs();
        }
        else if (!isFirst && (connection.state() == ConnectionState.IDLE ||
            clock.nowNs() - usedNs >= FetchConnections.UNUSED_NS))
        {
            connections.onUnused(connection.number());
        }
    }

    private boolean isInUse()
    {
        return isRequestSent || isDelivering;
    }

    private void onResponse()
    {
        isRequestSent = false;
        lastResponseLength = connection.response().received();
        counters.add(ConsumerCounters.FETCHES, 1);
        if (environment.histograms().isOn())
        {
            environment.histograms().onFetch(clock.readNs() - exactlySentNs);
        }
        if (!isFirst && connection.response().isOversized())
        {
            connections.onLargeBatch();
            connection.fail("a batch that only the first connection has memory for");
            onConnectionFailed();
            return;
        }
        try
        {
            readResponse();
        }
        catch (final WireFormatException ex)
        {
            responses.frame.clear();
            passToFrameHandler();
            onMalformed(ex);
            return;
        }
        passToFrameHandler();
        if (responses.frame.count > 0)
        {
            isDelivering = true;
        }
        else
        {
            counters.add(ConsumerCounters.EMPTY_FETCHES, 1);
            connection.release();
        }
    }

    private void passToFrameHandler()
    {
        if (frameHandler != null && !connection.response().isOversized())
        {
            counters.add(capture(responses.frame) ?
                ConsumerCounters.FRAMES_CAPTURED : ConsumerCounters.FRAMES_NOT_CAPTURED, 1);
        }
    }

    private boolean capture(final FetchFrameHandler.Frame frame)
    {
        try
        {
            return frameHandler.onFrame(frame);
        }
        catch (final Exception ex)
        {
            environment.error(new ClientException("The fetch frame handler " + frameHandler + " threw an " +
                "exception for a response of broker " + nodeId + "; the frame counts as not captured.", ex));
            return false;
        }
    }

    private void readResponse()
    {
        // A response ends before a batch that does not fit, so a response of half the requested bytes counts as full.
        final boolean isFull = lastResponseLength >= tuning.requestedBytes / 2;
        final FetchResponseFlyweight response = responses.begin(connection.response().memory(),
            BrokerConnection.BODY_INDEX, lastResponseLength, !isFull && lastResponseLength <= TRICKLE_LENGTH,
            requestVersion);
        if (response.throttleTimeMs() > 0)
        {
            final boolean isByClient = ApiKey.FETCH.isThrottledByClient(requestVersion);
            connections.onThrottled(isByClient ? connection.throttle(response.throttleTimeMs()) : clock.nowNs());
        }
        if (response.errorCode() == ErrorCode.NONE)
        {
            final boolean isUnchanged = requests.dirty.changes == seenChanges;
            responses.readPartitions();
            if (session.isLastFull)
            {
                requests.onRecords(responses.frame);
            }
            connection.onSuccess();
            responses.onLeftOut(requests.slots, requests.slotCount);
            if (isFull)
            {
                responses.onFull(requests.partitions, requests.partitionCount);
            }
            learn(isUnchanged, response.throttleTimeMs() > 0);
            seenChanges = requests.dirty.changes;
        }
        else
        {
            tuning.onError();
            onResponseError(response.errorCode());
        }
    }

    private void learn(final boolean isUnchanged, final boolean isThrottled)
    {
        final FetchSample sample = responses.sample;
        sample.partitionCount = requests.partitionCount;
        sample.roundTripNs = connection.roundTripNs();
        sample.receiveNs = connection.receiveNs();
        sample.isThrottled = isThrottled;
        sample.isPlain &= isUnchanged && !isThrottled;
        tuning.onResponse(sample);
        final long nowNs = clock.nowNs();
        // Brokers measure the wait in whole milliseconds, and the duty cycle began before it sent the request.
        final long earlyNs = (settings.fetchMaxWaitMs / 2 - 1) * NS_PER_MS;
        if (sample.isPlain && !tuning.isBatched && settings.fetchMinBytes > 0 && responses.frame.count == 0 &&
            nowNs - sentNs < earlyNs)
        {
            // Otherwise requests might be sent and answered at once in an endless loop.
            retries.failed(nowNs);
        }
        else
        {
            retries.succeeded();
        }
    }

    private int sendFetch()
    {
        connections.onReady(connection.number());
        if (connections.isThrottled() || connections.isLeaving(connection.number()))
        {
            if (connections.isLeaving(connection.number()) && !isDelivering && requests.partitionCount > 0)
            {
                // Other connections are to fetch its partitions, which are given up after the response that is being
                // delivered.
                connections.leave(connection.number());
            }
            return 0;
        }
        final long nowNs = clock.nowNs();
        final int version = topic.version(connection.version(ApiKey.FETCH), TopicIdentity.FIRST_VERSION_WITH_ID);
        // The preparation itself notes partitions that are not requested.
        final boolean isUnchanged = requests.dirty.changes == seenChanges;
        if (!retries.hasExpired(nowNs) || !requests.prepare(version, tuning.size.maxBytes, nowNs))
        {
            return 0;
        }
        requestVersion = version;
        counters.add(
            session.isLastFull ? ConsumerCounters.FULL_FETCHES : ConsumerCounters.INCREMENTAL_FETCHES, 1);
        if (environment.histograms().isOn())
        {
            exactlySentNs = clock.readNs();
        }
        tuning.onRequest(isUnchanged);
        requests.limits(tuning.isBatched, tuning.requestedBytes);
        counters.add(ConsumerCounters.BATCHED_FETCHES, tuning.isBatched ? 1 : 0);
        connection.send(requests.frame(connection.nextCorrelationId()), requests.frameLength);
        isRequestSent = true;
        seenChanges = requests.dirty.changes;
        sentNs = nowNs;
        return 1;
    }

    private void onResponseError(final short errorCode)
    {
        final boolean wasIncremental = !session.isLastFull;
        final PartitionLeaders.Need need =
            retries.failures() == 0 ? PartitionLeaders.Need.FIRST_ERROR : PartitionLeaders.Need.ERROR;
        counters.add(ConsumerCounters.SESSION_RESETS, session.restart() ? 1 : 0);
        switch (errorCode)
        {
            case ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
                session.onNotFound();
                break;

            case ErrorCode.INVALID_FETCH_SESSION_EPOCH:
                break;

            case ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR:
                table.requestMetadata(need);
                break;

            default:
                environment.error("Fetch from broker " + nodeId + " was answered with " + ErrorCode.name(errorCode) +
                    "; it is sent again after a backoff.");
                table.requestMetadata(need);
                retries.failed(clock.nowNs());
                return;
        }
        if (!wasIncremental)
        {
            // A full request does not cause these errors, so the broker might return them again and again.
            retries.failed(clock.nowNs());
        }
    }

    private void onMalformed(final WireFormatException ex)
    {
        final FetchResponseFlyweight response = responses.response;
        final int partition = response.partition();
        if (connection.response().isOversized() && response.isRecordSetCutOff() && table.isAssigned(partition) &&
            responses.isCurrent(partition))
        {
            errors.onOversized(nodeId, partition, response.recordsLength());
        }
        else
        {
            environment.error("Fetch response from broker " + nodeId + " at " + connection.address() +
                " is malformed: " + ex.getMessage() + "; reconnecting.");
            // The broker may send the same bytes again as soon as the connection is open.
            retries.failed(clock.nowNs());
        }
        connection.fail("malformed response");
        onConnectionFailed();
    }

    private void onConnectionFailed()
    {
        dropOutstanding();
        connections.onFailed(connection.number(), lastResponseLength > 0);
        if (isFirst || lastResponseLength > 0 && connection.hasTimedOut())
        {
            // The timeout of a further connection counts, too: the broker may have failed while the first connection is
            // idle.
            table.requestMetadata(connection.hasFailedRepeatedly() ?
                PartitionLeaders.Need.ERROR : PartitionLeaders.Need.FIRST_ERROR);
        }
        if (!isFirst)
        {
            return;
        }
        for (int p = 0; p < table.capacity(); p++)
        {
            // This includes partitions of further connections, which would otherwise wait until the broker is found to
            // have failed.
            if (table.isAssigned(p) && table.partition(p).replicaId == nodeId)
            {
                table.leaveReplica(p);
                errors.backOff(p, ErrorCode.NETWORK_EXCEPTION);
            }
        }
    }

    /**
     * Drops the response and the request in flight of a connection that has failed or is closed, and restarts the fetch
     * session, because it is not known whether the broker has received the request.
     */
    private void dropOutstanding()
    {
        seenFailures = connection.failures();
        isRequestSent = false;
        tuning.reset();
        if (isDelivering)
        {
            isDelivering = false;
            counters.add(ConsumerCounters.BYTES_DISCARDED, responses.frame.undelivered());
        }
        responses.frame.clear();
        counters.add(ConsumerCounters.SESSION_RESETS, session.restart() ? 1 : 0);
        for (int i = 0; i < requests.partitionCount; i++)
        {
            table.invalidate(requests.partitions[i]);
        }
    }

    public boolean isDelivering()
    {
        return isDelivering;
    }

    void endFrame()
    {
        responses.frame.clear();
        isDelivering = false;
        connection.release();
        final int awaitedBytes = isRequestSent ? tuning.requestedBytes : 0;
        final int capacity = connection.response().memory().capacity();
        final int length = tuning.takeBufferLength(capacity, awaitedBytes);
        if (length != capacity)
        {
            connection.resize(length);
        }
        if (!isFirst && lastResponseLength <= TRICKLE_LENGTH)
        {
            returnPartitionsAtEnd();
        }
    }

    private void returnPartitionsAtEnd()
    {
        for (int i = 0; i < requests.partitionCount; i++)
        {
            final int partition = requests.partitions[i];
            if (requests.isMine(partition) &&
                table.nextOffset(partition) >= table.partition(partition).end(settings.isReadCommitted))
            {
                table.connection(partition, 0);
            }
        }
        connections.distribute();
    }

    /**
     * Makes the poller ignore the socket while a response is held, because bytes after the response would end each
     * wait.
     */
    public void park()
    {
        connection.park();
    }

    public void clearPartitions(final int capacity)
    {
        requests.clearPartitions(capacity);
        responses.frame.ensureCapacity(capacity);
    }

    public void addPartition(final int partition)
    {
        requests.addPartition(partition);
    }

    public int partitionCount()
    {
        return requests.partitionCount;
    }

    /**
     * Connects to an address of the broker, unless it is the current address. If the address has changed, the
     * partitions of a connection other than the first move to the first connection instead.
     */
    public void address(final BrokerAddress address)
    {
        final boolean isNew = connection.state() == ConnectionState.CLOSED;
        if (!isNew && connection.address().isSame(address))
        {
            return;
        }
        if (!isNew)
        {
            connections.onFailed(connection.number(), true);
        }
        if (isNew || isFirst)
        {
            connection.open(nodeId, address);
            dropOutstanding();
        }
        if (isFirst)
        {
            table.requestMetadata(PartitionLeaders.Need.REFRESH);
        }
    }

    /** Returns true if the last response had 64 KiB or more. */
    public boolean isBulk()
    {
        return lastResponseLength >= BULK_LENGTH;
    }

    public FetchConnections connections()
    {
        return connections;
    }

    @Override
    public int nodeId()
    {
        return nodeId;
    }

    @Override
    public int number()
    {
        return connection.number();
    }

    public boolean isFirst()
    {
        return isFirst;
    }

    public ConnectionState state()
    {
        return connection.state();
    }

    /** Returns true if the connection is established, or was closed because it was not used. */
    public boolean isReady()
    {
        return connection.isReady() || connection.state() == ConnectionState.IDLE;
    }

    /**
     * Returns the next time at which there is work even if no byte arrives, or {@code otherwiseNs} if that is earlier.
     */
    public long nextDeadlineNs(final long otherwiseNs)
    {
        final long unusedNs =
            isFirst || isInUse() ? otherwiseNs : usedNs + FetchConnections.UNUSED_NS;
        final long nextNs =
            connections.nextDeadlineNs(connection.nextDeadlineNs(earlier(unusedNs, otherwiseNs)));
        return retries.hasExpired(clock.nowNs()) ? nextNs : earlier(retries.deadlineNs(), nextNs);
    }

    public void free()
    {
        // A session that is given up is not a reset.
        session.restart();
        dropOutstanding();
        connections.onClosed(connection.number());
        connection.free();
        requests.free();
    }

    private boolean isConsistent()
    {
        // If the connection has failed, the next call notices that, and drops the outstanding request and response.
        return connection.failures() != seenFailures ||
            // A response is delivered while the connection holds it, and is released at its end.
            isDelivering == responses.frame.count > 0 && (!isDelivering || connection.hasResponse()) &&
            // A request is outstanding only on a connection that is ready.
            (!isRequestSent || connection.isReady());
    }

    @Override
    public String toString()
    {
        return connection + ", " + requests.partitionCount + " partitions, " +
            (isFirst ? connections + ", " : "") +
            (session.isOpen() ? "session " + session.id + " epoch " + session.epoch + " holds " +
            session.heldCount + " partitions" : "no session") + (isRequestSent ? ", fetch outstanding" : "") +
            ", up to " + tuning.size.maxBytes + " bytes per fetch" +
            (isDelivering ? ", delivering" : "") + ", fetch version " + requestVersion;
    }
}
