// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;

import java.util.concurrent.TimeUnit;

/**
 * Determines the number of bytes that the next fetch over one connection requests at most. A response of 1 MiB stays
 * in the caches of the processor while it is delivered, so 1 MiB is enough while the handler takes most of the time.
 * Each response costs a round trip. Over a distance the maximum doubles with each full response that has arrived
 * within a round trip after its first byte, if the thread waited for more than a quarter of the time. Otherwise the
 * maximum doubles when the responses of two windows in a row were full and the thread waited for more than a quarter
 * of the second window. A window is a response, or several if they take less than 20 ms. If two windows gain less
 * than a sixteenth in bytes per second, the second kind of doubling is undone, and not tried again for a minute,
 * then for twice as long each time, up to ten minutes. The gain is so small if the TCP window of the connection
 * limits the rate, and a response takes many round trips. Near the broker each doubling gains less than the previous
 * one, and no doubling is undone. Near the broker each full response also doubles the maximum up to
 * {@code partitionMaxBytes}, if that is above 1 MiB, because such a setting asks for fewer responses. At the end of
 * the logs the maximum is 1 MiB.
 */
final class FetchSize
{
    private static final double LEAST_GAIN = 1.0625;
    /**
     * The shortest time of a window: shorter times would mainly depend on how the threads of the broker are scheduled.
     */
    private static final long WINDOW_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ConsumerSettings settings;
    private final DutyClock clock;
    private final MemoryBudget budget;
    private final FetchConnections connections;
    private final int number;
    /** The largest number of bytes of records that the next request asks for. */
    int maxBytes;
    private long windowNs;
    /** The value of {@link DutyClock#idleNs()} at the begin of the window. */
    private long windowIdleNs;
    private long windowBytes;
    /** The number of bytes that the fetches of the window have requested. */
    private long windowAsked;
    /** True if the responses of the last window were full. */
    private boolean isFull;
    /** The trial of a doubled maximum. */
    private final Trial trial = new Trial();
    private int maxBytesBefore;
    /** The maximum whose doubling is not tried before {@link #nextTrialNs}. */
    private int blockedMaxBytes = Integer.MAX_VALUE;
    private long nextTrialNs;
    /** The bytes that are reserved in the budget until the buffer is replaced by one for the maximum. */
    private int reserved;
    /** True if the buffer is longer than needed because a doubling was undone. */
    private boolean isUndone;

    /**
     * @param connections the connections to the same broker.
     * @param number      the number of the connection over which the fetches are sent.
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

    /** Evaluates a response that was neither delayed nor throttled, and had no errors. */
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

    /** Returns true if the maximum limits the rate, or is below the setting near the broker. */
    private boolean isLimit(final FetchSample sample, final boolean isWaiting)
    {
        return connections.isNear() ? maxBytes < settings.leastPartitionMaxBytes() && connections.isEnough() :
            isWaiting && connections.isWithinRoundTrip(sample) && connections.isSteady();
    }

    /** Returns true if a response was full and no fetch of these partitions can request more. */
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

    /**
     * Judges a doubling by a window. A window in which the thread did not wait, or with other connections than before,
     * does not count against the doubling.
     */
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

    /** Notes a response that cannot be evaluated. */
    void onDisturbed()
    {
        isFull = false;
        beginWindow();
    }

    /** Doubles the maximum, if the memory of the broker and of the consumer allows it; returns true if it has grown. */
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

    /** Returns true once after a doubling was undone, because other connections need its memory. */
    boolean takeUndone()
    {
        final boolean wasUndone = isUndone;
        isUndone = false;
        return wasUndone;
    }

    /** Ends the reservation, because the buffer is being replaced, or will not be replaced. */
    void endReservation()
    {
        budget.endReservation(reserved);
        reserved = 0;
    }

    /** Sets the maximum to the least value again. */
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
