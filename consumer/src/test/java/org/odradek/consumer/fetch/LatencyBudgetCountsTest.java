// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what the latency budget remembers of the responses before. */
class LatencyBudgetCountsTest
{
    private static final long BUDGET_NS = 100_000_000L;
    private static final long SPARSE_NS = 1_000_000_000_000_000L;
    private static final int FEWEST_DENSE = 4;
    private static final int MOST_DENSE = 64;

    private final LatencyBudget budget = new LatencyBudget(BUDGET_NS);

    /** An int that grows with each response overflows within weeks, so none may grow. */
    @Test
    void shouldBatchForEverWhileResponsesAreDense() throws IllegalAccessException
    {
        respond(MOST_DENSE);
        final List<Integer> counts = counts();
        respond(MOST_DENSE);

        assertTrue(budget.isDense());
        assertEquals(counts, counts());
        assertFalse(counts.isEmpty());
    }

    private void respond(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            budget.onResponse(1, 0);
        }
    }

    private List<Integer> counts() throws IllegalAccessException
    {
        final List<Integer> counts = new ArrayList<>();
        for (final Field field : LatencyBudget.class.getDeclaredFields())
        {
            if (field.getType() == int.class && !Modifier.isStatic(field.getModifiers()))
            {
                field.setAccessible(true);
                counts.add(field.getInt(budget));
            }
        }
        return counts;
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
        final long seed = Long.getLong("odradek.density.seed", System.nanoTime());
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
            assertEquals(batches.size() >= needed, budget.isDense(),
                "-Dodradek.density.seed=" + seed + ", response " + i);
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
        assertFalse(budget.isDense());
    }
}
