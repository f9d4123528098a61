// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RateSearchTest
{
    private final List<Integer> tried = new ArrayList<>();

    private int search(final int limit, final int halvings)
    {
        final RateSearch search = new RateSearch(1_000, 100_000, halvings);
        while (!search.isDone())
        {
            tried.add(search.next());
            search.answer(search.next() <= limit);
        }
        return search.held();
    }

    @Test
    void shouldDoubleThenHalveTheGap()
    {
        assertEquals(5_500, search(5_600, 3));
        assertEquals(List.of(1_000, 2_000, 4_000, 8_000, 6_000, 5_000, 5_500), tried);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 1_001, 3_333, 63_999, 64_000, 99_999})
    void shouldComeAsNearAsHalvingsAllow(final int limit)
    {
        final int held = search(limit, 20);

        assertEquals(limit, held);
    }

    @Test
    void shouldGoBelowTheFirstRateIfThatIsNotKept()
    {
        assertEquals(250, search(300, 3));
        assertEquals(List.of(1_000, 500, 250, 375), tried);
    }

    @Test
    void shouldHoldNothingIfNothingIsKept()
    {
        assertEquals(0, search(0, 3));
        assertTrue(tried.size() <= 4);
    }

    @Test
    void shouldEndAtTheHighestRate()
    {
        assertEquals(100_000, search(Integer.MAX_VALUE, 3));
        assertEquals(100_000, tried.get(tried.size() - 1));
    }
}
