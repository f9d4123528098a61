// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.ConsumerState;
import org.odradek.consumer.ConsumerState.Further;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Checks over how many connections the consumer fetches from a broker: the number is raised only over a distance, not
 * soon after half of it was found to suffice, and a broker that throttles the consumer, or sends little, has one.
 * Whatever the user does with partitions, no more are opened in 30 s than were allowed in that time.
 */
final class ConnectionOracle
{
    private static final String CONNECTIONS = "connections";
    private static final String THROTTLE = "throttle";
    private static final String HALVED = "half as many may suffice";
    private static final String TOO_FEW = "half as many bring too little";
    private static final String RAISED = "the thread waits for a distant broker";
    private static final String REFUSED = "the broker has refused another";
    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long REFUSED_NS = TimeUnit.SECONDS.toNanos(600);
    private static final long OPENING_NS = TimeUnit.SECONDS.toNanos(30);
    /** When a connection that is not used is closed at the latest, in a cycle after 30 s. */
    static final long UNUSED_NS = TimeUnit.SECONDS.toNanos(35);
    static final long NEVER = Long.MIN_VALUE / 2;
    private static final int MOST_AT_A_TIME = 2;
    /** A fetch may be sent while the response that demands a wait arrives. */
    private static final int LATE_FETCHES = 2;
    /** The longest response after which partitions return to the first connection. */
    private static final int SHORT_LENGTH = 1 << 14;
    /** The first one may be held when the second is requested; the rest is tolerance. */
    private static final int MOST_SHORT_RESPONSES = 3;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

    /** What is known of the connections to one broker. */
    private static final class Broker
    {
        private long notRaisedUntilNs;
        /** The number to which it may be raised before that: what the broker has accepted. */
        private int accepted = 1;
        /** The last number to which it was raised for a backlog. */
        private int raised;
        /** The last half that was tried, or the number that was restored because half of it was too little. */
        private int found;
        private long foundNs = NEVER;
        /** As it was reported last. */
        private int number;
        /** When the last response was sent that has demanded a wait, and that the consumer has read. */
        private long throttledNs = NEVER;
        /** When the consumer has read such a response last, and until when it shall wait. */
        private long readNs = NEVER;
        private long waitUntilNs = NEVER;
        private final List<Long> opened = new ArrayList<>();
        private final List<FormerNumber> formerNumbers = new ArrayList<>();

        private Broker(final int number)
        {
            this.number = number;
        }

        private int highestNumber(final long sinceNs)
        {
            return Math.max(number, formerNumbers.stream().filter((former) -> former.untilNs > sinceNs)
                .mapToInt(FormerNumber::number).max().orElse(1));
        }
    }

    /** The number that was allowed until a time. */
    private record FormerNumber(int number, long untilNs)
    {
    }

    private final World world;
    private final Map<Link, Exchange> exchanges;
    private final Map<Integer, Broker> brokers = new HashMap<>();
    private final boolean isAuto;
    private final int most;
    /** Whether a response that leaves records in the log is longer than short ones. */
    private final boolean isShortAtEndOnly;
    /** The further connections that the consumer had when it was last looked at. */
    private Set<Further> further = Set.of();
    private long seenChanges;
    private long lookedNs;

    /**
     * @param exchanges of the connections that are open.
     */
    ConnectionOracle(final World world, final Map<Link, Exchange> exchanges)
    {
        this.world = world;
        this.exchanges = exchanges;
        isAuto = world.scenario.fetchConnections() == 0;
        most = world.scenario.mostFetchConnections();
        final ConsumerContext context = world.scenario.context();
        final int ofPartition =
            context.partitionMaxBytes() == 0 ? context.fetchMaxBytes() : context.partitionMaxBytes();
        isShortAtEndOnly =
            Math.min(context.fetchMaxBytes(), ofPartition) >= SHORT_LENGTH + SimulatedNetwork.LARGEST_BATCH;
    }

    /** A new consumer knows nothing of the brokers. */
    void onOpen()
    {
        brokers.clear();
        further = Set.of();
        seenChanges = 0;
    }

    /** Finds out which further connections have been opened since the last time, of which there was one in a cycle. */
    void onCycle(final TopicConsumer consumer, final ConsumerState state)
    {
        final long changes = consumer.counters().get(ConsumerCounters.FETCH_CONNECTIONS_ADDED) +
            consumer.counters().get(ConsumerCounters.FETCH_CONNECTIONS_REMOVED);
        if (changes != seenChanges)
        {
            seenChanges = changes;
            final Set<Further> before = further;
            further = state.further();
            further.stream().filter((one) -> !before.contains(one)).forEach((one) -> onOpened(one.nodeId()));
        }
        lookedNs = world.clock.nowNs();
    }

    private void onOpened(final int brokerId)
    {
        final Broker broker = of(brokerId);
        final long sinceNs = world.clock.nowNs() - OPENING_NS;
        broker.opened.removeIf((openedNs) -> openedNs <= sinceNs);
        // At the earliest: its cycle may have gone on to call a slow handler.
        broker.opened.add(lookedNs);
        final int most = broker.highestNumber(sinceNs) - 1;
        check(broker.opened.size() <= most, "at most " + most + " further connections to broker " + brokerId +
            " to be opened in " + OPENING_NS / 1e9 + " s, but there were " + broker.opened.size());
    }

    private Broker of(final int brokerId)
    {
        return brokers.computeIfAbsent(brokerId, (key) -> new Broker(isAuto ? 1 : most));
    }

    private void check(final boolean isRight, final String message)
    {
        check(isRight, CONNECTIONS, message);
    }

    private void check(final boolean isRight, final String oracle, final String message)
    {
        if (!isRight)
        {
            throw world.oracles.failure(oracle, message);
        }
    }

    /**
     * The consumer begins to connect. While nothing fails it opens one connection for fetches after the other, and
     * perhaps one for metadata. A partition that is paused may still look up its offset over a third one. The first
     * request over a connection may be on its way when the next one begins.
     */
    void onConnect(final Link link)
    {
        final long beginning = exchanges.entrySet().stream().filter((entry) ->
            entry.getKey().host == link.host && entry.getValue().isBeginning()).count();
        final boolean isLookingUp = world.oracles.deliveries.partitions().stream()
            .anyMatch((expected) -> expected.isAssigned && expected.next < 0);
        final int mostAtATime = MOST_AT_A_TIME + (isLookingUp ? 1 : 0);
        check(world.phase() != Phase.FLOWING || beginning <= mostAtATime, "one connection after the other to " +
            link.host.name + ", but " + beginning + " begin at a time");
    }

    /** The consumer reports another number. */
    void onLimit(final int brokerId, final int from, final int to, final String reason)
    {
        final long nowNs = world.clock.nowNs();
        final Broker broker = of(brokerId);
        final String change = "connections to broker " + brokerId + " from " + from + " to " + to + ": " + reason;
        check(from != to && to >= 1 && to <= most, "1 to " + most + " " + change);
        check(!reason.equals(HALVED) || to <= from / 2, "at most half of the " + change);
        check(to < from || to <= broker.accepted || nowNs >= broker.notRaisedUntilNs, "no more before another " +
            (broker.notRaisedUntilNs - nowNs) / 1e9 + " s " + change);
        check(!reason.equals(RAISED) || to <= broker.found || nowNs >= broker.foundNs + RETRY_NS,
            "no more than the " + broker.found + " that were found to suffice, " + change);
        check(to < from || !isAuto || !world.scenario.distance.isNextDoor() || world.phase() == Phase.FAULTS,
            "no more next door than one of the " + change);
        broker.number = to;
        broker.formerNumbers.removeIf((former) -> former.untilNs <= nowNs - OPENING_NS);
        broker.formerNumbers.add(new FormerNumber(from, nowNs));
        if (reason.equals(REFUSED))
        {
            broker.accepted = to;
            broker.notRaisedUntilNs = Math.max(broker.notRaisedUntilNs, nowNs + REFUSED_NS);
        }
        onFound(broker, to, reason);
    }

    /** Takes note of how many connections suffice. After another change it may not be known. */
    private void onFound(final Broker broker, final int to, final String reason)
    {
        broker.raised = reason.equals(RAISED) ? to : broker.raised;
        broker.found = to;
        broker.foundNs = reason.equals(HALVED) || reason.equals(TOO_FEW) && to < broker.raised ?
            world.clock.nowNs() : NEVER;
    }

    private Stream<Exchange> fetching(final int brokerId)
    {
        return exchanges.values().stream().filter((exchange) -> exchange.isFetching && exchange.brokerId == brokerId);
    }

    /** A response to a fetch demands that the consumer waits. */
    void onThrottled(final Exchange exchange)
    {
        exchange.throttleNs = world.clock.nowNs();
    }

    /**
     * The consumer has read a response that demands that it waits. If it was one to a fetch, that is for all
     * connections over which it fetches from the broker.
     */
    void onWait(final int brokerId, final int throttleTimeMs)
    {
        final long nowNs = world.clock.nowNs();
        // Its duty cycle, from which the consumer counts the time, may have begun a while ago.
        final long sentNs = fetching(brokerId).mapToLong((exchange) -> exchange.throttleNs)
            .filter((ns) -> ns != NEVER).min().orElse(NEVER);
        final boolean isOfFetch = sentNs != NEVER &&
            exchanges.values().stream().noneMatch((exchange) -> exchange.brokerId == brokerId && !exchange.isFetching &&
            (exchange.isSetUp() || exchange.throttledUntilNs > nowNs - RETRY_NS));
        if (isOfFetch)
        {
            final Broker broker = of(brokerId);
            broker.readNs = nowNs;
            broker.waitUntilNs = Math.max(broker.waitUntilNs, sentNs + throttleTimeMs * NS_PER_MS);
        }
    }

    /** A response to a fetch. */
    void onResponse(final Exchange exchange, final int length, final boolean isError)
    {
        final boolean isShort =
            length <= SHORT_LENGTH && isShortAtEndOnly && !isError && world.phase() == Phase.FLOWING;
        exchange.shortResponses = isShort ? exchange.shortResponses + 1 : 0;
        if (length > SHORT_LENGTH)
        {
            // Partitions may lag again, and move to connections that have had no request since.
            fetching(exchange.brokerId).forEach((other) -> other.shortResponses = 0);
        }
    }

    /**
     * Nothing has arrived for a while, in which the consumer has gone on to fetch from some brokers.
     *
     * @param sinceNs when the answers to the last fetches had told it that.
     */
    void checkIdle(final long sinceNs)
    {
        brokers.forEach((brokerId, broker) -> check(!isAuto || broker.number == 1 ||
            fetching(brokerId).noneMatch((exchange) -> exchange.requestNs > sinceNs + UNUSED_NS),
            "one connection to broker " + brokerId + ", whose logs have been read to their ends, but the number is " +
            broker.number));
    }

    void onFetch(final Link link, final Exchange exchange)
    {
        final Broker broker = of(exchange.brokerId);
        final long nowNs = world.clock.nowNs();
        if (exchange.throttleNs != NEVER)
        {
            // It has read the response before it sends the next request.
            if (nowNs - broker.throttledNs >= RETRY_NS)
            {
                fetching(exchange.brokerId).forEach((other) -> other.fetchesSinceThrottle = 0);
            }
            broker.throttledNs = Math.max(broker.throttledNs, exchange.throttleNs);
            broker.accepted = 1;
            broker.notRaisedUntilNs = Math.max(broker.notRaisedUntilNs, broker.throttledNs + RETRY_NS);
            exchange.throttleNs = NEVER;
        }
        check(exchange.requestNs <= broker.readNs || exchange.requestNs >= broker.waitUntilNs - NS_PER_MS, THROTTLE,
            "no fetch over any connection to " + link.host.name + " for another " +
            (broker.waitUntilNs - nowNs) / 1e9 + " s");
        final long atTrickle = fetching(exchange.brokerId).filter(
            (other) -> other.shortResponses > MOST_SHORT_RESPONSES).count();
        check(atTrickle <= 1, "one connection to " + link.host.name + ", which sends little, but there " +
            "are " + atTrickle);
        exchange.fetchesSinceThrottle++;
        if (nowNs - broker.throttledNs < RETRY_NS)
        {
            final long count = fetching(exchange.brokerId).filter(
                (other) -> other.fetchesSinceThrottle > LATE_FETCHES).count();
            check(count <= 1, "one connection to a broker that throttles the consumer, but after " +
                (nowNs - broker.throttledNs) / 1e9 + " s " + count + " fetch from " + link.host.name);
        }
    }
}
