// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/** The key of each record of a topic, by the number of the record: the same in every process and run. */
public final class Keys
{
    /** How many keys there are. */
    public static final int COUNT = 10_000;
    /** Each key is as frequent as the others. */
    public static final String UNIFORM = "uniform";
    /** The second key is half as frequent as the first, the third a third as frequent, and so on. */
    public static final String ZIPF = "Zipf";
    private static final int NUMBERS = 1 << 20;
    private static final long SEED = 42;

    private final int[] keys;

    /** @param distribution {@link #UNIFORM} or {@link #ZIPF}. */
    public Keys(final String distribution)
    {
        final double[] shares = new double[COUNT];
        double sum = 0;
        for (int key = 0; key < COUNT; key++)
        {
            sum += distribution.equals(ZIPF) ? 1.0 / (key + 1) : 1;
            shares[key] = sum;
        }
        final double all = sum;
        final SplittableRandom random = new SplittableRandom(SEED);
        keys = random.doubles(NUMBERS).mapToInt((next) ->
        {
            final int found = Arrays.binarySearch(shares, next * all);
            return Math.min(COUNT - 1, found < 0 ? -found - 1 : found);
        }).toArray();
    }

    /** @return from 0 to {@link #COUNT} - 1. */
    public int key(final long ofNumber)
    {
        return keys[(int)(ofNumber & NUMBERS - 1)];
    }

    /** @return the key as a record has it. */
    public byte[] bytes(final long ofNumber)
    {
        return ByteBuffer.allocate(Long.BYTES).putLong(key(ofNumber)).array();
    }
}
