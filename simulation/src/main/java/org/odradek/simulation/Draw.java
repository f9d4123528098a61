// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.random.RandomGenerator;

/**
 * A generator of random numbers (SplitMix64) whose numbers depend on nothing but a seed and a purpose, and are equal on
 * every JDK. Each purpose has a generator of its own, so that a further draw for one does not change the others.
 */
final class Draw implements RandomGenerator
{
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    Draw(final long seed, final String purpose)
    {
        state = mix(seed + GOLDEN_GAMMA);
        for (int i = 0; i < purpose.length(); i++)
        {
            state = mix(state + purpose.charAt(i) * GOLDEN_GAMMA);
        }
    }

    private static long mix(final long value)
    {
        final long half = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        final long whole = (half ^ half >>> 27) * 0x94D049BB133111EBL;
        return whole ^ whole >>> 31;
    }

    @Override
    public long nextLong()
    {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    @Override
    public double nextDouble()
    {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    /** Returns 0 or more and less than the bound. */
    int below(final int bound)
    {
        return (int)((nextLong() >>> 33) * bound >>> 31);
    }

    /** Returns a number from min to max, both included. */
    long between(final long min, final long max)
    {
        return min + (long)(nextDouble() * (max - min + 1));
    }

    /** Returns a number from min to max; each order of magnitude is about as likely as any other. */
    long logBetween(final long min, final long max)
    {
        final int magnitudes = Long.numberOfLeadingZeros(Math.max(1, min)) - Long.numberOfLeadingZeros(max);
        final long low = Math.max(min, 1) << below(magnitudes + 1);
        return Math.min(max, Math.max(min, between(low, 2 * low)));
    }

    /** Returns the time until the next of events that follow one another at random, in the unit of the mean. */
    long exponential(final long mean)
    {
        return 1 + (long)(-StrictMath.log(1 - nextDouble()) * mean);
    }

    boolean chance(final double probability)
    {
        return nextDouble() < probability;
    }

    boolean oneIn(final int count)
    {
        return below(count) == 0;
    }

    <T> T pick(final T[] values)
    {
        return values[below(values.length)];
    }
}
