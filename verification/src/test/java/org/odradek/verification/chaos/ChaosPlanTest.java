// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

class ChaosPlanTest
{
    private static final List<FaultKind> KINDS = List.of(FaultKind.values());
    private static final int ROUND = KINDS.size();

    @Test
    void shouldHaveEveryKindInEachRound()
    {
        final List<FaultKind> order = order(7, 2 * ROUND);

        assertEquals(EnumSet.allOf(FaultKind.class), Set.copyOf(order.subList(0, ROUND)));
        assertEquals(EnumSet.allOf(FaultKind.class), Set.copyOf(order.subList(ROUND, 2 * ROUND)));
    }

    @Test
    void shouldFollowItsSeed()
    {
        assertEquals(order(7, 5 * ROUND), order(7, 5 * ROUND));
        assertNotEquals(order(7, 5 * ROUND), order(8, 5 * ROUND));
    }

    @Test
    void shouldNotDependOnRandomNumbersOfFaults()
    {
        final ChaosRun.Plan<FaultKind> one = new ChaosRun.Plan<>(7, KINDS);
        final ChaosRun.Plan<FaultKind> other = new ChaosRun.Plan<>(7, KINDS);
        for (int i = 0; i < 3 * ROUND; i++)
        {
            assertEquals(one.next(), other.next());
            one.newRandom().nextInt();
            other.newRandom().doubles(i).sum();
        }
    }

    private static List<FaultKind> order(final long seed, final int length)
    {
        final ChaosRun.Plan<FaultKind> plan = new ChaosRun.Plan<>(seed, KINDS);
        return Stream.generate(plan::next).limit(length).toList();
    }
}
