// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.report.OptionCheck;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;

/**
 * The options that every scenario on a live topic has, with their checks.
 */
public final class LiveOptions
{
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--seconds", paramLabel = "N",
        description = "Measured of each client in each case, over all rounds (default: as the full form says).")
    private Integer seconds;

    @Option(names = "--rounds", paramLabel = "N", description = "Turns of each client in each case.")
    private Integer rounds;

    @Option(names = "--quick", description = "A part of it in a short time: a look, not a measurement.")
    private boolean isQuick;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
        description = "Use this cluster instead of a broker of its own.")
    private String bootstrap;

    @Option(names = "--json", paramLabel = "FILE",
        description = "Write the figures there as well, and histograms and flame graphs beside it.")
    private Path json;

    /**
     * @throws picocli.CommandLine.ParameterException in one sentence, if an option is wrong.
     */
    public void check()
    {
        final OptionCheck check = new OptionCheck(spec);
        check.that(rounds == null || rounds >= 1, "--rounds must be at least 1, not " + rounds + ".");
        check.that(seconds == null || seconds >= 1, "--seconds must be at least 1, not " + seconds + ".");
        check.that(seconds == null || rounds == null || seconds % rounds == 0,
            "--seconds must be a multiple of --rounds, not " + seconds + " of " + rounds + ".");
        check.bootstrap(bootstrap).writable("--json", json);
    }

    /**
     * @param standard of the full or the quick form.
     * @return that with what the options replace.
     */
    public Timing timing(final Timing standard)
    {
        final int chosenRounds = rounds == null ? standard.rounds() : rounds;
        final int total = seconds == null ? standard.rounds() * standard.seconds() : seconds;
        return new Timing(chosenRounds, Math.max(1, total / chosenRounds), standard.firstWarmUpSeconds(),
            standard.warmUpSeconds());
    }

    public boolean isQuick()
    {
        return isQuick;
    }

    /**
     * @return HOST:PORT, or null for a broker of our own.
     */
    public String bootstrap()
    {
        return bootstrap;
    }

    /**
     * @return where to write, or null.
     */
    public Path json()
    {
        return json;
    }
}
