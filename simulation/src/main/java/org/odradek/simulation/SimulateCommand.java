// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.simulation.RunSettings.LoadProfile;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/**
 * The command {@code odradek simulate}. Exit code 0 means that no oracle has found anything.
 */
@Command(name = "simulate", sortOptions = false,
    description = "Run the consumer, or the publisher, and a model of a cluster in simulated time, with faults drawn " +
        "from seeds, and check every record, event and request; stop at the first seed that fails.")
public final class SimulateCommand implements Callable<Integer>
{
    private static final int PROGRESS_SECONDS = 10;

    @Spec
    private CommandSpec command;

    @Option(names = "--seed", paramLabel = "N", description = "Run one seed.")
    private Long seed;

    @Option(names = "--from", paramLabel = "N", defaultValue = "1",
        description = "Begin with this seed, and continue with those that follow (default: ${DEFAULT-VALUE}).")
    private long from;

    @Option(names = "--seeds", paramLabel = "N",
        description = "Run N seeds (default: as many as --hours need, or 100).")
    private Long seeds;

    @Option(names = "--hours", paramLabel = "N", description = "Begin no further seed after N simulated hours in all.")
    private Long hours;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "15",
        description = "Simulate N minutes for each seed (default: ${DEFAULT-VALUE}).")
    private int minutes;

    @Option(names = "--load", paramLabel = "drawn|low|steady|groups|publish|trickle", defaultValue = "DRAWN",
        description = "Records appended: drawn from the seed, at most 100 per second on average, 1,000 per second " +
            "in batches of 10, for the members of a consumer group, with faults of their own, by a publisher, " +
            "which is then what is run, or single records for a consumer with a latency budget, without faults " +
            "(default: drawn).")
    private LoadProfile load;

    @Option(names = "--without", paramLabel = "NAME", split = ",",
        description = "Turn off a kind of fault or a feature, such as CONNECTION_RESET or TRANSACTIONS.")
    private Set<String> without = new TreeSet<>();

    @Option(names = "--threads", paramLabel = "N", description = "Run N seeds at a time (default: one for each core).")
    private Integer threads;

    @Option(names = "--trace", description = "With --seed: print everything that occurs.")
    private boolean isTraced;

    @Option(names = "--continue", description = "Report each seed that fails, and continue with the next.")
    private boolean isContinued;

    @Option(names = "--no-shrink", description = "Do not search for the smallest run that fails.")
    private boolean isNotShrunk;

    @Option(names = "--record", description = "Add the totals to docs/results/simulation.md, or " +
        "with --load publish to simulation-publish.md, if the run is clean.")
    private boolean isRecorded;

    @Option(names = "--defects", arity = "0..1", paramLabel = "NAME", fallbackValue = "",
        description = "Run each planted defect, or those with NAME in their names, until an oracle finds it, and " +
            "write their rows of docs/results/planted-defects.md.")
    private String defects;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    private boolean help;

    /**
     * Runs the command and exits with its exit code: 0 for a clean run, 1 for a seed that failed, 2 for wrong use.
     *
     * @param args the command's options; the name of the command may precede them.
     */
    public static void main(final String[] args)
    {
        final boolean isNamed = args.length > 0 && args[0].equals("simulate");
        System.exit(commandLine().execute(isNamed ? Arrays.copyOfRange(args, 1, args.length) : args));
    }

    static CommandLine commandLine()
    {
        return new CommandLine(new SimulateCommand()).setCommandName("odradek simulate")
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setParameterExceptionHandler((ex, args) ->
            {
                ex.getCommandLine().getErr().println("odradek simulate: " + ex.getMessage());
                ex.getCommandLine().getErr().println("'odradek simulate --help' lists the options.");
                return CommandLine.ExitCode.USAGE;
            });
    }

    @Override
    public Integer call() throws IOException
    {
        check(minutes >= 1, "--minutes must be 1 or more.");
        check(hours == null || hours >= 1, "--hours must be 1 or more.");
        check(seeds == null || seeds >= 1, "--seeds must be 1 or more.");
        check(threads == null || threads >= 1, "--threads must be 1 or more.");
        check(!isTraced || seed != null, "--trace needs --seed.");
        for (final String name : without)
        {
            check(isSwitch(name), "--without " + name + " is neither a kind of fault nor a feature.");
        }
        check(!isRecorded || without.isEmpty(), "--record needs all faults and oracles, so it takes no --without.");
        if (defects != null)
        {
            final long maxSeeds = seeds != null ? seeds : DefectRuns.MAX_SEEDS;
            return new DefectRuns(home(), minutes, maxSeeds, this::print).run(defects, threadCount()) ? 0 : 1;
        }
        return seed != null ? runOne() : runMany();
    }

    private void check(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(command.commandLine(), sentence);
        }
    }

    private static boolean isSwitch(final String name)
    {
        return List.of(FaultKind.values()).stream().anyMatch((kind) -> kind.name().equals(name)) ||
            List.of(Feature.values()).stream().anyMatch((feature) -> feature.name().equals(name));
    }

    private int runOne()
    {
        final Totals totals = new Totals();
        final RunSettings settings = new RunSettings(seed, minutes, load, without);
        final RunResult result = RunResult.of(settings, isTraced ? this::print : null);
        totals.add(result);
        print(String.format(Locale.ROOT, "Digest of seed %d: %016x", seed, result.digest()));
        return end(totals, result);
    }

    private int runMany() throws IOException
    {
        final long count = seeds != null ? seeds : hours != null ? Long.MAX_VALUE - from : 100;
        final SeedRuns runs = new SeedRuns(
            from, count, hours == null ? Long.MAX_VALUE : hours,
            (number) -> new RunSettings(number, minutes, load, without));
        if (isContinued)
        {
            runs.continued((result) -> print("Seed " + result.settings().seed() + ": " + result.failure()));
        }
        final RunResult failed = runs.run(threadCount(), PROGRESS_SECONDS, this::print);
        if (failed == null && isRecorded)
        {
            new ResultsFile(home(), load).add(runs.totals());
        }
        return end(runs.totals(), failed);
    }

    private int threadCount()
    {
        return threads != null ? threads : Runtime.getRuntime().availableProcessors();
    }

    private static Path home()
    {
        return Path.of(System.getProperty("odradek.home", "."));
    }

    private int end(final Totals totals, final RunResult last)
    {
        print(totals.faultsByKind());
        print(String.format(Locale.ROOT, "Median time to catch up after the last fault of a round: %.3f s",
            totals.medianSettledSeconds()));
        if (last == null || last.isClean())
        {
            print("CLEAN: " + totals);
            return 0;
        }
        final RunResult smallest =
            isNotShrunk || isTraced || isContinued ? last : new Shrinker(last, this::print).shrink();
        print(totals.toString());
        if (last.oracle().equals(RunResult.CRASH))
        {
            last.failure().printStackTrace(command.commandLine().getOut());
        }
        print(smallest.describeFailure());
        return 1;
    }

    private void print(final String line)
    {
        final PrintWriter out = command.commandLine().getOut();
        synchronized (out)
        {
            out.println(line);
            out.flush();
        }
    }
}
