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
    private static final int FEWEST_ORDINARY = 4;
    private static final int MOST_ORDINARY = 64;
    private static final int RECENT = 8;

    private final LatencyBudget budget = new LatencyBudget(BUDGET_NS);
    private long nowNs;

    private void respond(final int batches)
    {
        budget.onResponse(batches, budget.isHolding(), nowNs);
    }

    private void hold()
    {
        for (int i = 0; !budget.isHolding(); i++)
        {
            assertTrue(i <= MOST_ORDINARY);
            respond(1);
        }
    }

    /** An int that grows with each response overflows within weeks, so none may grow. */
    @Test
    void shouldBatchForEverWhileThatSavesFetches() throws IllegalAccessException
    {
        hold();
        final List<Integer> counts = counts();
        for (int i = 0; i < 1_000; i++)
        {
            respond(2);
        }

        assertTrue(budget.isHolding());
        assertEquals(counts, counts());
        assertFalse(counts.isEmpty());
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
        hold();
        for (int i = 0; i < 1_000_000; i++)
        {
            respond(Integer.MAX_VALUE);
        }
        assertTrue(budget.isHolding());
    }

    /** The times per batch are drawn from 0 to 1.6 budgets, so that about every second attempt may begin. */
    @Test
    void shouldDecideByTheMeansOfTheResponses()
    {
        final long seed = Long.getLong("odradek.density.seed", System.nanoTime());
        final Random random = new Random(seed);
        final List<Integer> ordinary = new ArrayList<>();
        final List<Integer> held = new ArrayList<>();
        long ordinaryNs = 0;
        int needed = FEWEST_ORDINARY;
        respond(1);
        for (int i = 0; i < 1_000_000; i++)
        {
            final boolean isHolding = ordinary.size() == needed;
            final int batches = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(isHolding ? 5 : 3);
            final long elapsedNs = (long)(batches * BUDGET_NS * 1.6 * random.nextDouble());
            nowNs += elapsedNs;
            respond(batches);
            (isHolding ? held : ordinary).add(batches);
            ordinaryNs += isHolding ? 0 : elapsedNs;
            final boolean isBegun = !isHolding && ordinary.size() == needed;
            final boolean isEnded = isHolding && batches > 0 && held.size() >= RECENT &&
                sum(held.subList(held.size() - RECENT, held.size())) * needed < 1.25 * RECENT * sum(ordinary);
            if (batches == 0 || isEnded || isBegun && ordinaryNs > 0.8 * BUDGET_NS * sum(ordinary))
            {
                needed = isHolding ? neededAfter(ordinary, held) : needed;
                ordinary.clear();
                held.clear();
                ordinaryNs = 0;
            }
            assertEquals(ordinary.size() == needed, budget.isHolding(),
                "-Dodradek.density.seed=" + seed + ", response " + i);
        }
    }

    /** Batched fetches have saved one if as many ordinary ones would have brought less, as the sums say. */
    private static int neededAfter(final List<Integer> ordinary, final List<Integer> held)
    {
        return sum(held) * ordinary.size() >= (held.size() + 1) * sum(ordinary) ? FEWEST_ORDINARY :
            Math.min(MOST_ORDINARY, 2 * ordinary.size());
    }

    private static long sum(final List<Integer> batches)
    {
        return batches.stream().mapToLong(Integer::longValue).sum();
    }

    @Test
    void shouldEndWithAResponseWithoutABatch()
    {
        hold();
        respond(1);
        assertTrue(budget.isHolding());
        respond(0);
        assertFalse(budget.isHolding());
    }

    /** Another partition was sought, so the fetch was an ordinary one. */
    @Test
    void shouldLearnNothingFromAnOrdinaryFetchInBetween()
    {
        hold();
        for (int i = 0; i < 2 * RECENT; i++)
        {
            budget.onResponse(1, false, nowNs);
        }
        assertTrue(budget.isHolding());
    }
}
