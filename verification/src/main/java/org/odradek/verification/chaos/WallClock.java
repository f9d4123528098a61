// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Converts the timestamps of brokers on this machine into the times of System.nanoTime. The machine may set its clock
 * forward meanwhile, such as a virtual machine that was suspended, so a thread compares both clocks again and again.
 */
final class WallClock implements AutoCloseable
{
    private static final long PERIOD_MS = 5;
    private static final long MILLISECOND_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Readings of both clocks that take longer are not of the same time. */
    private static final long READING_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private final LongSupplier epochMs;
    private final LongSupplier nanoTime;
    /** What has to be added to the nanoseconds since the epoch, by the millisecond from which on it is right. */
    private final TreeMap<Long, Long> differences = new TreeMap<>();
    /** What the last entry began with. */
    private long firstDifference;
    private final Thread thread = new Thread(this::compareUntilClosed, "wall-clock");

    WallClock(final LongSupplier epochMs, final LongSupplier nanoTime)
    {
        this.epochMs = epochMs;
        this.nanoTime = nanoTime;
        while (differences.isEmpty())
        {
            compare();
        }
    }

    static WallClock start()
    {
        final WallClock clock = new WallClock(System::currentTimeMillis, System::nanoTime);
        clock.thread.setDaemon(true);
        clock.thread.start();
        return clock;
    }

    private void compareUntilClosed()
    {
        try
        {
            while (true)
            {
                compare();
                Thread.sleep(PERIOD_MS);
            }
        }
        catch (final InterruptedException ex)
        {
            // It is closed.
        }
    }

    /** Compares both clocks, unless the thread stood still meanwhile. */
    synchronized void compare()
    {
        final long ns = nanoTime.getAsLong();
        final long ms = epochMs.getAsLong();
        if (nanoTime.getAsLong() - ns > READING_NS)
        {
            return;
        }
        final long difference = ns - TimeUnit.MILLISECONDS.toNanos(ms);
        if (differences.isEmpty() || Math.abs(difference - firstDifference) > MILLISECOND_NS)
        {
            firstDifference = difference;
            differences.put(ms, difference);
        }
        else
        {
            // The least is that of the reading closest to the beginning of its millisecond.
            differences.merge(differences.lastKey(), difference, Math::min);
        }
    }

    /** Returns the System.nanoTime at which the clock of this machine began to show a time, within a millisecond. */
    synchronized long toNanoTime(final long timeMs)
    {
        final Map.Entry<Long, Long> floor = differences.floorEntry(timeMs);
        final long ns = toNanoTime(timeMs, floor == null ? differences.firstEntry() : floor);
        final Map.Entry<Long, Long> next = differences.higherEntry(timeMs);
        // A time between a step and the next comparison would be after that comparison by the clock before the step.
        return next != null && ns > toNanoTime(next.getKey(), next) ? toNanoTime(timeMs, next) : ns;
    }

    private static long toNanoTime(final long timeMs, final Map.Entry<Long, Long> entry)
    {
        return TimeUnit.MILLISECONDS.toNanos(timeMs) + entry.getValue();
    }

    @Override
    public void close()
    {
        thread.interrupt();
    }
}
