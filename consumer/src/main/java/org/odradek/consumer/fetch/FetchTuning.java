// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.DutyClock;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;

/**
 * Adapts the fetches over one connection to the responses, with {@link FetchSize}, {@link LatencyBudget} and {@link
 * FetchConnections}.
 */
final class FetchTuning
{
    private final FetchConnections connections;
    private final int number;
    private final ConsumerSettings settings;
    private final DutyClock clock;
    private final LatencyBudget budget;
    final FetchSize size;
    private boolean isAtEnd;
    /** True if the broker may hold the last request for the latency budget. */
    boolean isBatched;
    int requestedBytes;

    FetchTuning(final FetchConnections connections, final int number, final Environment environment)
    {
        this.connections = connections;
        this.number = number;
        settings = environment.settings();
        clock = environment.clock();
        budget = new LatencyBudget(ClientSettings.ns(settings.latencyBudgetMs));
        size = new FetchSize(connections, number, environment);
    }

    void onRequest(final boolean isUnchanged)
    {
        isBatched = isAtEnd && isUnchanged && budget.isHolding();
        requestedBytes = size.maxBytes;
    }

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

    void onError()
    {
        isAtEnd = false;
        budget.reset();
    }

    void reset()
    {
        onError();
        size.reset();
    }

    /**
     * Returns the length in bytes that the empty receive buffer should have for the next response.
     *
     * @param awaitedBytes the largest number of bytes that the request in flight asks for; 0 if there is none.
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
