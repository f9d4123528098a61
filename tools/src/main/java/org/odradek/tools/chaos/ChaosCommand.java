// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.odradek.tools.chaos.ChaosSettings.Sabotage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The command {@code odradek chaos}. Exit code 0 means that the verdict is clean.
 */
@Command(name = "chaos", sortOptions = false,
    description = "Strike a cluster of three brokers with faults while our consumer reads, and check every record; " +
        "stop at the first wrong one.")
public final class ChaosCommand implements Callable<Integer>
{
    private static final int MAX_MINUTES = 10_000;
    private static final int MAX_RECORDS_PER_SECOND = 50_000;
    private static final int MAX_PARTITIONS = 16;
    private static final int MAX_SEED = 1_000_000;

    @Spec
    private CommandSpec spec;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "10",
        description = "Run for N minutes; every kind of fault strikes at least once (default: ${DEFAULT-VALUE}).")
    private int minutes;

    @Option(names = "--seed", paramLabel = "N",
        description = "The same seed gives the same faults in the same order (default: random, and printed).")
    private Long seed;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "4000",
        description = "Records written per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--partitions", paramLabel = "N", defaultValue = "6",
        description = "Partitions at the start (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--sabotage", paramLabel = "drop|repeat", defaultValue = "none",
        description = "Drop or repeat one record, to check that the verdict finds it.")
    private Sabotage sabotage;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    private boolean help;

    @Override
    public Integer call()
    {
        check(minutes >= 0 && minutes <= MAX_MINUTES, "--minutes must be 0 to " + MAX_MINUTES + ".");
        check(rate >= 1 && rate <= MAX_RECORDS_PER_SECOND, "--rate must be 1 to " + MAX_RECORDS_PER_SECOND + ".");
        check(partitions >= 1 && partitions <= MAX_PARTITIONS, "--partitions must be 1 to " + MAX_PARTITIONS + ".");
        final long chosen = seed == null ? ThreadLocalRandom.current().nextInt(MAX_SEED) : seed;
        final PrintWriter out = spec.commandLine().getOut();

        final ChaosRun.Verdict verdict = new ChaosRun(new ChaosSettings(minutes, chosen, rate, partitions, sabotage),
            List.of(FaultKind.values()), (line) -> print(out, line)).run();
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
