// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FaultPlanTest
{
    private static final List<FaultKind> KINDS = List.of(FaultKind.values());
    private static final int ROUND = KINDS.size();

    private final List<String> lines = new ArrayList<>();

    @Test
    void shouldHaveEveryKindInEachRound()
    {
        final List<FaultKind> order = order(7, 2 * ROUND, 0);

        assertEquals(EnumSet.allOf(FaultKind.class), Set.copyOf(order.subList(0, ROUND)));
        assertEquals(EnumSet.allOf(FaultKind.class), Set.copyOf(order.subList(ROUND, 2 * ROUND)));
    }

    @Test
    void shouldFollowItsSeed()
    {
        assertEquals(order(7, 5 * ROUND, 0), order(7, 5 * ROUND, 0));
        assertNotEquals(order(7, 5 * ROUND, 0), order(8, 5 * ROUND, 0));
    }

    @Test
    void shouldNotDependOnRandomNumbersOfFaults()
    {
        assertEquals(order(7, 3 * ROUND, 0), order(7, 3 * ROUND, 5));
    }

    /** Pages name the seeds of their runs. */
    @Test
    void shouldDrawTheOrderAndThenANumberForEachFault()
    {
        final Random random = new Random(7);
        final List<FaultKind> round = new ArrayList<>(KINDS);
        Collections.shuffle(round, random);
        final List<FaultKind> order = new ArrayList<>();

        plan(7).strikeFor(0, (kind, own) ->
        {
            order.add(kind);
            assertEquals(new Random(random.nextLong()).nextInt(), own.nextInt());
            return "";
        });

        assertEquals(round, order);
    }

    @Test
    void shouldEndAtTheFirstProblem()
    {
        final FaultPlan<FaultKind> plan = plan(7);
        final FaultKind second = order(7, 2, 0).get(1);

        plan.strikeFor(60, (kind, own) ->
        {
            if (kind == second)
            {
                throw new IllegalStateException("no leader");
            }
            return "done";
        });

        assertEquals(1, plan.problems().size());
        final String problem = plan.problems().get(0);
        assertTrue(problem.startsWith("During " + second + ": " + IllegalStateException.class.getName() +
            ": no leader\nthe state\nthe last faults:\n"), problem);
        assertTrue(problem.endsWith(": done"), problem);
        assertEquals(1, plan.counts().values().stream().mapToInt(Integer::intValue).sum());
    }

    private List<FaultKind> order(final long seed, final int length, final int draws)
    {
        final List<FaultKind> order = new ArrayList<>();
        final FaultPlan<FaultKind> plan = plan(seed);
        while (order.size() < length)
        {
            plan.strike((kind, own) ->
            {
                order.add(kind);
                own.ints(draws).sum();
                return "done";
            });
        }
        return order;
    }

    private FaultPlan<FaultKind> plan(final long seed)
    {
        return new FaultPlan<>(new Random(seed), KINDS, () -> "the state", lines::add);
    }
}
