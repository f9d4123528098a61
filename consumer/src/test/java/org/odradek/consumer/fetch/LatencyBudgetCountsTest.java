// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what the latency budget remembers of the responses before. */
class LatencyBudgetCountsTest
{
    private static final long BUDGET_NS = 100_000_000L;
    private static final long SPARSE_NS = 1_000_000_000_000_000L;
    private static final int FEWEST_DENSE = 4;
    private static final int MOST_DENSE = 64;

    private final LatencyBudget budget = new LatencyBudget(BUDGET_NS);

    /** As many responses as 25 days have, with 1,000 in a second. */
    @Test
    void shouldBatchForEverWhileResponsesAreDense()
    {
        for (long i = 0; i <= 1L << 31; i++)
        {
            budget.onResponse(1, 0);
        }
        assertTrue(budget.isDense());
    }

    @Test
    void shouldCountAnyNumberOfBatches()
    {
        for (int i = 0; i < 1_000_000; i++)
        {
            budget.onResponse(Integer.MAX_VALUE, 0);
        }
        assertTrue(budget.isDense());
    }

    /** Batched fetches have saved one if as many ordinary ones would have brought less, as the sums say. */
    @Test
    void shouldDecideByTheBatchesOfAllResponses()
    {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        final List<Integer> batches = new ArrayList<>();
        int needed = FEWEST_DENSE;
        budget.onResponse(1, 0);
        for (int i = 0; i < 1_000_000; i++)
        {
            if (random.nextInt(20) > 0)
            {
                batches.add(1 + random.nextInt(4));
                budget.onResponse(batches.get(batches.size() - 1), 0);
            }
            else
            {
                needed = neededAfter(batches, needed);
                batches.clear();
                budget.reset();
            }
            assertEquals(batches.size() >= needed, budget.isDense(), "seed " + seed + ", response " + i);
        }
    }

    private static int neededAfter(final List<Integer> batches, final int needed)
    {
        if (batches.size() < needed)
        {
            return needed;
        }
        final long ordinary = batches.subList(0, needed).stream().mapToLong(Integer::longValue).sum();
        final long batched = batches.subList(needed, batches.size()).stream().mapToLong(Integer::longValue).sum();
        return batched * needed >= (batches.size() - needed + 1) * ordinary ? FEWEST_DENSE :
            Math.min(MOST_DENSE, 2 * needed);
    }

    @Test
    void shouldEndWithASparseResponse()
    {
        for (int i = 0; i <= FEWEST_DENSE; i++)
        {
            budget.onResponse(1, 0);
        }
        assertTrue(budget.isDense());
        budget.onResponse(1, SPARSE_NS);
        assertEquals(false, budget.isDense());
    }
}
