// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;

import java.util.concurrent.TimeUnit;

/**
 * Determines the largest number of bytes that the next fetch over one connection requests. The number may double after
 * responses that bring at least 7/8 of it, and returns to its first value when a response has reached the ends of the
 * logs.
 */
final class FetchSize
{
    private static final double LEAST_GAIN = 1.0625;
    /** A rate over a shorter time would mainly depend on the scheduling of the broker's threads. */
    private static final long WINDOW_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ConsumerSettings settings;
    private final DutyClock clock;
    private final MemoryBudget budget;
    private final FetchConnections connections;
    private final int number;
    int maxBytes;
    private long windowNs;
    private long windowIdleNs;
    private long windowBytes;
    private long windowAsked;
    private boolean isFull;
    private final Trial trial = new Trial();
    private int maxBytesBefore;
    /**
     * While {@link #maxBytes} is at least this number, {@link #onFull} does not double it before {@link #nextTrialNs},
     * unless {@link FetchConnections#isNear()}.
     */
    private int blockedMaxBytes = Integer.MAX_VALUE;
    private long nextTrialNs;
    /** The time before which no memory is reserved, because there was not enough of it. */
    private long nextReserveNs;
    private int reserved;
    private boolean isUndone;

    FetchSize(final FetchConnections connections, final int number, final Environment environment)
    {
        this.connections = connections;
        this.number = number;
        settings = environment.settings();
        clock = environment.clock();
        budget = environment.budget();
        maxBytes = settings.firstFetchMaxBytes();
        nextReserveNs = clock.nowNs();
        beginWindow();
    }

    void onResponse(final FetchSample sample)
    {
        windowBytes += sample.length;
        windowAsked += maxBytes;
        final long elapsedNs = clock.nowNs() - windowNs;
        final boolean isWaiting = 4 * (clock.idleNs() - windowIdleNs) > elapsedNs;
        if (!sample.isMoreInLog)
        {
            reset();
        }
        else if (isFull(sample.length, maxBytes) && isLimit(sample, isWaiting))
        {
            grow(settings.mostFetchMaxBytes(sample.partitionCount), sample.capacity);
            trial.isRunning = false;
            beginWindow();
        }
        else if (elapsedNs >= WINDOW_NS)
        {
            final double rate = (double)windowBytes / elapsedNs;
            final boolean wasFull = isFull;
            isFull = isFull(windowBytes, windowAsked);
            beginWindow();
            if (wasFull && isFull)
            {
                onFull(rate, isWaiting, sample);
            }
        }
        assert isConsistent();
    }

    private static boolean isFull(final long length, final long asked)
    {
        return length >= asked - asked / 8;
    }

    private boolean isLimit(final FetchSample sample, final boolean isWaiting)
    {
        return connections.isNear() ? maxBytes < settings.leastPartitionMaxBytes() && connections.isEnough() :
            isWaiting && connections.isWithinRoundTrip(sample) && connections.isSteady();
    }

    /**
     * Returns true if the response has at least 7/8 of {@link #maxBytes}, and a fetch of these partitions must not
     * request more.
     */
    boolean isLargest(final FetchSample sample)
    {
        return isFull(sample.length, maxBytes) && maxBytes >= settings.mostFetchMaxBytes(sample.partitionCount);
    }

    private void beginWindow()
    {
        windowNs = clock.nowNs();
        windowIdleNs = clock.idleNs();
        windowBytes = 0;
        windowAsked = 0;
    }

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

    private void onFull(final double rate, final boolean isWaiting, final FetchSample sample)
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
        if (isWaiting && (!isBlocked || connections.isNear()) &&
            grow(settings.mostFetchMaxBytes(sample.partitionCount), sample.capacity) && !connections.isNear())
        {
            trial.begin(rate);
        }
    }

    void onDisturbed()
    {
        isFull = false;
        beginWindow();
    }

    /**
     * @param most the largest value of {@link #maxBytes}.
     * @return false if there is no memory for the longer buffer, or {@link #maxBytes} has the largest value.
     */
    private boolean grow(final int most, final int capacity)
    {
        final int more = (int)Math.min(most, 2L * maxBytes);
        // A buffer that has grown before keeps its length.
        final int length = Math.max(capacity, settings.receiveBufferLength(more));
        final int longer = length - capacity;
        if (more <= maxBytes || longer > connections.memoryLeft())
        {
            return false;
        }
        if (nextReserveNs - clock.nowNs() > 0)
        {
            return false;
        }
        if (!budget.reserve(longer - reserved))
        {
            // To find out how much memory the JVM has left allocates objects.
            nextReserveNs = clock.nowNs() + Trial.RETRY_NS;
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

    boolean takeUndone()
    {
        final boolean wasUndone = isUndone;
        isUndone = false;
        return wasUndone;
    }

    void endReservation()
    {
        budget.endReservation(reserved);
        reserved = 0;
    }

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
        // The maximum is the least value, or more after a doubling.
        return maxBytes >= settings.firstFetchMaxBytes() &&
            (!trial.isRunning || maxBytesBefore < maxBytes) &&
            // Only a longer buffer is reserved, and the counts of a window only increase.
            reserved >= 0 && windowBytes >= 0 && windowAsked >= 0;
    }
}
