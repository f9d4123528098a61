// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.tools.CommandOptions;
import org.odradek.tools.Table;
import org.odradek.verification.numbers.Environment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The command {@code odradek soak}. Exit code 0 means that nothing was lost and nothing grows.
 */
@Command(name = "soak", sortOptions = false,
    description = "Run a member of a group with two workers, which publish, for hours on a cluster with faults; fail " +
        "if memory, descriptors, threads, CPU per record or lag grow, or a record is lost.")
public final class SoakCommand implements Callable<Integer>
{
    private static final int MAX_HOURS = 100;
    private static final int MAX_SECONDS = 3_600;
    private static final int MAX_RECORDS_PER_SECOND = 50_000;
    /** The slopes of all pairs of samples must fit into memory. */
    private static final int MAX_SAMPLES = 6_000;
    private static final int MAX_SEED = 1_000_000;

    @Mixin
    private CommandOptions options;

    @Option(names = "--hours", paramLabel = "N", defaultValue = "2",
        description = "Run for N hours, such as 0.5 or 24; the first tenth does not count (default: " +
            "${DEFAULT-VALUE}).")
    private double hours;

    @Option(names = "--sample-seconds", paramLabel = "N", defaultValue = "60",
        description = "Measure the process every N seconds (default: ${DEFAULT-VALUE}).")
    private int sampleSeconds;

    @Option(names = "--fault-seconds", paramLabel = "N", defaultValue = "180",
        description = "Strike N seconds after the end of the fault before (default: ${DEFAULT-VALUE}).")
    private int faultSeconds;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "1000",
        description = "Records written per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--seed", paramLabel = "N",
        description = "The same seed gives the same faults in the same order (default: random, and printed).")
    private Long seed;

    @Option(names = "--leak",
        description = "Leak heap, direct memory, a descriptor and a thread at each sample, to check that the verdict " +
            "finds it.")
    private boolean leak;

    @Option(names = "--record", description = "Write the result to docs/results/soak.md, with a chart.")
    private boolean record;

    @Override
    public Integer call() throws IOException
    {
        options.check(hours > 0 && hours <= MAX_HOURS,
            "--hours is " + hours + ": it must be more than 0, and at the most " + MAX_HOURS + ".");
        options.checkRange("--sample-seconds", sampleSeconds, 1, MAX_SECONDS);
        options.checkRange("--fault-seconds", faultSeconds, 1, MAX_SECONDS);
        options.checkRange("--rate", rate, 1, MAX_RECORDS_PER_SECOND);
        final int samples = (int) (hours * TimeUnit.HOURS.toSeconds(1) / sampleSeconds);
        options.check(samples >= SoakVerdict.LEAST_SAMPLES && samples <= MAX_SAMPLES,
            "--hours " + hours + " and --sample-seconds " + sampleSeconds + " give " + samples +
            " samples: there must be " + SoakVerdict.LEAST_SAMPLES + " to " + MAX_SAMPLES + ".");
        options.check(!record || !leak, "--record goes without --leak.");
        options.check(ProcessMeter.isPossible(), "soak needs a system that counts open descriptors: Linux or macOS.");
        final PrintWriter out = options.out();
        final SoakRun.Settings settings = new SoakRun.Settings(
            seed == null ? ThreadLocalRandom.current().nextInt(MAX_SEED) : seed, samples, sampleSeconds, faultSeconds,
            rate, leak);
        final SoakRun.Result result = new SoakRun(List.of(SoakFault.values()), settings, (line) ->
        {
            out.println(line);
            out.flush();
        }).run();
        if (record)
        {
            write(settings.seed(), result);
        }
        out.println("\nseed " + settings.seed() + "\n" +
            (result.verdict() == null ? "" : result.verdict().toText() + "\n") + result.toText());
        return result.isClean() ? 0 : 1;
    }

    private void write(final long chosen, final SoakRun.Result result) throws IOException
    {
        final Path results = Path.of(System.getProperty("odradek.home", "."), "docs/results");
        final boolean hasVerdict = result.verdict() != null;
        final String time = Table.figure(hours);
        if (hasVerdict)
        {
            Files.writeString(results.resolve("soak.svg"), result.verdict().toSvg());
        }
        Files.writeString(results.resolve("soak.md"), "# One process for " + time + " hours, under faults\n\n" +
            "`./odradek soak --hours " + time + " --sample-seconds " + sampleSeconds + " --fault-seconds " +
            faultSeconds + " --rate " + rate + " --seed " + chosen + " --record`\n\n" +
            Environment.sentence(Environment.here()) +
            " The process is a member of a group with two workers, which have a publisher each. The first tenth of " +
            "the samples does not count. The growth in an hour is the median of the slopes between all pairs of " +
            "samples (Theil and Sen); that of the CPU is the factor from the first to the last third.\n\n" +
            (hasVerdict ? result.verdict().toMarkdown() + "\n![The samples](soak.svg)\n\n" : "") +
            result.toText() + "\n");
    }
}
