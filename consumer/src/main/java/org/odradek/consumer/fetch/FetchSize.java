// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;

import java.util.concurrent.TimeUnit;

/**
 * How many bytes the next fetch from one broker asks for. A response of 1 MiB stays in the caches of the processor
 * while it is delivered, so that is enough while the handler takes most of the time. Each response costs a round trip:
 * the maximum doubles when the responses of two windows in a row were full and the thread waited for more than a
 * quarter of the second one. A window is a response, or several if they take less than 20 ms. Where two windows bring
 * less than a sixteenth more bytes per second, as where the window of the connection is the limit and a response takes
 * many round trips, the doubling is undone and not tried again for a minute, then for twice as long, up to ten minutes.
 * Near the broker, where each doubling brings less than the one before, none is undone, and each full response doubles
 * the maximum up to a {@code partitionMaxBytes} of more than 1 MiB: who allows that wants fewer responses. At the end
 * of the logs it is 1 MiB.
 */
final class FetchSize
{
    private static final double LEAST_GAIN = 1.0625;
    /** Shorter times would mostly show how the threads of the broker are scheduled. */
    private static final long WINDOW_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ConsumerSettings settings;
    private final DutyClock clock;
    private final MemoryBudget budget;
    private final FetchConnections connections;
    private final int number;
    /** The most bytes of records that the next request asks for. */
    int maxBytes;
    private long windowNs;
    /** {@link DutyClock#idleNs()} at that time. */
    private long windowIdleNs;
    private long windowBytes;
    /** How many bytes the fetches of the window have asked for. */
    private long windowAsked;
    /** The responses of the last window were full. */
    private boolean isFull;
    /** Of the maximum that has doubled. */
    private final Trial trial = new Trial();
    private int maxBytesBefore;
    /** The maximum whose doubling is not tried before {@link #nextTrialNs}. */
    private int blockedMaxBytes = Integer.MAX_VALUE;
    private long nextTrialNs;
    /** Reserved in the budget until the buffer is replaced by one for the maximum. */
    private int reserved;
    /** The buffer is longer than needed since a doubling was undone. */
    private boolean isUndone;

    /**
     * @param connections to the same broker.
     * @param number      of the connection over which the fetches go.
     */
    FetchSize(final FetchConnections connections, final int number, final Environment environment)
    {
        this.connections = connections;
        this.number = number;
        settings = environment.settings();
        clock = environment.clock();
        budget = environment.budget();
        maxBytes = settings.firstFetchMaxBytes();
        beginWindow();
    }

    /**
     * Learns from a response that was neither delayed nor throttled, and without errors.
     *
     * @param length         of the response.
     * @param isMoreInLog    whether its partitions hold records after those in the response.
     * @param partitionCount that the fetches ask for.
     * @param capacity       of the receive buffer.
     */
    void onResponse(final int length, final boolean isMoreInLog, final int partitionCount, final int capacity)
    {
        windowBytes += length;
        windowAsked += maxBytes;
        final long elapsedNs = clock.nowNs() - windowNs;
        if (!isMoreInLog)
        {
            reset();
        }
        else if (maxBytes < settings.leastPartitionMaxBytes() && length >= maxBytes - maxBytes / 8 &&
            connections.isNear() && connections.isEnough())
        {
            grow(settings.mostFetchMaxBytes(partitionCount), capacity);
            trial.isRunning = false;
            beginWindow();
        }
        else if (elapsedNs >= WINDOW_NS)
        {
            final boolean isWaiting = 4 * (clock.idleNs() - windowIdleNs) > elapsedNs;
            final double rate = (double)windowBytes / elapsedNs;
            final boolean wasFull = isFull;
            isFull = windowBytes >= windowAsked - windowAsked / 8;
            beginWindow();
            if (wasFull && isFull)
            {
                onFull(rate, isWaiting, settings.mostFetchMaxBytes(partitionCount), capacity);
            }
        }
        assert isConsistent();
    }

    private void beginWindow()
    {
        windowNs = clock.nowNs();
        windowIdleNs = clock.idleNs();
        windowBytes = 0;
        windowAsked = 0;
    }

    /** A window in which the thread did not wait, or with other connections than before, says nothing against it. */
    private void judge(final double rate, final boolean isWaiting)
    {
        if (rate >= trial.rateBefore * LEAST_GAIN)
        {
            trial.succeed();
        }
        else if (isWaiting && connections.isEnough() && trial.doubt())
        {
            undo();
        }
    }

    private void undo()
    {
        endReservation();
        maxBytes = maxBytesBefore;
        isFull = false;
        isUndone = true;
        block(trial.undo());
    }

    private void block(final long delayNs)
    {
        blockedMaxBytes = maxBytes;
        nextTrialNs = windowNs + delayNs;
    }

    private void onFull(final double rate, final boolean isWaiting, final int most, final int capacity)
    {
        if (trial.isRunning)
        {
            judge(rate, isWaiting);
        }
        if (trial.isRunning || !isFull || !connections.isEnough())
        {
            return;
        }
        final boolean isBlocked = maxBytes >= blockedMaxBytes && nextTrialNs - windowNs > 0;
        if (isWaiting && (!isBlocked || connections.isNear()) && grow(most, capacity) && !connections.isNear())
        {
            trial.begin(rate);
        }
    }

    /** Takes note of a response from which nothing can be learned. */
    void onDisturbed()
    {
        isFull = false;
        beginWindow();
    }

    /** Doubles the maximum as far as the memory of a leader and of the consumer allows; returns true if it does. */
    private boolean grow(final int most, final int capacity)
    {
        final int more = (int)Math.min(most, 2L * maxBytes);
        // A buffer that has grown before stays as long.
        final int length = Math.max(capacity, settings.receiveBufferLength(more));
        final int longer = length - capacity;
        if (more <= maxBytes || longer > connections.memoryLeft())
        {
            return false;
        }
        if (!budget.reserve(longer - reserved))
        {
            block(Trial.RETRY_NS);
            return false;
        }
        reserved = longer;
        maxBytesBefore = maxBytes;
        maxBytes = more;
        isFull = false;
        connections.capacity(number, length);
        return true;
    }

    /** Returns true once after a doubling was undone: the memory for it is needed for other connections. */
    boolean takeUndone()
    {
        final boolean wasUndone = isUndone;
        isUndone = false;
        return wasUndone;
    }

    /** The buffer is being replaced, or is not going to be. */
    void endReservation()
    {
        budget.endReservation(reserved);
        reserved = 0;
    }

    /** Asks for the least again. */
    void reset()
    {
        endReservation();
        maxBytes = settings.firstFetchMaxBytes();
        isFull = false;
        trial.isRunning = false;
        beginWindow();
        assert isConsistent();
    }

    private boolean isConsistent()
    {
        // It asks for the least, or for more after a doubling.
        return maxBytes >= settings.firstFetchMaxBytes() &&
            (!trial.isRunning || maxBytesBefore < maxBytes) &&
            // A reservation is that of a longer buffer, and a window counts up.
            reserved >= 0 && windowBytes >= 0 && windowAsked >= 0;
    }
}
