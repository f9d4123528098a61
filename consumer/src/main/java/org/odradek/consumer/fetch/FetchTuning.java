// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.DutyClock;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;

/**
 * Adapts the fetches over one connection to the responses: their size ({@link FetchSize}), whether the broker may hold
 * them ({@link LatencyBudget}), and the number of connections over which lagging partitions are fetched
 * ({@link FetchConnections}). This class passes each response to these three classes, and leaves out disturbed
 * measurements.
 */
final class FetchTuning
{
    private final FetchConnections connections;
    private final int number;
    private final ConsumerSettings settings;
    private final DutyClock clock;
    private final LatencyBudget budget;
    final FetchSize size;
    /**
     * True if no partition had changed when the last response arrived, and the response reached the ends of the logs.
     */
    private boolean isAtEnd;
    /** True if the broker may hold the last request for the latency budget. */
    boolean isBatched;
    /** The number of bytes of records that the last request has asked for. */
    int requestedBytes;

    /**
     * @param connections the connections to the same broker.
     * @param number      the number of the connection.
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

    /** @param isUnchanged true if no partition has changed since the last response. */
    void onRequest(final boolean isUnchanged)
    {
        isBatched = isAtEnd && isUnchanged && budget.isHolding();
        requestedBytes = size.maxBytes;
    }

    /** Evaluates a response that has no error as a whole. */
    void onResponse(final FetchSample sample)
    {
        isAtEnd = sample.isPlain && !sample.isMoreInLog && sample.length < settings.batchedMinBytes();
        if (!sample.isThrottled)
        {
            connections.onReceived(number, sample);
        }
        if (sample.isPlain)
        {
            budget.onResponse(sample.batchCount, isBatched, clock.nowNs());
            connections.onPlainResponse(sample, size.isLargest(sample));
            size.onResponse(sample);
        }
        else
        {
            budget.reset();
            size.onDisturbed();
        }
    }

    /** Notes a response that cannot be evaluated. */
    void onError()
    {
        isAtEnd = false;
        budget.reset();
    }

    /** Notes the end of the connection. */
    void reset()
    {
        onError();
        size.reset();
    }

    /**
     * Returns the length in bytes of the receive buffer for the next responses, after the buffer has become empty.
     *
     * @param capacity     the current length of the buffer.
     * @param awaitedBytes the number of bytes that the request in flight has asked for; 0 if there is none.
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
