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
 * Checks that nothing is requested or connected to again before its backoff, nothing is sent on a throttled connection,
 * and no wake-up is for nothing. It passes on to other oracles what goes over connections.
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

    private static final int FETCH = ApiKeys.FETCH.id;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Connections that may exist to one broker besides those for fetches: for metadata, offsets and the group. */
    private static final int OTHER_CONNECTIONS = 3;
    private static final int MAX_USELESS_WAKE_UPS = 2;
    private static final int MAX_CYCLES = 100;
    private static final int MORE_CYCLES = 20;
    private static final int CORRELATION_END = 8;
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
    private final FetchSizeOracle sizes;
    private final RepeatOracle repeats;
    final EconomyOracle economy;
    final ConnectionOracle connections;
    private long changeNs;
    /**
     * When a partition was answered with an error, or {@link Long#MIN_VALUE}, and over which connection: after a move
     * to another one, what was in flight over both may be.
     */
    private long[] errorNs = {};
    private Exchange[] errorExchanges = {};
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
    private final int mostConnections;
    private long cyclesNs;
    private long seenRecords;

    /** When a partition in a fetch was answered with an error last. */
    private long refusedNs;
    /** A time in which a consumer tries again what was refused. */
    private final long quietNs;

    TrafficOracle(final World world)
    {
        this.world = world;
        scenario = world.scenario;
        clock = world.clock;
        quietNs = (scenario.fetchMaxWaitMs + 2L * scenario.retryBackoffMaxMs) * NS_PER_MS + MAX_LATENCY_NS +
            scenario.distance.exchangeNs();
        retries = new RetryOracle(world);
        sizes = new FetchSizeOracle(world, exchanges);
        repeats = new RepeatOracle(world);
        connections = new ConnectionOracle(world, exchanges);
        economy = new EconomyOracle(world, exchanges, sizes, repeats, connections);
        mostConnections = scenario.mostFetchConnections();
        maxCycles = MAX_CYCLES + MORE_CYCLES * scenario.brokerCount * (mostConnections - 1);
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
        connections.onOpen();
        outages.clear();
    }

    /** The user has changed what the consumer needs: it may ask at once for what has failed before. */
    void onChange()
    {
        changeNs = clock.nowNs();
        economy.onChange();
        retries.onChange();
        Arrays.fill(errorNs, Long.MIN_VALUE);
        outages.values().forEach((outage) -> outage.changes++);
    }

    void onLeaderChanged(final int partition)
    {
        ensureCapacity(partition);
        retries.onLeaderChanged();
        errorNs[partition] = Long.MIN_VALUE;
        leaderNs[partition] = clock.nowNs();
        economy.onLeaderChanged();
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
            final int allowed = (OTHER_CONNECTIONS + mostConnections) * (1 + attempts(elapsedNs)) +
                (1 + mostConnections) * outage.changes;
            check(outage.attempts <= allowed, CONNECTS, "at most " + allowed + " attempts to connect to " +
                link.host.name + " in " + elapsedNs / 1e9 + " s of failures, but found " + outage.attempts);
        }
        economy.onConnect();
        connections.onConnect(link);
        retries.onDoubt();
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
        if (exchange.isOutstanding || !exchange.isAnswered || link.isLost())
        {
            economy.onLost(link.host);
        }
        if (!exchange.isAnswered)
        {
            outages.computeIfAbsent(exchange.address, this::begin);
        }
        else if (exchange.isOutstanding && exchange.api != FETCH && !exchange.isSetUp())
        {
            retries.onLost(exchange);
        }
        // One that was only set up may be for fetches, too. After a frame that lies, the last API is not known.
        if (exchange.isFetching || exchange.isSetUp())
        {
            retries.onDoubt();
        }
        // It is not known which responses have not reached the consumer.
        Arrays.fill(errorNs, Long.MIN_VALUE);
    }

    /** Returns the broker to which a connection for metadata is open, or null. */
    Host askedForMetadata()
    {
        return exchanges.entrySet().stream().filter((entry) ->
            entry.getValue().api == ApiKeys.METADATA.id && entry.getKey().isOpen())
            .map((entry) -> entry.getKey().host).findFirst().orElse(null);
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
        check(exchange.isAuthenticating() || nowNs >= exchange.throttledUntilNs - NS_PER_MS, THROTTLE,
            "no request on " + link + " for another " + (exchange.throttledUntilNs - nowNs) / NS_PER_MS +
            " ms, because the broker throttles it");
        exchange.isOutstanding = true;
        exchange.requestNs = link.requestNs();
        exchange.brokerId = link.host.broker.id();
        exchange.isUsed |= !exchange.isSetUp();
        if (exchange.api == FETCH)
        {
            traceFetch(exchange, frame);
            economy.onFetch(exchange);
            repeats.onFetch(exchange);
            connections.onFetch(link, exchange);
            sizes.onFetch(link, exchange, frame);
        }
        else if (!exchange.isSetUp())
        {
            economy.onRequest(exchange);
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
            readResponse(link, exchange, frame);
        }
        catch (final RuntimeException ignore)
        {
            exchange.api = -1;     // a frame that lies
        }
    }

    private void readResponse(final Link link, final Exchange exchange, final ByteBuffer frame)
    {
        if (frame.remaining() < CORRELATION_END || frame.getInt(0) != frame.remaining() - Integer.BYTES)
        {
            return;
        }
        if (exchange.api == FETCH)
        {
            scan.wrap(frame, exchange.version);
            if (scan.throttleMs > 0)
            {
                connections.onThrottled(exchange);
            }
            if (scan.throttleMs > 0 && exchange.version >= 8)
            {
                exchange.throttledUntilNs = clock.nowNs() + scan.throttleMs * NS_PER_MS;
            }
            boolean isError = scan.errorCode != Errors.NONE.code();
            if (isError)
            {
                retries.onDoubt();
            }
            while (scan.next())
            {
                isError |= scan.partitionError != Errors.NONE.code();
                if (world.trace.hasText())
                {
                    world.trace.text("  partition " + scan.partition + ": error " + scan.partitionError + ", " +
                        scan.recordsLength + " bytes of records");
                }
                onFetched(exchange, scan.partition, scan.partitionError);
                repeats.onRecords(link, scan.partition, frame, scan.recordsIndex, scan.recordsLength);
            }
            connections.onResponse(exchange, frame.remaining(), isError);
        }
        else if (!exchange.isSetUp())
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
            errorExchanges = Arrays.copyOf(errorExchanges, partition + 8);
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
            isRetried && errorNs[partition] != Long.MIN_VALUE && errorExchanges[partition] == exchange;
        final int count = isAgain ? errorCounts[partition] : 0;
        if (errorCode != Errors.NONE.code() && !isAgain)
        {
            retries.onDoubt();
        }
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
        errorExchanges[partition] = exchange;
        if (scan.preferredReplica >= 0)
        {
            namedNs[partition] = clock.nowNs();
        }
    }

    void onAppend(final int partition, final long baseOffset, final long lastOffset)
    {
        economy.onAppend();
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
        economy.onAwait(startNs + timeoutNs, timeoutNs == 0, ready);
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
     * Returns whether the consumer still waits for the response to a request that it sent before a time, or to one that
     * was lost, or was refused so lately that it may have to try again.
     */
    boolean isBusySince(final long timeNs)
    {
        return clock.nowNs() - refusedNs < quietNs || exchanges.entrySet().stream().anyMatch((entry) ->
            entry.getKey().isResponseLost() || entry.getValue().isOutstanding && entry.getValue().requestNs < timeNs);
    }
}
