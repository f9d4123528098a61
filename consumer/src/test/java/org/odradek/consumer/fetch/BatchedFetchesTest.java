// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Counts the fetches that one reader of one partition sends, with a budget and without one, for batches that arrive at
 * given times. Times are in microseconds.
 */
class BatchedFetchesTest
{
    private static final long END_US = 20_000_000;
    private static final long BUDGET_US = 2_000;
    private static final long ROUND_TRIP_US = 100;
    private static final long MAX_WAIT_US = 500_000;

    private static int fetches(final long[] arrivals, final long budgetUs)
    {
        return fetches(arrivals, budgetUs, ROUND_TRIP_US);
    }

    private static int fetches(final long[] arrivals, final long budgetUs, final long roundTripUs)
    {
        final LatencyBudget budget = new LatencyBudget(budgetUs * 1_000);
        int fetches = 0;
        int read = 0;
        long nowUs = 0;
        while (nowUs < END_US)
        {
            fetches++;
            final long nextUs = read < arrivals.length ? arrivals[read] : END_US;
            final boolean isBatched = budget.isHolding();
            final long heldUs = isBatched ? budgetUs : Math.min(MAX_WAIT_US, Math.max(0, nextUs - nowUs));
            nowUs += heldUs + roundTripUs;
            final int before = read;
            while (read < arrivals.length && arrivals[read] < nowUs)
            {
                read++;
            }
            budget.onResponse(read - before, isBatched, nowUs * 1_000);
        }
        return fetches;
    }

    private static long[] bursts(final long activeUs, final long silentUs, final long betweenUs)
    {
        return IntStream.range(0, (int)(END_US / betweenUs)).mapToLong((i) -> i * betweenUs)
            .filter((timeUs) -> timeUs % (activeUs + silentUs) < activeUs).toArray();
    }

    private static void assertSaves(final long[] arrivals, final double most)
    {
        final int without = fetches(arrivals, 0);
        final int with = fetches(arrivals, BUDGET_US);
        assertTrue(with <= most * without, with + " fetches with a budget, " + without + " without one");
    }

    @Test
    void shouldSaveFetchesWhereRecordsComeInBursts()
    {
        assertSaves(bursts(END_US, 0, 200), 0.12);
        assertSaves(bursts(20_000, 10_000, 200), 0.25);
        assertSaves(bursts(6_000, 14_000, 200), 0.4);
        assertSaves(bursts(3_500, 6_500, 200), 0.5);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 300, 700, 1_000, 1_500, 2_000, 5_000, 100_000})
    void shouldNeverCostMoreFetchesThanNone(final int meanUs)
    {
        for (int seed = 0; seed < 20; seed++)
        {
            final Random random = new Random(seed);
            final long[] arrivals = new long[(int)(END_US / meanUs)];
            double timeUs = 0;
            for (int i = 0; i < arrivals.length; i++)
            {
                // Some come together, and some are far apart.
                timeUs += -Math.log(1 - random.nextDouble()) * meanUs * (random.nextInt(4) == 0 ? 3 : 0.33);
                arrivals[i] = (long)timeUs;
            }
            assertSaves(Arrays.stream(arrivals).filter((time) -> time < END_US).toArray(), 1.05);
        }
    }

    /**
     * Batches come regularly, at random, with jitter or in clumps, on average 0.1 to 3 budgets apart, over round trips
     * of up to half a budget.
     */
    @Test
    void shouldCostHardlyMoreFetchesThanNoneWhateverThePattern()
    {
        long with = 0;
        long without = 0;
        for (int seed = 0; seed < 10_000; seed++)
        {
            final Random random = new Random(seed);
            final double meanUs = BUDGET_US * 0.1 * Math.pow(30, random.nextDouble());
            final long[] arrivals = pattern(random, meanUs, 100 + random.nextInt(1_000));
            final long roundTripUs = 1 + random.nextInt((int)BUDGET_US / 2);
            final int ofBudget = fetches(arrivals, BUDGET_US, roundTripUs);
            final int ofNone = fetches(arrivals, 0, roundTripUs);
            assertTrue(ofBudget <= 1.05 * ofNone + 2,
                ofBudget + " fetches with a budget, " + ofNone + " without one, seed " + seed);
            with += ofBudget;
            without += ofNone;
        }
        assertTrue(with < 0.85 * without, with + " fetches with a budget, " + without + " without one");
    }

    private static long[] pattern(final Random random, final double meanUs, final int count)
    {
        final int kind = random.nextInt(4);
        final double jitter = random.nextDouble();
        final int clump = 2 + random.nextInt(30);
        final double inClumpUs = meanUs * random.nextDouble() * 0.5;
        final long[] arrivals = new long[count];
        double timeUs = 0;
        for (int i = 0; i < count; i++)
        {
            timeUs += switch (kind)
            {
                case 0 -> meanUs;
                case 1 -> -Math.log(1 - random.nextDouble()) * meanUs;
                case 2 -> meanUs * (1 + jitter * (2 * random.nextDouble() - 1));
                default -> i % clump > 0 ? inClumpUs : meanUs * clump - inClumpUs * (clump - 1);
            };
            arrivals[i] = (long)timeUs;
        }
        return Arrays.stream(arrivals).filter((time) -> time < END_US).toArray();
    }

    /** 5,000 and 10,000 records a second with linger 5 ms, and 10 ms allowed. */
    @Test
    void shouldHoldWhereABatchComesAtHalfTheBudget()
    {
        final long[] arrivals = IntStream.range(0, (int)(END_US / 1_060)).mapToLong((i) -> i * 1_060L).toArray();
        final int fewest = (int)(END_US / (BUDGET_US + ROUND_TRIP_US));
        final int with = fetches(arrivals, BUDGET_US);
        assertTrue(with <= 1.01 * fewest, with + " fetches, at least " + fewest);
    }
}
