// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BackoffTest
{
    private static final long FIRST_NS = 100;
    private static final long MAX_NS = 1_000;
    /** Close to the overflow of a nanosecond clock. */
    private static final long NOW_NS = Long.MAX_VALUE - 50;

    private final RandomGenerator random = new SplittableRandom(1);

    private static void assertAbout(final long delayNs, final long actualNs)
    {
        assertTrue(actualNs >= delayNs * 0.8 - 1 && actualNs <= delayNs * 1.2 + 1, "a delay of " + actualNs);
    }

    // Behaviour B17, tried 2026-11-30: The reconnect backoff grows, with jitter, and is reset by an answer without an
    // error, not by a connection alone.
    @Test
    void shouldDoubleUpToTheLongestDelayAndStartAgainAfterASuccess()
    {
        final Backoff backoff = new Backoff(FIRST_NS, MAX_NS, random);
        assertTrue(backoff.hasExpired(NOW_NS));
        for (int round = 0; round < 2; round++)
        {
            for (final long delayNs : new long[] {100, 200, 400, 800, 1_000, 1_000})
            {
                backoff.failed(NOW_NS);
                assertAbout(delayNs, backoff.deadlineNs() - NOW_NS);
            }
            assertEquals(6, backoff.failures());
            backoff.succeeded();
            assertEquals(0, backoff.failures());
            assertTrue(backoff.hasExpired(NOW_NS));
        }
    }

    @Test
    void shouldExpireAtItsDeadline()
    {
        final Backoff backoff = new Backoff(FIRST_NS, MAX_NS, random);
        backoff.failed(NOW_NS);

        assertFalse(backoff.hasExpired(NOW_NS));
        assertFalse(backoff.hasExpired(backoff.deadlineNs() - 1));
        assertTrue(backoff.hasExpired(backoff.deadlineNs()));
    }

    // Behaviour B17.
    @Test
    void shouldNotGiveAllClientsTheSameDelay()
    {
        final long[] delaysNs = new long[20];
        for (int i = 0; i < delaysNs.length; i++)
        {
            final Backoff backoff = new Backoff(1_000_000_000, 1_000_000_000, random);
            backoff.failed(0);
            delaysNs[i] = backoff.deadlineNs();
        }
        assertTrue(Arrays.stream(delaysNs).distinct().count() > 1);
    }

    @Test
    void shouldVaryTheDelayAsTheGeneratorSays()
    {
        final double[] drawn = {0, 0.5, 0.999};
        final long[] expectedNs = {800, 1_000, 1_199};
        for (int i = 0; i < drawn.length; i++)
        {
            final double next = drawn[i];
            final Backoff backoff = new Backoff(1_000, 1_000, new RandomGenerator()
            {
                @Override
                public long nextLong()
                {
                    return (long)(next * (1L << 53)) << 11;
                }
            });
            backoff.failed(0);
            assertEquals(expectedNs[i], backoff.deadlineNs());
        }
    }

    @Test
    void shouldNotShortenTheDelayAfterManyFailures()
    {
        final long maxNs = 1L << 50;
        for (final long firstNs : new long[] {1, 1L << 33, 1L << 40, (1L << 40) + 12_345, maxNs})
        {
            final Backoff backoff = new Backoff(firstNs, maxNs, random);
            for (int i = 0; i < 200; i++)
            {
                backoff.failed(0);
                assertAbout(i > 50 ? maxNs : Math.min(maxNs, firstNs * Math.pow(2, i)), backoff.deadlineNs());
            }
        }
    }

    private static void assertAbout(final double delayNs, final long actualNs)
    {
        assertAbout((long) delayNs, actualNs);
    }
}
