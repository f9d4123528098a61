// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks that no request, other than a fetch, is sent again before its backoff: after an error, after a response that
 * never came, and after a response that leaves out a partition.
 */
final class RetryOracle
{
    static final String BACKOFF = "retry backoff";
    static final double LEAST = 0.8;

    private static final int METADATA = ApiKeys.METADATA.id;
    private static final int CORRELATION_END = 8;
    private static final int MOST_REFRESHES = 4;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * What one request asks of a broker for one partition.
     *
     * @param partition   -1 if the request is not about partitions.
     * @param value       timestamp, epoch or offset in the request, or 0.
     * @param leaderEpoch of the leader that the consumer knows, or -1.
     */
    record Part(int brokerId, int api, int partition, long value, int leaderEpoch)
    {
    }

    private final World world;
    private final Scenario scenario;
    private final SimulatedClock clock;
    /** When a part failed that may not be requested again yet. */
    private final Map<Part, Long> failures = new HashMap<>();
    /**
     * Answers in a row with metadata that end no error. A first error of a partition, a connection that was made or
     * lost, and metadata with a change begin again: the next request need not wait.
     */
    private int metadataFailures;
    private long metadataFailedNs;
    private MetadataResponseData metadata;
    /** Requests for metadata in a row that were not answered, and the address of the last. */
    private int metadataLosses;
    private long metadataLostNs;
    private InetAddress metadataLostBy;
    /** So many of the next answers may be those to requests that no error has led to, see {@link #onDoubt()}. */
    private int refreshes;

    RetryOracle(final World world)
    {
        this.world = world;
        scenario = world.scenario;
        clock = world.clock;
    }

    /** The user has changed what the consumer needs: it may request at once what has failed before. */
    void onChange()
    {
        failures.clear();
        metadataLosses = 0;
        onDoubt();
    }

    /**
     * Who leads may be out of date. A connection is made, or one for fetches was closed, perhaps because partitions
     * move to another broker, to which a connection is made after a backoff. Or something has failed for the first time
     * since it was answered well, which the client may learn after a request for metadata.
     */
    void onDoubt()
    {
        metadataFailures = 0;
        refreshes = Math.min(refreshes + 1, MOST_REFRESHES);
    }

    /** Another leader may be asked at once. */
    void onLeaderChanged()
    {
        failures.clear();
    }

    void onRequest(final Exchange exchange, final ByteBuffer frame)
    {
        final ApiMessage request = AbstractRequest.parseRequest(ApiKeys.forId(exchange.api), (short)exchange.version,
            new ByteBufferAccessor(bodyOf(exchange, frame))).request.data();
        if (world.trace.hasText())
        {
            world.trace.text("  " + request);
        }
        exchange.parts = partsOf(exchange, request);
        if (exchange.api == METADATA)
        {
            checkMetadata(exchange);
        }
        for (final Part part : exchange.parts)
        {
            final Long failedNs = failures.remove(part);
            // A new query of the user does not wait for another that is equal and has failed.
            final boolean isNew =
                part.api == ApiKeys.LIST_OFFSETS.id && world.user.offsets.isQuerying(part.partition);
            if (failedNs != null && !isNew)
            {
                checkBackoff(1, failedNs, ApiKeys.forId(part.api).name);
            }
        }
    }

    /** A broker that may be gone is left for another one at once, and old metadata is requested again. */
    private void checkMetadata(final Exchange exchange)
    {
        if (clock.nowNs() - metadataFailedNs < scenario.metadataMaxAgeMs * NS_PER_MS)
        {
            checkBackoff(metadataFailures, metadataFailedNs, "Metadata");
        }
        if (exchange.address.equals(metadataLostBy))
        {
            checkBackoff(metadataLosses, metadataLostNs, "Metadata");
        }
    }

    private void checkBackoff(final int failureCount, final long failedNs, final String api)
    {
        if (failureCount > 0)
        {
            final long backoffMs = backoffMs(scenario, failureCount, scenario.retryBackoffMaxMs);
            if (clock.nowNs() - failedNs < (long)(LEAST * backoffMs * NS_PER_MS))
            {
                throw world.oracles.failure(BACKOFF, "the same " + api + " request no sooner than " +
                    LEAST * backoffMs + " ms after failure " + failureCount + ", but it came " +
                    (clock.nowNs() - failedNs) / NS_PER_MS + " ms after it");
            }
        }
    }

    /** Returns the backoff after 1 failure or more, without its jitter. */
    static long backoffMs(final Scenario scenario, final int failureCount, final long maxMs)
    {
        return Math.min(maxMs, (long)scenario.retryBackoffMs << Math.min(30, failureCount - 1));
    }

    static ByteBuffer bodyOf(final Exchange exchange, final ByteBuffer frame)
    {
        final ByteBuffer body = frame.duplicate();
        final short headerVersion = ApiKeys.forId(exchange.api).requestHeaderVersion((short)exchange.version);
        new RequestHeaderData(new ByteBufferAccessor(body), headerVersion);
        return body;
    }

    private static List<Part> partsOf(final Exchange exchange, final ApiMessage request)
    {
        final List<Part> parts = new ArrayList<>();
        if (request instanceof ListOffsetsRequestData offsets)
        {
            offsets.topics().forEach((topic) -> topic.partitions().forEach(
                (asked) -> parts.add(part(
                    exchange, asked.partitionIndex(), asked.timestamp(), asked.currentLeaderEpoch()))));
        }
        else if (request instanceof OffsetForLeaderEpochRequestData epochs)
        {
            epochs.topics().forEach((topic) -> topic.partitions().forEach(
                (asked) -> parts.add(part(
                    exchange, asked.partition(), asked.leaderEpoch(), asked.currentLeaderEpoch()))));
        }
        else if (request instanceof OffsetCommitRequestData commits)
        {
            commits.topics().forEach((topic) -> topic.partitions().forEach(
                (asked) -> parts.add(part(exchange, asked.partitionIndex(), asked.committedOffset(), -1))));
        }
        else if (request instanceof OffsetFetchRequestData fetches)
        {
            if (fetches.topics() != null)
            {
                fetches.topics().forEach((topic) -> topic.partitionIndexes().forEach(
                    (partition) -> parts.add(part(exchange, partition, 0, -1))));
            }
            fetches.groups().forEach((group) -> group.topics().forEach((topic) -> topic.partitionIndexes().forEach(
                (partition) -> parts.add(part(exchange, partition, 0, -1)))));
        }
        else if (exchange.api != METADATA)
        {
            parts.add(part(exchange, -1, 0, -1));
        }
        return parts;
    }

    private static Part part(
        final Exchange exchange, final int partition, final long value, final int leaderEpoch)
    {
        return new Part(exchange.brokerId, exchange.api, partition, value, leaderEpoch);
    }

    /** There will be no response. */
    void onLost(final Exchange exchange)
    {
        if (exchange.api == METADATA)
        {
            metadataLosses++;
            metadataLostNs = clock.nowNs();
            metadataLostBy = exchange.address;
        }
        exchange.parts.forEach((part) -> failures.put(part, clock.nowNs()));
    }

    /** @param frame with its length field. */
    void onResponse(final Exchange exchange, final ByteBuffer frame)
    {
        final ApiKeys api = ApiKeys.forId(exchange.api);
        final ByteBuffer body = frame.duplicate();
        body.position(CORRELATION_END + api.responseHeaderVersion((short)exchange.version));
        final AbstractResponse response =
            AbstractResponse.parseResponse(api, new ByteBufferAccessor(body), (short)exchange.version);
        if (world.trace.hasText())
        {
            world.trace.text("  " + response.data());
        }
        if (response.shouldClientThrottle((short)exchange.version))
        {
            exchange.throttledUntilNs = clock.nowNs() + response.throttleTimeMs() * NS_PER_MS;
        }
        boolean isFailed = false;
        for (final Errors error : response.errorCounts().keySet())
        {
            isFailed |= error != Errors.NONE;
        }
        final BitSet answered = answered(response.data());
        final boolean isFetch = exchange.api == ApiKeys.OFFSET_FETCH.id;
        isFailed |= isFetch && answered.cardinality() < exchange.parts.size();
        for (final Part part : exchange.parts)
        {
            // The offsets of all partitions are fetched again if one is missing.
            if (part.partition < 0 || isFetch ? isFailed : !answered.get(part.partition))
            {
                failures.put(part, clock.nowNs());
            }
        }
        if (response.data() instanceof MetadataResponseData found)
        {
            final boolean isChanged = !found.setThrottleTimeMs(0).equals(metadata);
            metadataFailures = (isChanged ? 0 : metadataFailures) +
                ((isFailed || !isChanged) && refreshes == 0 ? 1 : 0);
            metadataFailedNs = clock.nowNs();
            metadataLosses = 0;
            metadata = found;
            refreshes = Math.max(0, refreshes - 1);
        }
        else if (isFailed)
        {
            onDoubt();
        }
    }

    /** Returns the partitions that a response answers without an error. */
    private static BitSet answered(final ApiMessage response)
    {
        final BitSet answered = new BitSet();
        if (response instanceof ListOffsetsResponseData offsets)
        {
            offsets.topics().forEach((topic) -> topic.partitions().forEach(
                (found) -> set(answered, found.partitionIndex(), found.errorCode())));
        }
        else if (response instanceof OffsetForLeaderEpochResponseData epochs)
        {
            epochs.topics().forEach((topic) -> topic.partitions().forEach(
                (found) -> set(answered, found.partition(), found.errorCode())));
        }
        else if (response instanceof OffsetCommitResponseData commits)
        {
            commits.topics().forEach((topic) -> topic.partitions().forEach(
                (found) -> set(answered, found.partitionIndex(), found.errorCode())));
        }
        else if (response instanceof OffsetFetchResponseData fetches)
        {
            fetches.topics().forEach((topic) -> topic.partitions().forEach(
                (found) -> set(answered, found.partitionIndex(), found.errorCode())));
            fetches.groups().forEach((group) -> group.topics().forEach((topic) -> topic.partitions().forEach(
                (found) -> set(answered, found.partitionIndex(), found.errorCode()))));
        }
        return answered;
    }

    private static void set(final BitSet answered, final int partition, final short errorCode)
    {
        if (errorCode == Errors.NONE.code())
        {
            answered.set(partition);
        }
    }
}
