// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.io.IOException;
import java.util.Map;
import org.odradek.benchmarks.rig.LivePlan.Timing;
import picocli.CommandLine.Option;

/** A scenario on a live topic: what a subclass has is its {@link LivePlan} and its columns. */
public abstract class LiveScenario extends Scenario.OnCluster
{
    @Option(names = "--seconds", paramLabel = "N",
        description = "Measured of each client in each case, over all rounds (default: as the full form says).")
    private Integer seconds;
    @Option(names = "--rounds", paramLabel = "N", description = "Turns of each client in each case.")
    private Integer rounds;

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.positive("--rounds", rounds).positive("--seconds", seconds)
            .that(seconds == null || rounds == null || seconds % rounds == 0,
            "--seconds must be a multiple of --rounds, not " + seconds + " of " + rounds + ".");
    }

    protected abstract LivePlan plan();

    /**
     * @param standard of the full or the quick form.
     * @return that with what the options replace.
     */
    protected final Timing timing(final Timing standard)
    {
        final int chosenRounds = rounds == null ? standard.rounds() : rounds;
        final int total = seconds == null ? standard.rounds() * standard.seconds() : seconds;
        return new Timing(chosenRounds, Math.max(1, total / chosenRounds), standard.firstWarmUpSeconds(),
            standard.warmUpSeconds());
    }

    @Override
    protected Map<String, Object> settings()
    {
        return plan().settings(bootstrap());
    }

    @Override
    protected Results run(final Cluster cluster) throws InterruptedException, IOException
    {
        return new LiveRun(plan(), cluster, json(), this::say).run();
    }
}
