// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ChainSearchTest
{
    @ParameterizedTest
    @CsvSource({
        "25, 200, 20, 1000, 200, 25 50 100 150 200", // never breaks
        "25, 200, 20, 70, 68, 25 50 100 75 62 68 71", // up, then between
        "25, 200, 20, 7, 7, 25 10 5 7 8", // down, then between
        "5, 200, 20, 0, 0, 5 2 1", // none holds
        "1, 1, 20, 1, 1, 1", // nowhere to go
        "25, 30, 20, 1000, 30, 25 30", // the highest is no rough step
        "25, 200, 3, 70, 50, 25 50 100", // steps used up
        "500, 1500, 20, 2000, 1500, 500 700 1000 1500", // beyond the rough steps
    })
    void shouldFindWhereChainsBreak(
        final int first, final int most, final int maxSteps, final int holding, final int found, final String tried)
    {
        final ChainSearch search = new ChainSearch(first, most, maxSteps, 1, ChainRowsTest.LIMIT_US);

        final List<String> steps = new ArrayList<>();
        for (int chains = search.next(); chains != ChainSearch.DONE; chains = search.next())
        {
            steps.add(Integer.toString(chains));
            search.results().add(ChainRowsTest.step(chains, (chains <= holding ? 1 : 200) * ChainRowsTest.MS, false));
        }

        assertEquals(tried, String.join(" ", steps));
        assertEquals(found, search.held());
    }

    @Test
    void shouldTryAgainWhatBroke()
    {
        final ChainSearch search = new ChainSearch(25, 200, 2, 2, ChainRowsTest.LIMIT_US);

        search.results().add(ChainRowsTest.step(25, 200 * ChainRowsTest.MS, false));
        assertEquals(25, search.next());
        search.results().add(ChainRowsTest.step(25, ChainRowsTest.MS, false));
        assertEquals(50, search.next());
        search.results().add(ChainRowsTest.step(50, 0, true));
        assertEquals(50, search.next());
        search.results().add(ChainRowsTest.step(50, 0, true));

        assertEquals(ChainSearch.DONE, search.next());
    }
}
