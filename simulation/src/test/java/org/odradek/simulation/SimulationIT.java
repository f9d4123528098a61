// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs fixed seeds. {@code ./odradek simulate} runs others. */
@Timeout(600)
class SimulationIT
{
    private static final int THREADS = 2;
    private static final int HOURS = 24;
    private static final int PROGRESS_SECONDS = 20;
    private static final int MINUTES = 15;
    private static final long FIRST_SEED = 5_000;
    private static final int MIN_FAULTS = 20_000;

    @Test
    void shouldFindNothingInFixedSeeds()
    {
        final Totals totals = run(FIRST_SEED);

        assertTrue(totals.hours() >= HOURS);
        assertTrue(totals.effects() >= MIN_FAULTS, "faults that took effect");
    }

    private static Totals run(final long seed)
    {
        final SeedRuns runs = new SeedRuns(
            seed, Integer.MAX_VALUE, HOURS, (number) -> new RunSettings(number, MINUTES, LoadProfile.LOW, Set.of()));

        final RunResult failed = runs.run(THREADS, PROGRESS_SECONDS, System.out::println);

        System.out.println("From seed " + seed + ": " + runs.totals());
        assertNull(failed, () -> failed.describeFailure());
        return runs.totals();
    }
}
