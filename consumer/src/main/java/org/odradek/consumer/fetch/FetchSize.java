// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.MemoryBudget;
import org.odradek.consumer.core.Settings;

import java.util.concurrent.TimeUnit;

/**
 * How many bytes the next fetch from one broker asks for. A response of 1 MiB stays in the caches of the processor
 * while it is delivered, so that is enough while the handler takes most of the time. Over a distance each response
 * costs a round trip: the maximum doubles when two responses in a row were full and the thread waited for more than a
 * quarter of the time between them. Where that brings less than an eighth more bytes per second, as where the window
 * of the connection is the limit, that is undone and not tried again for a minute, then for twice as long, up to ten
 * minutes. Near the broker it grows to {@code partitionMaxBytes} whatever the thread does and whatever that brings: who
 * allows more than 1 MiB of a partition wants fewer responses. At the end of the logs it is 1 MiB.
 */
final class FetchSize
{
    private static final double LEAST_GAIN = 1.125;
    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long MAX_RETRY_NS = TimeUnit.SECONDS.toNanos(600);

    private final Settings settings;
    private final DutyClock clock;
    private final MemoryBudget budget;
    private final FetchConnections connections;
    private final int number;
    private int maxBytes;
    /** The last response was full. */
    private boolean isFull;
    /** The maximum has doubled, and two responses in a row have not shown yet what that brings. */
    private boolean isTrial;
    private int maxBytesBefore;
    /** Bytes per nanosecond before that. */
    private double rateBefore;
    /** When the next doubling may be tried. */
    private long nextTrialNs;
    /** The time from an undone doubling to the next one. */
    private long retryNs = RETRY_NS;
    /** The buffer is longer than needed since a doubling was undone. */
    private boolean isUndone;
    /** Of the last response. */
    private long lastNs;
    /** {@link DutyClock#idleNs()} at that time. */
    private long lastIdleNs;

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
        nextTrialNs = clock.nowNs();
    }

    /** The most bytes of records that the next request asks for. */
    int maxBytes()
    {
        return maxBytes;
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
        final long waitedNs = clock.idleNs() - lastIdleNs;
        final long elapsedNs = clock.nowNs() - lastNs;
        lastIdleNs += waitedNs;
        lastNs += elapsedNs;
        if (!isMoreInLog)
        {
            reset();
            return;
        }
        final boolean wasFull = isFull;
        isFull = length >= maxBytes - maxBytes / 8;
        if (!wasFull || !isFull)
        {
            return;
        }
        final double rate = (double)length / Math.max(1, elapsedNs);
        final boolean wasTrial = isTrial;
        final boolean isGain = rate >= rateBefore * LEAST_GAIN;
        isTrial = false;
        retryNs = wasTrial && isGain ? RETRY_NS : retryNs;
        if (wasTrial && !isGain)
        {
            maxBytes = maxBytesBefore;
            isFull = false;
            nextTrialNs = lastNs + retryNs;
            retryNs = Math.min(2 * retryNs, MAX_RETRY_NS);
            isUndone = true;
        }
        else if (connections.isEnough())
        {
            final boolean isFree = maxBytes < settings.leastPartitionMaxBytes() && connections.isNear();
            if (isFree || nextTrialNs - lastNs <= 0 && waitedNs > elapsedNs / 4)
            {
                rateBefore = rate;
                grow(settings.mostFetchMaxBytes(partitionCount), capacity);
                isTrial &= !isFree;
            }
        }
    }

    /** Takes note of a response from which nothing can be learned. */
    void onDisturbed()
    {
        isFull = false;
    }

    /** Doubles the maximum as far as the memory of a leader and of the consumer allows. */
    private void grow(final int most, final int capacity)
    {
        final int more = (int)Math.min(most, 2L * maxBytes);
        final int length = settings.receiveBufferLength(more);
        final int longer = length - capacity;
        if (more <= maxBytes || longer > connections.memoryLeft())
        {
            return;
        }
        if (budget.isWithin(longer))
        {
            maxBytesBefore = maxBytes;
            maxBytes = more;
            isFull = false;
            isTrial = true;
            connections.capacity(number, length);
        }
        else
        {
            nextTrialNs = lastNs + RETRY_NS;
        }
    }

    /** Returns true once after a doubling was undone: the memory for it is needed for other connections. */
    boolean takeUndone()
    {
        final boolean wasUndone = isUndone;
        isUndone = false;
        return wasUndone;
    }

    /** Asks for the least again. */
    void reset()
    {
        maxBytes = settings.firstFetchMaxBytes();
        isFull = false;
        isTrial = false;
    }
}
