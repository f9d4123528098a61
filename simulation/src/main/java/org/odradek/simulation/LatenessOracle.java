// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks when records are handed over that are appended while the consumer has read everything: after the response that
 * may have left just before, the next request, the time for which that lets the broker hold it, its response and the
 * consumer's own cycles. The broker may hold a fetch for the latency budget, or as long as the least number of bytes
 * demands. What has been handed over meanwhile counts as the handler's time.
 */
final class LatenessOracle
{
    private static final String LATENESS = "lateness";
    /** Of the cycles that send the request and hand over: a call that waits until the consumer is ready is in them. */
    private static final long OWN_NS = TimeUnit.MILLISECONDS.toNanos(25);
    /** For each record meanwhile, which may be the only one of its poll. */
    private static final long RECORD_NS = TimeUnit.MICROSECONDS.toNanos(200);
    /** Brokers measure time in whole milliseconds. */
    private static final long HOLD_NS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A batch that is not handed over. */
    private record Batch(long baseOffset, long lastOffset, long appendedNs, long recordsBefore)
    {
    }

    /** A fetch that brought records, and how long its request and response, and the response before it, took. */
    private record Fetch(long requestNs, long reachedNs, long holdNs, long sentNs, long arrivedNs, long arrivedBeforeNs)
    {
    }

    private final World world;
    private final DeliveryOracle deliveries;
    private final Map<Link, Exchange> exchanges;
    private final boolean isPossible;
    private final int partitionMaxBytes;
    private final List<Deque<Batch>> batches = new ArrayList<>();
    private final List<Fetch> fetches = new ArrayList<>();
    private boolean isOn;
    /** How many batches were checked. */
    long checked;

    /**
     * @param exchanges of the connections that are open.
     */
    LatenessOracle(final World world, final DeliveryOracle deliveries, final Map<Link, Exchange> exchanges)
    {
        this.world = world;
        this.deliveries = deliveries;
        this.exchanges = exchanges;
        final Scenario scenario = world.scenario;
        final int ofPartition = scenario.context().partitionMaxBytes();
        partitionMaxBytes = ofPartition == 0 ? Integer.MAX_VALUE : ofPartition;
        // Far away there are backlogs, a neighbour has the thread at times, and a partition returns from a replica to
        // its leader, which may hold a fetch without it. What is in an open transaction cannot be read.
        isPossible = !scenario.distance.isFar && !scenario.isAuthenticated && !scenario.isOn(Feature.POLLER_SHARED) &&
            !scenario.isOn(Feature.RACKS) && !deliveries.isReadCommitted;
    }

    void onPhase(final Phase phase)
    {
        isOn = phase == Phase.FLOWING && isPossible;
        forget();
    }

    /** What is on its way may be late. */
    void forget()
    {
        batches.forEach(Deque::clear);
    }

    void onAppend(final int partition, final long baseOffset, final long lastOffset)
    {
        while (batches.size() <= partition)
        {
            batches.add(new ArrayDeque<>());
            fetches.add(null);
        }
        if (isOn && deliveries.of(partition).isRead())
        {
            batches.get(partition).add(
                new Batch(baseOffset, lastOffset, world.clock.nowNs(), deliveries.records));
        }
    }

    /** A broker has sent records of a partition, or none. */
    void onRecords(final Link link, final Exchange exchange, final int partition, final int length)
    {
        if (length > 0 && partition < fetches.size())
        {
            fetches.set(partition, new Fetch(exchange.requestNs, exchange.reachedNs, exchange.holdMs * NS_PER_MS,
                world.clock.nowNs(), link.responseNs(), exchange.arrivedBeforeNs));
        }
    }

    /** A response was sent. One that is long may not hold all that was appended, or has to wait for room. */
    void onResponse(final Link link, final Exchange exchange, final int length, final boolean isUsual)
    {
        final long others = exchanges.values().stream().filter(
            (other) -> other.isFetching && other.brokerId == exchange.brokerId).count();
        if (!isUsual || others > 1 || length > Math.min(world.network.windowLength, exchange.lastFetch / 2) ||
            length > partitionMaxBytes / 2)
        {
            forget();
        }
        exchange.arrivedBeforeNs = link.responseNs();
    }

    /** A handler is given a record, or a batch that begins with it. */
    void onDelivery(final int partition, final long offset)
    {
        final Deque<Batch> waiting = partition < batches.size() ? batches.get(partition) : new ArrayDeque<>();
        while (!waiting.isEmpty() && waiting.peek().baseOffset <= offset)
        {
            final Batch batch = waiting.remove();
            if (offset <= batch.lastOffset)
            {
                check(partition, batch, fetches.get(partition));
            }
        }
    }

    private void check(final int partition, final Batch batch, final Fetch fetch)
    {
        checked++;
        final long nowNs = world.clock.nowNs();
        final boolean isBeforeRequest = batch.appendedNs < fetch.reachedNs;
        final long requestNs = isBeforeRequest ?
            Math.max(0, fetch.arrivedBeforeNs - batch.appendedNs) + fetch.reachedNs - fetch.requestNs : 0;
        final long handlerNs = (deliveries.records - batch.recordsBefore) * RECORD_NS;
        final long mostNs = requestNs + fetch.holdNs + HOLD_NS + fetch.arrivedNs - fetch.sentNs + OWN_NS + handlerNs;
        final long lateNs = nowNs - batch.appendedNs;
        if (lateNs > mostNs)
        {
            throw world.oracles.failure(LATENESS, "offset " + batch.baseOffset + " of partition " + partition +
                " to be handed over within " + mostNs / 1e6 + " ms after it was appended (" + requestNs / 1e6 +
                " ms until its request reaches the broker, which may hold it for " + fetch.holdNs / 1e6 + " ms, and " +
                (fetch.arrivedNs - fetch.sentNs) / 1e6 + " ms for the response), but it took " + lateNs / 1e6 + " ms");
        }
    }
}
