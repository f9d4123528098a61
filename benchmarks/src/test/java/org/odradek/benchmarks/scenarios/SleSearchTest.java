// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SleSearchTest
{
    private final List<Integer> tried = new ArrayList<>();

    private int search(final int limit, final int halvings) throws InterruptedException
    {
        return Sle.Search.highestKept(1_000, 100_000, halvings, (rate) ->
        {
            tried.add(rate);
            return rate <= limit;
        });
    }

    @Test
    void shouldDoubleThenHalveTheGap() throws InterruptedException
    {
        assertEquals(5_500, search(5_600, 3));
        assertEquals(List.of(1_000, 2_000, 4_000, 8_000, 6_000, 5_000, 5_500), tried);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 1_001, 3_333, 63_999, 64_000, 99_999})
    void shouldComeAsNearAsHalvingsAllow(final int limit) throws InterruptedException
    {
        final int held = search(limit, 20);

        assertEquals(limit, held);
    }

    @Test
    void shouldGoBelowTheFirstRateIfThatIsNotKept() throws InterruptedException
    {
        assertEquals(250, search(300, 3));
        assertEquals(List.of(1_000, 500, 250, 375), tried);
    }

    @Test
    void shouldHoldNothingIfNothingIsKept() throws InterruptedException
    {
        assertEquals(0, search(0, 3));
        assertTrue(tried.size() <= 4);
    }

    @Test
    void shouldEndAtTheHighestRate() throws InterruptedException
    {
        assertEquals(100_000, search(Integer.MAX_VALUE, 3));
        assertEquals(100_000, tried.get(tried.size() - 1));
    }
}
