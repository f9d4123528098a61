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
        final LatencyBudget budget = new LatencyBudget(budgetUs * 1_000);
        int fetches = 0;
        int read = 0;
        long nowUs = 0;
        while (nowUs < END_US)
        {
            fetches++;
            final long nextUs = read < arrivals.length ? arrivals[read] : END_US;
            final long heldUs = budget.isDense() ? budgetUs : Math.min(MAX_WAIT_US, Math.max(0, nextUs - nowUs));
            nowUs += heldUs + ROUND_TRIP_US;
            final int before = read;
            while (read < arrivals.length && arrivals[read] < nowUs)
            {
                read++;
            }
            budget.onResponse(read - before, nowUs * 1_000);
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
}
