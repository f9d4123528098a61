// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * Checks that the consumer is economical: nothing is requested or connected to again before its backoff, nothing is
 * sent on a throttled connection, an idle consumer is quiet, and no wake-up is for nothing.
 */
final class TrafficOracle
{
    private static final String BACKOFF = "retry backoff";
    private static final String CONNECTS = "connect backoff";
    private static final String THROTTLE = "throttle";
    private static final String PIPELINE = "one request at a time";
    private static final String WAKE_UPS = "wake-ups";
    private static final String CYCLES = "cycle rate";
    private static final String IDLE = "idle economy";
    private static final String FLOW = "fetch economy";

    private static final int FETCH = ApiKeys.FETCH.id;
    private static final int METADATA = ApiKeys.METADATA.id;
    private static final int API_VERSIONS = ApiKeys.API_VERSIONS.id;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long NS_PER_S = TimeUnit.SECONDS.toNanos(1);
    private static final double LEAST = 0.8;
    /** Connections that may exist to one broker: for metadata, fetches, offsets and the group. */
    private static final int CONNECTIONS = 4;
    private static final int MAX_USELESS_WAKE_UPS = 2;
    private static final int MAX_CYCLES = 100;
    private static final int CORRELATION_END = 8;
    private static final long MAX_LATENCY_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** What is known of one connection. */
    private static final class Exchange
    {
        final InetAddress address;
        int api = -1;
        int version;
        int brokerId;
        long requestNs;
        long requestKey;
        boolean isOutstanding;
        boolean isAnswered;
        long throttledUntilNs;

        Exchange(final InetAddress address)
        {
            this.address = address;
        }
    }

    /** The failed attempts to connect to one address, in a row. */
    private static final class Outage
    {
        long sinceNs;
        int attempts;
        int changes;
    }

    private final World world;
    private final Scenario scenario;
    private final SimulatedClock clock;
    private final CRC32C crc = new CRC32C();
    private final FetchScan scan = new FetchScan();
    private final Map<Link, Exchange> exchanges = new HashMap<>();
    private final Map<InetAddress, Outage> outages = new HashMap<>();
    /** When a request failed that may not be sent again yet, by its bytes. */
    private final Map<Long, Long> failures = new HashMap<>();
    private int metadataFailures;
    private long changeNs;
    private long metadataFailedNs;
    /** When a partition was answered with an error and by which broker, or {@link Long#MIN_VALUE}. */
    private long[] errorNs = {};
    private int[] errorBrokers = {};
    /** When the consumer has learned of another leader of a partition. */
    private long[] leaderNs = {};
    /** When a leader has last named a replica for a partition. */
    private long[] namedNs = {};
    private long seenActivity;
    private int uselessWakeUps;
    private double allowedCycles = MAX_CYCLES;
    private long cyclesNs;

    private Phase measured;
    private long measuredSinceNs;
    private long fetches;
    private long metadataRequests;
    private long otherRequests;
    private long appends;

    TrafficOracle(final World world)
    {
        this.world = world;
        scenario = world.scenario;
        clock = world.clock;
    }

    private void check(final boolean isRight, final String oracle, final String message)
    {
        if (!isRight)
        {
            throw world.oracles.failure(oracle, message);
        }
    }

    /** The user has changed what the consumer needs: it may ask at once for what has failed before. */
    void onChange()
    {
        changeNs = clock.nowNs();
        measured = null;
        failures.clear();
        metadataFailures = 0;
        Arrays.fill(errorNs, Long.MIN_VALUE);
        outages.values().forEach((outage) -> outage.changes++);
    }

    void onLeaderChanged(final int partition)
    {
        ensureCapacity(partition);
        failures.clear();
        errorNs[partition] = Long.MIN_VALUE;
        leaderNs[partition] = clock.nowNs();
        outages.values().forEach((outage) -> outage.changes++);
    }

    void onConnect(final Link link)
    {
        exchanges.put(link, new Exchange(link.host.address));
        final Outage outage = outages.get(link.host.address);
        if (outage != null)
        {
            outage.attempts++;
            final long elapsedNs = clock.nowNs() - outage.sinceNs;
            final int allowed = CONNECTIONS * (1 + attempts(elapsedNs)) + 2 * outage.changes;
            check(outage.attempts <= allowed, CONNECTS, "at most " + allowed + " attempts to connect to " +
                link.host.name + " in " + elapsedNs / 1e9 + " s of failures, but found " + outage.attempts);
        }
        otherRequests++;
    }

    /** Returns how often one connection may try in a time, with a backoff that doubles. */
    private int attempts(final long elapsedNs)
    {
        long restNs = elapsedNs;
        long backoffMs = scenario.reconnectBackoffMs;
        int count = 0;
        while (restNs >= 0)
        {
            count++;
            restNs -= (long)(LEAST * backoffMs * NS_PER_MS);
            backoffMs = Math.min(scenario.reconnectBackoffMaxMs, 2 * backoffMs);
        }
        return count;
    }

    private Outage begin(final InetAddress address)
    {
        final Outage outage = new Outage();
        outage.sinceNs = clock.nowNs();
        return outage;
    }

    /** The consumer has closed a connection: what was outstanding on it has failed. */
    void onClose(final Link link)
    {
        final Exchange exchange = exchanges.remove(link);
        if (!exchange.isAnswered)
        {
            outages.computeIfAbsent(exchange.address, this::begin);
        }
        else if (exchange.isOutstanding && exchange.api != FETCH && exchange.api != API_VERSIONS)
        {
            failed(exchange);
        }
        // It is not known which responses have not reached the consumer.
        Arrays.fill(errorNs, Long.MIN_VALUE);
    }

    private void failed(final Exchange exchange)
    {
        if (exchange.api == METADATA)
        {
            metadataFailures++;
            metadataFailedNs = clock.nowNs();
        }
        else
        {
            failures.put(exchange.requestKey, clock.nowNs());
        }
    }

    void onRequest(final Link link, final ByteBuffer frame)
    {
        final Exchange exchange = exchanges.get(link);
        if (exchange == null)
        {
            return;     // the consumer has closed the connection since
        }
        final long nowNs = clock.nowNs();
        check(!exchange.isOutstanding, PIPELINE, "no second request on " + link + " before the response");
        check(nowNs >= exchange.throttledUntilNs, THROTTLE, "no request on " + link + " for another " +
            (exchange.throttledUntilNs - nowNs) / NS_PER_MS + " ms, because the broker throttles it");
        exchange.api = frame.getShort(frame.position());
        exchange.version = frame.getShort(frame.position() + Short.BYTES);
        exchange.isOutstanding = true;
        exchange.requestNs = nowNs;
        exchange.brokerId = link.host.broker.id();
        exchange.requestKey = keyOf(exchange, frame);
        if (world.trace.hasText() && exchange.api != API_VERSIONS)
        {
            world.trace.text("  " + AbstractRequest.parseRequest(ApiKeys.forId(exchange.api), (short)exchange.version,
                new ByteBufferAccessor(bodyOf(exchange, frame))).request);
        }
        if (exchange.api == FETCH)
        {
            fetches++;
        }
        else if (exchange.api == METADATA)
        {
            metadataRequests++;
            checkBackoff(metadataFailures, metadataFailedNs, "Metadata");
        }
        else if (exchange.api != API_VERSIONS)
        {
            otherRequests++;
            final Long failedNs = failures.remove(exchange.requestKey);
            // A new query of the user does not wait for another that is equal and has failed.
            final boolean isNew = exchange.api == ApiKeys.LIST_OFFSETS.id && world.user.offsets.isQuerying();
            if (failedNs != null && !isNew)
            {
                checkBackoff(1, failedNs, ApiKeys.forId(exchange.api).name);
            }
        }
    }

    private void checkBackoff(final int failureCount, final long failedNs, final String api)
    {
        if (failureCount > 0)
        {
            final long backoffMs = Math.min(
                scenario.retryBackoffMaxMs, (long)scenario.retryBackoffMs << Math.min(30, failureCount - 1));
            check(clock.nowNs() - failedNs >= (long)(LEAST * backoffMs * NS_PER_MS), BACKOFF, "the same " + api +
                " request no sooner than " + LEAST * backoffMs + " ms after failure " + failureCount +
                ", but it came " +
                (clock.nowNs() - failedNs) / NS_PER_MS + " ms after it");
        }
    }

    private static ByteBuffer bodyOf(final Exchange exchange, final ByteBuffer frame)
    {
        final ByteBuffer body = frame.duplicate();
        final short headerVersion = ApiKeys.forId(exchange.api).requestHeaderVersion((short)exchange.version);
        new RequestHeaderData(new ByteBufferAccessor(body), headerVersion);
        return body;
    }

    private long keyOf(final Exchange exchange, final ByteBuffer frame)
    {
        crc.reset();
        final ByteBuffer body = frame.duplicate();
        crc.update(body.position(body.position() + CORRELATION_END));
        return crc.getValue() << 32 | (long)exchange.api << 16 | exchange.brokerId;
    }

    void onResponse(final Link link, final ByteBuffer frame)
    {
        final Exchange exchange = exchanges.get(link);
        if (exchange == null)
        {
            return;
        }
        exchange.isOutstanding = false;
        exchange.isAnswered = true;
        outages.remove(exchange.address);
        try
        {
            readResponse(exchange, frame);
        }
        catch (final RuntimeException ignore)
        {
            exchange.api = -1;     // a frame that lies
        }
    }

    private void readResponse(final Exchange exchange, final ByteBuffer frame)
    {
        if (frame.remaining() < CORRELATION_END || frame.getInt(0) != frame.remaining() - Integer.BYTES)
        {
            return;
        }
        if (exchange.api == FETCH)
        {
            scan.wrap(frame, exchange.version);
            if (scan.throttleMs > 0 && exchange.version >= 8)
            {
                exchange.throttledUntilNs = clock.nowNs() + scan.throttleMs * NS_PER_MS;
            }
            while (scan.next())
            {
                if (world.trace.hasText())
                {
                    world.trace.text("  partition " + scan.partition + ": error " + scan.partitionError + ", " +
                        scan.recordsLength + " bytes of records");
                }
                onFetched(exchange, scan.partition, scan.partitionError);
            }
        }
        else if (exchange.api != API_VERSIONS)
        {
            onControlResponse(exchange, frame);
        }
    }

    private void ensureCapacity(final int partition)
    {
        if (partition >= errorNs.length)
        {
            final int known = errorNs.length;
            errorNs = Arrays.copyOf(errorNs, partition + 8);
            errorBrokers = Arrays.copyOf(errorBrokers, partition + 8);
            leaderNs = Arrays.copyOf(leaderNs, partition + 8);
            namedNs = Arrays.copyOf(namedNs, partition + 8);
            Arrays.fill(errorNs, known, errorNs.length, Long.MIN_VALUE);
        }
    }

    private void onFetched(final Exchange exchange, final int partition, final short errorCode)
    {
        ensureCapacity(partition);
        // The consumer ignores the answer to a request that was sent before it learned of another leader or replica.
        final boolean isRetried =
            errorCode != Errors.NONE.code() && errorCode != Errors.OFFSET_OUT_OF_RANGE.code() &&
            exchange.requestNs - Math.max(changeNs, leaderNs[partition]) > MAX_LATENCY_NS &&
            exchange.requestNs >= namedNs[partition];
        if (isRetried && errorNs[partition] != Long.MIN_VALUE && errorBrokers[partition] == exchange.brokerId)
        {
            final long elapsedNs = clock.nowNs() - errorNs[partition];
            check(elapsedNs >= (long)(LEAST * scenario.retryBackoffMs * NS_PER_MS), BACKOFF, "partition " + partition +
                " in fetches no sooner than " + LEAST * scenario.retryBackoffMs + " ms after an error, but " +
                Errors.forCode(errorCode) + " was answered again " + elapsedNs / NS_PER_MS + " ms after one");
        }
        errorNs[partition] = isRetried ? clock.nowNs() : Long.MIN_VALUE;
        errorBrokers[partition] = exchange.brokerId;
        if (scan.preferredReplica >= 0)
        {
            namedNs[partition] = clock.nowNs();
        }
    }

    private void onControlResponse(final Exchange exchange, final ByteBuffer frame)
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
        if (isFailed)
        {
            failed(exchange);
        }
        else if (exchange.api == METADATA)
        {
            metadataFailures = 0;
        }
    }

    void onAppend(final int partition, final long baseOffset, final long lastOffset)
    {
        appends++;
    }

    void onAwait(final long startNs, final long timeoutNs, final int ready)
    {
        final boolean isActive = world.network.activity() != seenActivity;
        seenActivity = world.network.activity();
        uselessWakeUps = isActive || ready == 0 ? 0 : uselessWakeUps + 1;
        check(uselessWakeUps <= MAX_USELESS_WAKE_UPS, WAKE_UPS, "bytes or a change of state after at most " +
            MAX_USELESS_WAKE_UPS + " wake-ups, but a socket was ready " + uselessWakeUps + " times for nothing");
        // What has arrived may lead to one further cycle at once.
        allowedCycles = Math.min(MAX_CYCLES, allowedCycles + MAX_CYCLES * ((clock.nowNs() - cyclesNs) / 1e9) +
            (isActive ? 1 : startNs + timeoutNs >= world.user.deadlineNs() ? 0 : -1));
        cyclesNs = clock.nowNs();
        check(allowedCycles >= 0, CYCLES, "at most " + MAX_CYCLES + " cycles per second without bytes, but there " +
            "were more");
    }

    void onPhase(final Phase phase)
    {
        if (measured == Phase.FLOWING)
        {
            checkFlow();
        }
        else if (measured == Phase.IDLE)
        {
            checkIdle();
        }
        measure(phase == Phase.FLOWING ? phase : null);
    }

    /** The consumer has been idle for long enough to measure it. */
    void beginIdle()
    {
        if (measured != Phase.IDLE)
        {
            measure(Phase.IDLE);
        }
    }

    private void measure(final Phase phase)
    {
        measured = phase;
        measuredSinceNs = clock.nowNs();
        fetches = 0;
        metadataRequests = 0;
        otherRequests = 0;
        appends = 0;
    }

    /** Returns how many fetches all leaders may get of a consumer that gets no record. */
    private long idleFetches()
    {
        final double seconds = (clock.nowNs() - measuredSinceNs) / 1e9;
        final double perLeader = seconds * 1_000 / scenario.fetchMaxWaitMs + seconds / 10 + 2;
        return (long)(scenario.brokerCount * perLeader) + 2 * moves();
    }

    /**
     * Returns how often partitions may move, each time for one connection and one request for metadata: to their
     * leaders, because their time on a replica has expired, and back.
     */
    private long moves()
    {
        return scenario.isOn(Feature.RACKS) ? 2 * world.partitions().size() * refreshes() : 0;
    }

    private long refreshes()
    {
        return 1 + (clock.nowNs() - measuredSinceNs) / (scenario.metadataMaxAgeMs * NS_PER_MS);
    }

    private void checkFlow()
    {
        check(fetches <= appends + idleFetches(), FLOW, "at most " + appends + " fetches for as many batches, and " +
            idleFetches() + " more, but there were " + fetches);
    }

    private void checkIdle()
    {
        final long seconds = (clock.nowNs() - measuredSinceNs) / NS_PER_S;
        check(fetches <= idleFetches(), IDLE, "at most " + idleFetches() + " fetches in " + seconds +
            " idle seconds, but there were " + fetches);
        final long refreshes = refreshes() + moves();
        check(metadataRequests <= refreshes, IDLE, "at most " + refreshes + " Metadata requests in " + seconds +
            " idle seconds, but there were " + metadataRequests);
        check(otherRequests <= moves(), IDLE, "at most " + moves() + " connects and no other request in " + seconds +
            " idle seconds, but there were " + otherRequests);
    }
}
