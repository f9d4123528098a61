// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs fixed seeds, and in the slow run seeds that are new each time. {@code ./odradek simulate} runs more. */
class SimulationIT
{
    private static final int THREADS = 2;
    private static final int FIXED_HOURS = 2;
    private static final int NEW_HOURS = 5;
    private static final int PROGRESS_SECONDS = 20;
    private static final int MINUTES = 15;
    private static final long FIXED_SEED = 5_000;
    private static final long FIRST_NEW_SEED = 1_000_000;
    private static final long NEW_SEEDS = 1_000_000_000;
    private static final int MIN_FAULTS_PER_HOUR = 800;
    private static final double MAX_MEDIAN_SECONDS = 2;
    private static final int GROUP_SEEDS = 4;
    /** Seeds of which one has a group of KIP-848, and the other a classic one. */
    private static final int CONSUMER_SEED = 1;
    private static final int CLASSIC_SEED = 3;
    private static final int GROUP_MINUTES = 5;
    private static final int MIN_GROUP_FAULTS = 40;
    private static final int PUBLISH_SEEDS = 24;
    private static final int PUBLISH_MINUTES = 1;
    private static final int MIN_PUBLISH_FAULTS = 2;
    private static final int MIN_PUBLISHED = 200;

    @Test
    void shouldFindNothingInFixedSeeds()
    {
        run(FIXED_SEED, FIXED_HOURS);
    }

    /** A failure prints the seed, with which the run can be repeated. */
    @Tag("slow")
    @Test
    void shouldFindNothingInNewSeeds()
    {
        run(FIRST_NEW_SEED + ThreadLocalRandom.current().nextLong(NEW_SEEDS), NEW_HOURS);
    }

    @Test
    void shouldShareTheWorkOfAGroup()
    {
        long faults = 0;
        for (long seed = 1; seed <= GROUP_SEEDS; seed++)
        {
            final RunResult result = runGroup(seed);
            assertTrue(result.isClean(), result::describeFailure);
            assertTrue(result.records() > 0, "records");
            faults += result.effectCount();
        }

        assertTrue(faults >= MIN_GROUP_FAULTS, "faults that took effect: " + faults);
        assertEquals(runGroup(CONSUMER_SEED).digest(), runGroup(CONSUMER_SEED).digest());
        assertEquals(runGroup(CLASSIC_SEED).digest(), runGroup(CLASSIC_SEED).digest());
    }

    @Test
    void shouldPublish()
    {
        long faults = 0;
        long records = 0;
        for (long seed = 1; seed <= PUBLISH_SEEDS; seed++)
        {
            final RunResult result = runPublisher(seed);
            assertTrue(result.isClean(), result::describeFailure);
            faults += result.effectCount();
            records += result.records();
        }

        assertTrue(faults >= PUBLISH_SEEDS * MIN_PUBLISH_FAULTS, "faults that took effect: " + faults);
        assertTrue(records >= PUBLISH_SEEDS * MIN_PUBLISHED, "records that were acknowledged: " + records);
        assertEquals(runPublisher(1).digest(), runPublisher(1).digest());
    }

    private static RunResult runPublisher(final long seed)
    {
        return RunResult.of(new RunSettings(seed, PUBLISH_MINUTES, LoadProfile.PUBLISH, Set.of()), null);
    }

    private static RunResult runGroup(final long seed)
    {
        return RunResult.of(new RunSettings(seed, GROUP_MINUTES, LoadProfile.GROUPS, Set.of()), null);
    }

    private static void run(final long seed, final int hours)
    {
        final SeedRuns runs = new SeedRuns(
            seed, Integer.MAX_VALUE, hours, (number) -> new RunSettings(number, MINUTES, LoadProfile.LOW, Set.of()));

        final RunResult failed = runs.run(THREADS, PROGRESS_SECONDS, System.out::println);

        System.out.println("From seed " + seed + ": " + runs.totals());
        assertNull(failed, () -> failed.describeFailure());
        assertTrue(runs.totals().hours() >= hours);
        assertTrue(runs.totals().effects() >= hours * MIN_FAULTS_PER_HOUR, "faults that took effect");
        assertTrue(runs.totals().medianSettledSeconds() <= MAX_MEDIAN_SECONDS, "time to catch up");
    }
}
