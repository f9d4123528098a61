// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;

/**
 * {@code odradek chaos}: exit code 0 says that the verdict is clean.
 */
@Command(name = "chaos", sortOptions = false,
    description = "Strike a cluster of three brokers with faults while our consumer reads, and judge every record; " +
        "stop at the first that is wrong.")
public final class ChaosCommand implements Callable<Integer>
{
    private static final int MOST_MINUTES = 10_000;
    private static final int MOST_RECORDS_PER_SECOND = 50_000;
    private static final int MOST_PARTITIONS = 16;
    private static final int MOST_SEED = 1_000_000;

    @Spec
    private CommandSpec spec;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "10",
        description = "Go on for so long; every kind of fault comes at least once (default: ${DEFAULT-VALUE}).")
    private int minutes;

    @Option(names = "--seed", paramLabel = "N",
        description = "The same seed gives the same faults in the same order (default: drawn, and shown).")
    private Long seed;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "4000",
        description = "Records written a second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--partitions", paramLabel = "N", defaultValue = "6",
        description = "Partitions at the start (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--sabotage", paramLabel = "drop|repeat", defaultValue = "none",
        description = "Drop or repeat one record, to see that the verdict finds it.")
    private Sabotage sabotage;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    @Override
    public Integer call()
    {
        check(minutes >= 0 && minutes <= MOST_MINUTES, "--minutes must be 0 to " + MOST_MINUTES + ".");
        check(rate >= 1 && rate <= MOST_RECORDS_PER_SECOND, "--rate must be 1 to " + MOST_RECORDS_PER_SECOND + ".");
        check(partitions >= 1 && partitions <= MOST_PARTITIONS, "--partitions must be 1 to " + MOST_PARTITIONS + ".");
        final long chosen = seed == null ? ThreadLocalRandom.current().nextInt(MOST_SEED) : seed;
        final PrintWriter out = spec.commandLine().getOut();
        final ChaosVerdict verdict = new ChaosRun(
            new ChaosSettings(minutes, chosen, rate, partitions, sabotage), (line) -> print(out, line)).run();
        print(out, "\nseed " + chosen + "\n" + verdict.toText());
        return verdict.isClean() ? 0 : 1;
    }

    private static void print(final PrintWriter out, final String line)
    {
        out.println(line);
        out.flush();
    }

    private void check(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(spec.commandLine(), sentence);
        }
    }
}
