// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

class ChaosPlanTest
{
    private static final int KINDS = FaultKind.values().length;

    @Test
    void shouldHaveEveryKindInEachRound()
    {
        final List<FaultKind> order = order(7, 2 * KINDS);

        assertEquals(EnumSet.allOf(FaultKind.class), Set.copyOf(order.subList(0, KINDS)));
        assertEquals(EnumSet.allOf(FaultKind.class), Set.copyOf(order.subList(KINDS, 2 * KINDS)));
    }

    @Test
    void shouldFollowItsSeed()
    {
        assertEquals(order(7, 5 * KINDS), order(7, 5 * KINDS));
        assertNotEquals(order(7, 5 * KINDS), order(8, 5 * KINDS));
    }

    @Test
    void shouldNotDependOnWhatFaultsDraw()
    {
        final ChaosPlan one = new ChaosPlan(7);
        final ChaosPlan other = new ChaosPlan(7);
        for (int i = 0; i < 3 * KINDS; i++)
        {
            assertEquals(one.next(), other.next());
            one.newRandom().nextInt();
            other.newRandom().doubles(i).sum();
        }
    }

    private static List<FaultKind> order(final long seed, final int length)
    {
        final ChaosPlan plan = new ChaosPlan(seed);
        return Stream.generate(plan::next).limit(length).toList();
    }
}
