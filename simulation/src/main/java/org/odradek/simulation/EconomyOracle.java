// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.protocol.ApiKeys;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks that the consumer is economical in a healthy cluster: few fetches where few records arrive, no connection that
 * nothing needs, and little work where nothing happens.
 */
final class EconomyOracle
{
    private static final String IDLE = "idle economy";
    private static final String FLOW = "fetch economy";
    private static final String CONNECTIONS = "connections";

    private static final int METADATA = ApiKeys.METADATA.id;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long NS_PER_S = TimeUnit.SECONDS.toNanos(1);
    /** At the end of the wait before it, and when it begins. */
    private static final int READS_OF_QUIET_POLL = 2;
    private static final int FEW_POLLS = 10;
    private static final int RESPONSES_TO_LAG = 2;
    private static final int WAITS_TO_RETURN = 3;
    /** A broker is not asked for metadata so soon after a connection to it has failed. */
    private static final long FAILING_NS = TimeUnit.SECONDS.toNanos(45);

    private final World world;
    private final Scenario scenario;
    private final SimulatedClock clock;
    private final Map<Link, Exchange> exchanges;
    private final FetchSizeOracle sizes;
    private final RepeatOracle repeats;
    private final ConnectionOracle connections;
    private final String rack;
    private final int mostConnections;
    /** When a request to a broker was given up last. */
    private final Map<Host, Long> lostNs = new HashMap<>();

    private long seenReads;
    private boolean isQuiet;
    /** The user has called more than a poll since the last wait. */
    private boolean isChanged;

    private Phase measured;
    private long measuredSinceNs;
    private long fetches;
    private long metadataRequests;
    private long otherRequests;
    private long connects;
    /** Connections over which something was fetched first since the measurement began. */
    private long newFetching;
    /** Batches that were not read when the measurement began, and those appended since. */
    private long appends;
    private long leaderChanges;
    private long lostLinks;
    /** Connections over which something was fetched when the measurement began, and those that lacked then. */
    private long fetching;
    private long lacking;
    private long quietPolls;
    private long workingPolls;

    EconomyOracle(
        final World world,
        final Map<Link, Exchange> exchanges,
        final FetchSizeOracle sizes,
        final RepeatOracle repeats,
        final ConnectionOracle connections)
    {
        this.world = world;
        this.exchanges = exchanges;
        this.sizes = sizes;
        this.repeats = repeats;
        this.connections = connections;
        scenario = world.scenario;
        clock = world.clock;
        rack = scenario.context().clientRack();
        mostConnections = scenario.mostFetchConnections();
    }

    private void check(final boolean isRight, final String oracle, final String message)
    {
        if (!isRight)
        {
            throw world.oracles.failure(oracle, message);
        }
    }

    /** The user, or an event, has changed what the consumer has to do. */
    void onChange()
    {
        measure(null);
        isChanged = true;
    }

    void onLeaderChanged()
    {
        leaderChanges++;
        repeats.end();
    }

    void onConnect()
    {
        connects++;
    }

    /** A connection was closed before it was established, before a request was answered, or after it was lost. */
    void onLost(final Host host)
    {
        lostNs.put(host, clock.nowNs());
    }

    /** Returns whether metadata that is due is requested from another broker. */
    private boolean isLeft(final Link link, final Exchange exchange)
    {
        return exchange.api == METADATA && lostNs.containsKey(link.host) &&
            clock.nowNs() - lostNs.get(link.host) < FAILING_NS;
    }

    void onFetch(final Exchange exchange)
    {
        fetches++;
        newFetching += exchange.isFetching ? 0 : 1;
        exchange.isFetching = true;
    }

    /** A request was sent that is no fetch, and does not belong to the set-up of a connection. */
    void onRequest(final Exchange exchange)
    {
        metadataRequests += exchange.api == METADATA ? 1 : 0;
        otherRequests += exchange.api == METADATA ? 0 : 1;
    }

    void onAppend()
    {
        appends++;
    }

    /**
     * A poll that follows one that has waited for nothing, with nothing that has occurred since, has nothing to do but
     * to wait. The consumer reads its clock more often if it works.
     */
    void onAwait(final long endNs, final boolean isShort, final int ready)
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
        sizes.measure(phase);
        repeats.end();
        if (phase == null)
        {
            return;
        }
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
            world.network.staleConnects() +
            exchanges.entrySet().stream().filter((entry) -> isLeft(entry.getKey(), entry.getValue())).count();
        fetching = exchanges.values().stream().filter((exchange) -> exchange.isFetching).count();
        lacking = Math.max(0, world.network.hosts().stream().mapToLong(this::mostConnections).sum() - fetching);
        otherRequests = 0;
        connects = 0;
        newFetching = 0;
        if (phase == Phase.FLOWING)
        {
            repeats.begin();
        }
    }

    /** Returns how many batches the consumer has not read yet, some of them in open transactions. */
    long unread()
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
        return (long)((fetching + newFetching) * perConnection) + 2 * mostConnections * moves();
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
        final long others = idleFetches() + repeats.moves();
        check(fetches <= appends + others, FLOW, "at most " + appends + " fetches for as many batches, and " +
            others + " more, but there were " + fetches);
        // A partition lags after so many responses, and then may get another connection, if one is allowed.
        final long most = moves() + lacking + (mostConnections == 1 ? 0 :
            (mostConnections - 1) * (long)scenario.brokerCount + fetches / RESPONSES_TO_LAG);
        check(newFetching <= most, CONNECTIONS, "at most " + most + " new connections for fetches while " +
            "nothing fails, but there were " + newFetching);
    }

    private void checkIdle()
    {
        final long seconds = (clock.nowNs() - measuredSinceNs) / NS_PER_S;
        check(fetches <= appends + idleFetches(), IDLE, "at most " + (appends + idleFetches()) + " fetches in " +
            seconds + " idle seconds, but there were " + fetches);
        final long refreshes = refreshes() + moves();
        check(metadataRequests <= refreshes, IDLE, "at most " + refreshes + " Metadata requests in " + seconds +
            " idle seconds, but there were " + metadataRequests);
        final long others = connects + otherRequests;
        check(others <= moves(), IDLE, "at most " + moves() + " connects and no other request in " + seconds +
            " idle seconds, but there were " + others);
        check(workingPolls <= FEW_POLLS + quietPolls / 2, IDLE, "at most half of " + quietPolls +
            " polls to work that had nothing to do but to wait, but " + workingPolls + " did");
        final long returnedNs = measuredSinceNs + WAITS_TO_RETURN * scenario.fetchMaxWaitMs * NS_PER_MS;
        connections.checkIdle(returnedNs);
        for (final Host host : world.network.hosts())
        {
            final long most = mostConnections(host);
            final long open = exchanges.entrySet().stream()
                .filter((entry) -> entry.getValue().isFetching && entry.getKey().host == host)
                .filter((entry) -> most == 0 || isCounted(entry.getValue(), returnedNs)).count();
            check(open <= most, CONNECTIONS, "at most " + most + " connections for the partitions that are read from " +
                host.name + ", but after " + seconds + " idle seconds there are " + open);
        }
    }

    /** A further connection that is idle and was used lately does not count: it may be used again. */
    private boolean isCounted(final Exchange exchange, final long returnedNs)
    {
        return exchange.isOutstanding || exchange.requestNs > returnedNs || clock.nowNs() - exchange.requestNs >
            ConnectionOracle.UNUSED_NS + scenario.fetchMaxWaitMs * NS_PER_MS;
    }

    /** Returns over how many connections the consumer may fetch from a broker when nothing arrives: one at most. */
    private long mostConnections(final Host host)
    {
        return world.oracles.deliveries.partitions().stream().anyMatch(
            (expected) -> mayReadFrom(host, expected) || expected.isAssigned && !expected.isRead()) ? 1 : 0;
    }

    /**
     * Returns whether the consumer may read a partition from a broker: that it leads, or if it is in the rack of the
     * consumer. A leader that has changed may be unknown if brokers have no epochs.
     */
    private boolean mayReadFrom(final Host host, final Expected expected)
    {
        return expected.isRead() && (host.broker.rack().equals(rack) ||
            !world.oracles.deliveries.areEpochsKnown(clock.nowNs()) ||
            expected.partition >= world.partitions().size() ||
            world.partitions().get(expected.partition).leader() == host.broker.id());
    }
}
