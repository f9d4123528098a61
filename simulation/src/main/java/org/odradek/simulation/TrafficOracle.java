// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks that the consumer is economical: nothing is requested or connected to again before its backoff, nothing is
 * sent on a throttled connection, an idle consumer is quiet, and no wake-up is for nothing.
 */
final class TrafficOracle
{
    /** What a consumer waits that has something to do. */
    private static final long LEAST_WAIT_NS = 1;
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
    /** Connections that may exist to one broker besides those for fetches: for metadata, offsets and the group. */
    private static final int OTHER_CONNECTIONS = 3;
    private static final int MAX_USELESS_WAKE_UPS = 2;
    private static final int MAX_CYCLES = 100;
    private static final int MORE_CYCLES = 20;
    private static final int CORRELATION_END = 8;
    /** At the end of the wait before it, and when it begins. */
    private static final int READS_OF_QUIET_POLL = 2;
    private static final int FEW_POLLS = 10;
    private static final long MAX_LATENCY_NS = TimeUnit.MILLISECONDS.toNanos(500);

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
    private final FetchScan scan = new FetchScan();
    private final Map<Link, Exchange> exchanges = new HashMap<>();
    private final Map<InetAddress, Outage> outages = new HashMap<>();
    private final RetryOracle retries;
    private long changeNs;
    /** When a partition was answered with an error and by which broker, or {@link Long#MIN_VALUE}. */
    private long[] errorNs = {};
    private int[] errorBrokers = {};
    /** How often in a row. */
    private int[] errorCounts = {};
    /** When the consumer has learned of another leader of a partition. */
    private long[] leaderNs = {};
    /** When a leader has last named a replica for a partition. */
    private long[] namedNs = {};
    private long seenActivity;
    private int uselessWakeUps;
    /** Per second. Each further connection that fetches has a backoff of its own, whose end is a cycle. */
    private final int maxCycles;
    private double allowedCycles;
    private long cyclesNs;
    private long seenRecords;

    private long seenReads;
    private boolean isQuiet;
    /** The user has called more than a poll since the last wait. */
    private boolean isChanged;

    /** When a partition in a fetch was answered with an error last. */
    private long refusedNs;
    /** A time in which a consumer tries again what was refused. */
    private final long quietNs;

    private Phase measured;
    private long measuredSinceNs;
    private long fetches;
    private long metadataRequests;
    private long otherRequests;
    /** Batches that were not read when the measurement began, and those appended since. */
    private long appends;
    private long leaderChanges;
    private long lostLinks;
    private long quietPolls;
    private long workingPolls;

    TrafficOracle(final World world)
    {
        this.world = world;
        scenario = world.scenario;
        clock = world.clock;
        quietNs = (scenario.fetchMaxWaitMs + 2L * scenario.retryBackoffMaxMs) * NS_PER_MS + MAX_LATENCY_NS +
            scenario.distance.exchangeNs();
        retries = new RetryOracle(world);
        maxCycles = MAX_CYCLES + MORE_CYCLES * scenario.brokerCount * (scenario.fetchConnections() - 1);
        allowedCycles = maxCycles;
    }

    private void check(final boolean isRight, final String oracle, final String message)
    {
        if (!isRight)
        {
            throw world.oracles.failure(oracle, message);
        }
    }

    /** A new consumer does not know which brokers did not answer the one before. */
    void onOpen()
    {
        onChange();
        outages.clear();
    }

    /** The user has changed what the consumer needs: it may ask at once for what has failed before. */
    void onChange()
    {
        changeNs = clock.nowNs();
        measured = null;
        retries.onChange();
        isChanged = true;
        Arrays.fill(errorNs, Long.MIN_VALUE);
        outages.values().forEach((outage) -> outage.changes++);
    }

    void onLeaderChanged(final int partition)
    {
        ensureCapacity(partition);
        retries.onLeaderChanged();
        errorNs[partition] = Long.MIN_VALUE;
        leaderNs[partition] = clock.nowNs();
        leaderChanges++;
        outages.values().forEach((outage) -> outage.changes++);
    }

    void onConnect(final Link link)
    {
        check(link.host.port == SimulatedNetwork.PORT, CONNECTS, "no connect to port " + link.host.port +
            ", on which no broker can listen");
        exchanges.put(link, new Exchange(link.host.address));
        final Outage outage = outages.get(link.host.address);
        if (outage != null)
        {
            outage.attempts++;
            final long elapsedNs = clock.nowNs() - outage.sinceNs;
            final int fetching = scenario.fetchConnections();
            final int allowed =
                (OTHER_CONNECTIONS + fetching) * (1 + attempts(elapsedNs)) + (1 + fetching) * outage.changes;
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
            restNs -= (long)(RetryOracle.LEAST * backoffMs * NS_PER_MS);
            backoffMs = Math.min(scenario.reconnectBackoffMaxMs, 2 * backoffMs);
        }
        return count;
    }

    /** Returns whether the last request belongs to the set-up of a connection, which reconnects as a whole. */
    private static boolean isSetUp(final Exchange exchange)
    {
        return exchange.api == API_VERSIONS || isAuthenticating(exchange);
    }

    private static boolean isAuthenticating(final Exchange exchange)
    {
        return exchange.api == ApiKeys.SASL_HANDSHAKE.id || exchange.api == ApiKeys.SASL_AUTHENTICATE.id;
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
        else if (exchange.isOutstanding && exchange.api != FETCH && !isSetUp(exchange))
        {
            retries.onLost(exchange);
        }
        // It is not known which responses have not reached the consumer.
        Arrays.fill(errorNs, Long.MIN_VALUE);
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
        exchange.api = frame.getShort(frame.position());
        exchange.version = frame.getShort(frame.position() + Short.BYTES);
        // As Kafka's own clients do, the consumer authenticates again whatever the broker throttles.
        check(isAuthenticating(exchange) || nowNs >= exchange.throttledUntilNs - NS_PER_MS, THROTTLE,
            "no request on " + link + " for another " + (exchange.throttledUntilNs - nowNs) / NS_PER_MS +
            " ms, because the broker throttles it");
        exchange.isOutstanding = true;
        exchange.requestNs = link.requestNs();
        exchange.brokerId = link.host.broker.id();
        if (exchange.api == FETCH)
        {
            fetches++;
            traceFetch(exchange, frame);
        }
        else if (!isSetUp(exchange))
        {
            metadataRequests += exchange.api == METADATA ? 1 : 0;
            otherRequests += exchange.api == METADATA ? 0 : 1;
            retries.onRequest(exchange, frame);
        }
    }

    private void traceFetch(final Exchange exchange, final ByteBuffer frame)
    {
        if (world.trace.hasText())
        {
            world.trace.text("  " + AbstractRequest.parseRequest(ApiKeys.FETCH, (short)exchange.version,
                new ByteBufferAccessor(RetryOracle.bodyOf(exchange, frame))).request);
        }
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
        else if (!isSetUp(exchange))
        {
            retries.onResponse(exchange, frame);
        }
    }

    private void ensureCapacity(final int partition)
    {
        if (partition >= errorNs.length)
        {
            final int known = errorNs.length;
            errorNs = Arrays.copyOf(errorNs, partition + 8);
            errorBrokers = Arrays.copyOf(errorBrokers, partition + 8);
            errorCounts = Arrays.copyOf(errorCounts, partition + 8);
            leaderNs = Arrays.copyOf(leaderNs, partition + 8);
            namedNs = Arrays.copyOf(namedNs, partition + 8);
            Arrays.fill(errorNs, known, errorNs.length, Long.MIN_VALUE);
        }
    }

    private void onFetched(final Exchange exchange, final int partition, final short errorCode)
    {
        ensureCapacity(partition);
        refusedNs = errorCode == Errors.NONE.code() ? refusedNs : clock.nowNs();
        // The consumer ignores the answer to a request that was sent before it learned of another leader or replica.
        final boolean isRetried =
            errorCode != Errors.NONE.code() && errorCode != Errors.OFFSET_OUT_OF_RANGE.code() &&
            exchange.requestNs > Math.max(changeNs, leaderNs[partition]) &&
            exchange.requestNs >= namedNs[partition];
        final boolean isAgain =
            isRetried && errorNs[partition] != Long.MIN_VALUE && errorBrokers[partition] == exchange.brokerId;
        final int count = isAgain ? errorCounts[partition] : 0;
        if (isAgain)
        {
            final long elapsedNs = clock.nowNs() - errorNs[partition];
            final double leastMs =
                RetryOracle.LEAST * RetryOracle.backoffMs(scenario, count, scenario.retryBackoffMaxMs);
            check(elapsedNs >= (long)(leastMs * NS_PER_MS), RetryOracle.BACKOFF, "partition " + partition +
                " in fetches no sooner than " + leastMs + " ms after error " + count + " in a row, but " +
                Errors.forCode(errorCode) + " was answered again " + elapsedNs / NS_PER_MS + " ms after it");
        }
        errorCounts[partition] = count + 1;
        errorNs[partition] = isRetried ? clock.nowNs() : Long.MIN_VALUE;
        errorBrokers[partition] = exchange.brokerId;
        if (scan.preferredReplica >= 0)
        {
            namedNs[partition] = clock.nowNs();
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
        // With something due the consumer does not wait, and may find the sockets of others ready.
        final boolean isWakeUp = ready > 0 || timeoutNs > LEAST_WAIT_NS;
        uselessWakeUps = isActive || ready == 0 ? 0 : uselessWakeUps + (isWakeUp ? 1 : 0);
        check(uselessWakeUps <= MAX_USELESS_WAKE_UPS, WAKE_UPS, "bytes or a change of state after at most " +
            MAX_USELESS_WAKE_UPS + " wake-ups, but a socket was ready " + uselessWakeUps + " times for nothing");
        check(ready > 0 || !world.poller.isAnyOverlooked(), WAKE_UPS, "a wait to end when a whole response " +
            "has arrived on a connection that is read, but it has not");
        countPolls(startNs + timeoutNs, timeoutNs == 0, ready);
        final boolean isDelivering = world.oracles.deliveries.records != seenRecords;
        seenRecords = world.oracles.deliveries.records;
        // What has arrived, or a poll that delivers what is left, may lead to one further cycle at once.
        allowedCycles = Math.min(maxCycles, allowedCycles + maxCycles * ((clock.nowNs() - cyclesNs) / 1e9) +
            (isActive || isDelivering ? 1 : startNs + timeoutNs >= world.user.deadlineNs() ? 0 : -1));
        cyclesNs = clock.nowNs();
        check(allowedCycles >= 0, CYCLES, "at most " + maxCycles + " cycles per second without bytes, but there " +
            "were more");
    }

    /**
     * A poll that follows one that has waited for nothing, with nothing that has occurred since, has nothing to do but
     * to wait. The consumer reads its clock more often if it works.
     */
    private void countPolls(final long endNs, final boolean isShort, final int ready)
    {
        if (isQuiet && !isChanged)
        {
            quietPolls++;
            workingPolls += isShort || clock.reads() - seenReads > READS_OF_QUIET_POLL ? 1 : 0;
        }
        isChanged = false;
        isQuiet = ready == 0 && endNs >= world.user.deadlineNs();
        seenReads = clock.reads();
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
        quietPolls = 0;
        workingPolls = 0;
        appends = unread();
        leaderChanges = 0;
        // A connection that was lost is opened again only when it is needed, as that for metadata when metadata is due.
        // An address that a host had before may be tried first.
        lostLinks = exchanges.keySet().stream().filter((link) -> !link.isOpen()).count() +
            (exchanges.values().stream().anyMatch((exchange) -> exchange.api == METADATA) ? 0 : 1) +
            world.network.staleConnects();
        otherRequests = 0;
    }

    /**
     * Returns whether the consumer still waits for the response to a request that it sent before a time, or to one that
     * was lost, or was refused so lately that it may have to try again.
     */
    boolean isBusySince(final long timeNs)
    {
        return clock.nowNs() - refusedNs < quietNs || exchanges.entrySet().stream().anyMatch((entry) ->
            entry.getKey().isResponseLost() || entry.getValue().isOutstanding && entry.getValue().requestNs < timeNs);
    }

    /** Returns how many batches the consumer has not read yet, some of them in open transactions. */
    private long unread()
    {
        long count = 0;
        for (final Expected expected : world.oracles.deliveries.partitions())
        {
            count += expected.isRead() && expected.log != null ? expected.log.batchesFrom(expected.next) : 0;
        }
        return count;
    }

    /** Returns how many fetches all leaders may get, over all connections, of a consumer that gets no record. */
    private long idleFetches()
    {
        final double seconds = (clock.nowNs() - measuredSinceNs) / 1e9;
        final double perConnection = seconds * 1_000 / scenario.fetchMaxWaitMs + seconds / 10 + 2;
        return (long)(scenario.brokerCount * scenario.fetchConnections() * perConnection) +
            2 * scenario.fetchConnections() * moves();
    }

    /**
     * Returns how many connections and other requests are needed when nothing arrives: for a leader that a refresh of
     * metadata has named (a connection for fetches; another one and a request to validate the offset), for lost
     * connections, and for partitions that return to their leaders because their time on a replica has expired.
     */
    private long moves()
    {
        final long returns = scenario.isOn(Feature.RACKS) ? 2 * world.partitions().size() * refreshes() : 0;
        return 3 * leaderChanges + lostLinks + returns;
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
        check(fetches <= appends + idleFetches(), IDLE, "at most " + (appends + idleFetches()) + " fetches in " +
            seconds + " idle seconds, but there were " + fetches);
        final long refreshes = refreshes() + moves();
        check(metadataRequests <= refreshes, IDLE, "at most " + refreshes + " Metadata requests in " + seconds +
            " idle seconds, but there were " + metadataRequests);
        // A partition that still lags may get a connection: a connect, versions and an authentication.
        final long others = moves() + 3L * scenario.brokerCount * (scenario.fetchConnections() - 1);
        check(otherRequests <= others, IDLE, "at most " + others + " connects and no other request in " + seconds +
            " idle seconds, but there were " + otherRequests);
        check(workingPolls <= FEW_POLLS + quietPolls / 2, IDLE, "at most half of " + quietPolls +
            " polls to work that had nothing to do but to wait, but " + workingPolls + " did");
    }
}
