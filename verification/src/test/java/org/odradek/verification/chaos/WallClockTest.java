// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

class WallClockTest
{
    private static final long BEGIN_MS = 1_000_000;

    private long nowNs;
    private long aheadNs;
    private long readingNs;
    private final WallClock clock = new WallClock(this::epochMs, this::nanoTime);

    private long nanoTime()
    {
        return nowNs;
    }

    private long epochMs()
    {
        nowNs += readingNs;
        return BEGIN_MS + TimeUnit.NANOSECONDS.toMillis(nowNs + aheadNs);
    }

    private void pass(final long ns)
    {
        for (long i = 0; i < ns; i += TimeUnit.MICROSECONDS.toNanos(1_700))
        {
            nowNs += TimeUnit.MICROSECONDS.toNanos(1_700);
            clock.compare();
        }
    }

    private void assertConverted()
    {
        final long atNs = nowNs;
        final long ms = epochMs();
        pass(TimeUnit.SECONDS.toNanos(1));
        assertEquals(atNs, clock.toNanoTime(ms), TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Test
    void shouldConvertTimesWhileTheClockGoesOn()
    {
        pass(TimeUnit.SECONDS.toNanos(10));
        assertConverted();
        assertEquals(0, clock.toNanoTime(BEGIN_MS), TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Test
    void shouldConvertTimesBeforeAndAfterTheClockWasSetForward()
    {
        pass(TimeUnit.SECONDS.toNanos(10));
        final long beforeNs = nowNs;
        final long beforeMs = epochMs();
        pass(TimeUnit.SECONDS.toNanos(1));
        aheadNs = TimeUnit.SECONDS.toNanos(45);
        // The clocks have not been compared since.
        assertConverted();

        assertConverted();
        assertEquals(beforeNs, clock.toNanoTime(beforeMs), TimeUnit.MILLISECONDS.toNanos(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {-500, 500})
    void shouldConvertTimesWhileTheClockIsSlowedDownOrAccelerated(final long usPerSecond)
    {
        pass(TimeUnit.SECONDS.toNanos(1));
        final long beforeNs = nowNs;
        final long beforeMs = epochMs();
        for (int i = 0; i < 100; i++)
        {
            aheadNs += TimeUnit.MICROSECONDS.toNanos(usPerSecond);
            pass(TimeUnit.SECONDS.toNanos(1));
        }

        assertConverted();
        assertEquals(beforeNs, clock.toNanoTime(beforeMs), 2 * TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Test
    void shouldIgnoreReadingsBetweenWhichTheThreadStoodStill()
    {
        pass(TimeUnit.SECONDS.toNanos(1));
        readingNs = TimeUnit.MILLISECONDS.toNanos(50);
        final long ms = epochMs();
        final long atNs = nowNs;
        clock.compare();
        readingNs = 0;

        assertEquals(atNs, clock.toNanoTime(ms), TimeUnit.MILLISECONDS.toNanos(1));
        assertConverted();
    }
}
