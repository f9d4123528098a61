// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.ConsumerContext;

import java.util.concurrent.TimeUnit;

/**
 * How far away the brokers are. In some of the seeds that have {@link Feature#DISTANCE} a connection carries no more
 * than a window of bytes in each round trip, as one does whose sender has a small send buffer: a large response takes
 * many round trips, and several connections carry proportionally more. Fetches may ask for more bytes there.
 */
final class Distance
{
    /** Bytes per second of a connection. */
    private static final int MIN_RATE = 200_000;
    private static final int MIN_WINDOW = 1 << 12;
    private static final int MAX_WINDOW = 1 << 20;
    private static final long NEXT_DOOR_NS = 60_000;
    private static final long MIN_TRIP_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_TRIP_NS = TimeUnit.MILLISECONDS.toNanos(100);
    /** A round trip is a request and a response, each of which takes one to two latencies. */
    private static final int LATENCIES = 3;
    private static final int FIRST_FETCH = 1 << 20;
    private static final int MAX_FETCH = 8 << 20;
    private static final int FEW_BROKERS = 2;
    private static final int MANY_PARTITIONS = 16;
    /** The longest response; it must arrive within ten request timeouts. */
    private static final int MAX_RESPONSE_S = 10;
    private static final double NANOS_PER_SECOND = 1e9;

    /** Whether the brokers are so far away. */
    final boolean isFar;
    final long tripNs;
    /** Bytes that one direction of a connection carries in each round trip. */
    final int window;
    private final int fetchMaxBytes;
    /** 0 for the default. */
    private final int partitionMaxBytes;
    /** In addition to the least, or -1 for the default. */
    private final int moreMemory;
    /** Whether few brokers lead many partitions. */
    private final boolean isDense;
    private final int manyPartitions;
    /** Whether the memory is declared for one leader. */
    private final boolean isOneExpected;

    Distance(final long seed, final boolean isPossible)
    {
        final Draw draw = new Draw(seed, "distance");
        isFar = draw.oneIn(3) && isPossible;
        tripNs = !isFar ? 0 : draw.oneIn(6) ? NEXT_DOOR_NS : draw.logBetween(MIN_TRIP_NS, MAX_TRIP_NS);
        window = isFar ? (int)draw.logBetween(
            Math.max(MIN_WINDOW, (long)(MIN_RATE * (tripNs / NANOS_PER_SECOND))), MAX_WINDOW) : Integer.MAX_VALUE;
        fetchMaxBytes =
            (int)draw.logBetween(FIRST_FETCH, Math.max(FIRST_FETCH, Math.min(MAX_FETCH, MAX_RESPONSE_S * rate())));
        partitionMaxBytes = draw.oneIn(2) ? 0 : (int)draw.logBetween(FIRST_FETCH / 16, MAX_FETCH);
        moreMemory = draw.oneIn(2) ? -1 : draw.below(MAX_FETCH);
        isDense = isFar && draw.oneIn(2);
        manyPartitions = (int)draw.between(MANY_PARTITIONS / 2, MANY_PARTITIONS);
        isOneExpected = isFar && draw.oneIn(3);
    }

    /** Returns the number of brokers, of which the seed has drawn one. */
    int brokers(final int drawn)
    {
        return isDense ? Math.min(FEW_BROKERS, drawn) : drawn;
    }

    /** Returns the number of partitions, of which the seed has drawn one. */
    int partitions(final int drawn)
    {
        return isDense ? manyPartitions : drawn;
    }

    /** Returns the bytes per second of a connection. */
    long rate()
    {
        return isFar ? (long)(window * NANOS_PER_SECOND / tripNs) : Long.MAX_VALUE / MAX_RESPONSE_S;
    }

    /** Returns the least time in which bytes arrive. */
    long latencyNs()
    {
        return tripNs / LATENCIES;
    }

    /** Returns how much longer a request and its response may take than over a connection without a window. */
    long exchangeNs()
    {
        return isFar ? (2 + (fetchMaxBytes + SimulatedNetwork.LARGEST_BATCH) / window) * tripNs : 0;
    }

    /**
     * Returns whether a fetch of twice the first size brings hardly more bytes per second than one of that size, and no
     * response is so early that the broker seems to be next door.
     */
    boolean isWindowTheLimit()
    {
        return 2 * latencyNs() >= MIN_TRIP_NS && window <= FIRST_FETCH / 16;
    }

    /** Returns whether the brokers are so near that several connections to one bring nothing. */
    boolean isNextDoor()
    {
        return tripNs == NEXT_DOOR_NS;
    }

    /** Sets how much fetches ask for. */
    void applyTo(final ConsumerContext context)
    {
        if (isFar)
        {
            context.fetchMaxBytes(fetchMaxBytes).partitionMaxBytes(partitionMaxBytes).fetchMemory(moreMemory < 0 ? 0 :
                Math.max(1, context.fetchConnections()) * Scenario.FIRST_BUFFER + moreMemory);
        }
        if (isOneExpected)
        {
            context.expectedLeaders(1);
        }
    }

    @Override
    public String toString()
    {
        return tripNs / 1_000 + " us away with a window of " + window + " bytes, fetchMaxBytes " + fetchMaxBytes +
            ", partitionMaxBytes " + partitionMaxBytes;
    }
}
