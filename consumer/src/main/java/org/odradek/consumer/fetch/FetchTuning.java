// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.DutyClock;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;

/**
 * How the fetches over one connection adapt to the responses: how many bytes they ask for ({@link FetchSize}), whether
 * the broker may hold them ({@link LatencyBudget}), and over how many connections partitions that lag are fetched
 * ({@link FetchConnections}). Here each learns from a response what it may: little, if something has disturbed it.
 */
final class FetchTuning
{
    private final FetchConnections connections;
    private final int number;
    private final ConsumerSettings settings;
    private final DutyClock clock;
    private final LatencyBudget budget;
    final FetchSize size;
    /** No partition had changed when the last response arrived, and its log offsets are those of the logs' ends. */
    private boolean isAtEnd;
    /** The broker may hold the last request for the latency budget. */
    boolean isBatched;
    /** How many bytes of records the last request has asked for. */
    int requestedBytes;

    /**
     * @param connections to the same broker.
     * @param number      of the connection.
     */
    FetchTuning(final FetchConnections connections, final int number, final Environment environment)
    {
        this.connections = connections;
        this.number = number;
        settings = environment.settings();
        clock = environment.clock();
        budget = new LatencyBudget(ClientSettings.ns(settings.latencyBudgetMs));
        size = new FetchSize(connections, number, environment);
    }

    /** @param isUnchanged no partition has changed since the last response. */
    void onRequest(final boolean isUnchanged)
    {
        isBatched = isAtEnd && isUnchanged && budget.isHolding();
        requestedBytes = size.maxBytes;
    }

    /** Learns from a response without an error as a whole. */
    void onResponse(final FetchSample sample)
    {
        isAtEnd = sample.isPlain && !sample.isMoreInLog && sample.length < settings.batchedMinBytes();
        if (!sample.isThrottled)
        {
            connections.onReceived(number, sample.length, sample.capacity, sample.roundTripNs);
        }
        if (sample.isPlain)
        {
            budget.onResponse(sample.batchCount, isBatched, clock.nowNs());
            connections.onPlainResponse(sample.isMoreInLog);
            size.onResponse(sample.length, sample.isMoreInLog, sample.partitionCount, sample.capacity);
        }
        else
        {
            budget.reset();
            size.onDisturbed();
        }
    }

    /** Takes note of a response from which nothing can be learned. */
    void onError()
    {
        isAtEnd = false;
        budget.reset();
    }

    /** Takes note of the end of the connection. */
    void reset()
    {
        onError();
        size.reset();
    }

    /**
     * Returns the length of the receive buffer for what follows, now that the buffer is empty.
     *
     * @param capacity     of the buffer.
     * @param awaitedBytes that the request in flight has asked for; 0 if none is.
     */
    int takeBufferLength(final int capacity, final int awaitedBytes)
    {
        if (connections.isShrinking)
        {
            size.reset();
        }
        final int length = settings.receiveBufferLength(Math.max(size.maxBytes, awaitedBytes));
        final boolean isTooLong = size.takeUndone() || connections.isShrinking;
        size.endReservation();
        return isTooLong ? length : Math.max(length, capacity);
    }
}
