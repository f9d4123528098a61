// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs fixed seeds, and in the slow run seeds that are new each time. A failure prints the seed. */
class TrickleWorldTest
{
    private static final int MINUTES = 1;
    private static final int FIXED_SEEDS = 60;
    private static final int NEW_SEEDS = 500;
    private static final long FIRST_NEW_SEED = 1_000_000;
    private static final long LAST_NEW_SEED = 1_000_000_000;

    private static RunSettings settings(final long seed)
    {
        return new RunSettings(seed, MINUTES, LoadProfile.TRICKLE, Set.of());
    }

    /** A record may wait for the response before its own, so a bound of one round trip would fail. */
    @Test
    void shouldHandOverEachRecordWithinTheBound()
    {
        int batched = 0;
        int beyondRoundTrip = 0;
        for (long seed = 1; seed <= FIXED_SEEDS; seed++)
        {
            final RunSettings settings = settings(seed);
            final TrickleWorld world = new TrickleWorld(settings, null);
            assertDoesNotThrow(world::run, settings::toOptions);
            batched += world.batchedFetches > 0 ? 1 : 0;
            beyondRoundTrip += world.longestNs > world.boundNs(TrickleWorld.MOST_MESSAGES - 1) ? 1 : 0;
        }

        assertTrue(batched >= FIXED_SEEDS / 2, "seeds with batched fetches: " + batched);
        assertTrue(beyondRoundTrip >= FIXED_SEEDS / 10, "seeds with a record that took longer: " + beyondRoundTrip);
        assertEquals(RunResult.of(settings(1), null).digest(), RunResult.of(settings(1), null).digest());
    }

    @Tag("slow")
    @Test
    void shouldHandOverEachRecordInTimeInNewSeeds()
    {
        final long firstSeed = ThreadLocalRandom.current().nextLong(FIRST_NEW_SEED, LAST_NEW_SEED);
        for (long seed = firstSeed; seed < firstSeed + NEW_SEEDS; seed++)
        {
            final RunResult result = RunResult.of(settings(seed), null);
            assertTrue(result.isClean(), result::describeFailure);
        }
    }
}
