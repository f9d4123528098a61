// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.HtmlReport;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Sources;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench all}: every scenario one after the other, and one report. A scenario that fails is in the report as not
 * run. With {@code --record} a process of its own runs each scenario and records its result.
 */
@Command(name = "all", description = "Runs every scenario one after the other and writes one report.",
    mixinStandardHelpOptions = true, sortOptions = false)
public final class AllCommand implements Callable<Integer>
{
    /** In the order of the run, each as it is typed. */
    static final List<String> SCENARIOS =
        List.of("signalfx", "budget", "idle", "catchup", "latency", "chain", "sle", "jmh");
    /** After those, if there is time. */
    private static final List<String> NOT_QUICK =
        List.of("groups", "many", "cores", "distance", "sweep", "signalfx --tls", "catchup --tls");
    /** Recorded after those; {@code --full} is no part of the name of a result. */
    private static final List<String> RECORDED =
        List.of("produce", "workers", "flink", "migration", "demo --full", "demo --full --jdk25");
    private static final String BOOTSTRAP = "--bootstrap";

    @Spec
    private CommandSpec spec;
    @Option(names = "--quick", description = "A fixed part of each scenario: a look, not a measurement.")
    private boolean isQuick;
    @Option(names = BOOTSTRAP, paramLabel = "HOST:PORT",
        description = "Use this cluster in the scenarios that can, instead of brokers of their own.")
    private String bootstrap;
    @Option(names = "--out", paramLabel = "DIR",
        description = "Where results and report are written (default: benchmarks/target/bench-<date>).")
    private Path folder;
    @Option(names = "--record", description = "Record each scenario when it ends, as bench SCENARIO --record does. " +
        "Each begins when other processes have used less than 5 %% of a core for 30 s.")
    private boolean isRecording;
    @Option(names = "--resume", description = "Leave out a scenario if neither clients nor benchmarks, " +
        "without their tests and pages, have changed since the commit of its result.")
    private boolean isResuming;
    private final Sources sources;
    private final Path stat;

    /** Records into the repository of this process. */
    public AllCommand()
    {
        this(Sources.here(), QuietWait.STAT);
    }

    AllCommand(final Sources sources, final Path stat)
    {
        this.sources = sources;
        this.stat = stat;
    }

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        final OptionCheck check = new OptionCheck(spec);
        check.that(!isRecording || !isQuick && folder == null,
            "--record is used without --quick and --out: it measures the full form and writes to docs/results.");
        check.that(!isResuming || isRecording, "--resume is used with --record only.");
        check.that(!isResuming || !sources.describe().isEmpty(),
            "--resume needs git and the repository, to know what has changed since a result.");
        final Path out = isRecording ? sources.home().resolve("docs/results") : outputFolder();
        final List<String> scenarios = scenarios(out);
        int secondsLeft = scenarios.stream().mapToInt(this::expectedSeconds).sum();
        say("%d scenarios, about %s, into %s", scenarios.size(), minutes(secondsLeft), out);
        final long startNs = System.nanoTime();
        final List<String> failed = new ArrayList<>();
        int begun = 0;
        for (final String name : scenarios)
        {
            final int seconds = expectedSeconds(name);
            secondsLeft -= seconds;
            say("%d of %d, %s, about %d s; after it about %s remain",
                ++begun, scenarios.size(), name, seconds, minutes(secondsLeft));
            final int exitCode = isRecording ? record(name) : run(name, file(out, name));
            if (exitCode != CommandLine.ExitCode.OK)
            {
                failed.add(name);
                say("%s failed with exit code %d; the rest goes on", name, exitCode);
            }
        }
        final Path report = out.resolve("report.html");
        if (!isRecording)
        {
            HtmlReport.write(scenarios.stream().map((name) -> file(out, name)).toList(), report, null);
        }
        say("%s after %s, the %s", failed.isEmpty() ? "done" : "failed: " + String.join(", ", failed),
            minutes(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs)), isRecording ?
            "results are in " + out.toAbsolutePath() : "report is " + report.toAbsolutePath());
        return failed.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** Returns those that this run measures, and says which others it leaves out. */
    private List<String> scenarios(final Path out) throws IOException, InterruptedException
    {
        final List<String> scenarios = new ArrayList<>(SCENARIOS);
        scenarios.addAll(isQuick ? List.of() : NOT_QUICK);
        scenarios.addAll(isRecording ? RECORDED : List.of());
        if (isResuming)
        {
            for (final String name : List.copyOf(scenarios))
            {
                if (isCurrent(file(out, name)))
                {
                    scenarios.remove(name);
                    say("%s is left out: nothing that it measures has changed since its result", name);
                }
            }
        }
        return scenarios;
    }

    private boolean isCurrent(final Path result) throws IOException, InterruptedException
    {
        if (!Files.exists(result))
        {
            return false;
        }
        final Report report = Report.read(result);
        // A shorter form is no current result, and a rival that did not run may run now.
        return sources.isMeasuredBy(report.environment()) && report.notRun().isEmpty() &&
            Sources.isFull(report.environment().get("command").toString());
    }

    private int run(final String name, final Path file) throws IOException
    {
        final List<String> options = options(name);
        options.add("--json=" + file);
        final int exitCode = scenario(name).execute(options.toArray(String[]::new));
        if (!Files.exists(file))
        {
            new Report(Environment.describe(Map.of()), List.of(), List.of(new NotRun(resultName(name), NotRun.EVERY,
                NotRun.EVERY, "the scenario failed with exit code " + exitCode)), List.of()).writeTo(file);
        }
        return exitCode;
    }

    /** The launch script chooses the class path of the scenario, and writes the result into the pages. */
    private int record(final String name) throws IOException, InterruptedException
    {
        QuietWait.await(stat, (line) -> say("%s", line));
        final List<String> command = new ArrayList<>(
            List.of(sources.home().resolve("odradek").toAbsolutePath().toString(), "bench", name.split(" ")[0]));
        command.addAll(options(name));
        command.add("--record");
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    /** As the launch script names it. */
    private static String resultName(final String name)
    {
        return name.replace(" --full", "").replace(" --", "-");
    }

    private static Path file(final Path out, final String name)
    {
        return out.resolve(resultName(name) + ".json");
    }

    private CommandLine scenario(final String name)
    {
        return spec.commandLine().getParent().getSubcommands().get(name.split(" ")[0]);
    }

    private int expectedSeconds(final String name)
    {
        scenario(name).parseArgs(options(name).toArray(String[]::new));
        return ((Scenario)scenario(name).getCommand()).expectedSeconds(isQuick);
    }

    /** Those in the name, and those of this command. */
    private List<String> options(final String name)
    {
        final List<String> options = new ArrayList<>(List.of(name.split(" ")));
        options.remove(0);
        if (bootstrap != null && options.isEmpty() && scenario(name).getCommandSpec().findOption(BOOTSTRAP) != null)
        {
            options.add(BOOTSTRAP + "=" + bootstrap);
        }
        if (isQuick)
        {
            options.add("--quick");
        }
        return options;
    }

    private Path outputFolder() throws IOException
    {
        final Path out = folder != null ? folder : Path.of(System.getProperty("odradek.home", ""), "benchmarks",
            "target", "bench-" + LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyy-MM-dd-HHmmss")));
        final OptionCheck check = new OptionCheck(spec);
        check.that(!Files.exists(out) || Files.isDirectory(out), "--out must be a folder, not the file " + out + ".");
        // What lies there from another run would be taken for what this one measured.
        check.that(SCENARIOS.stream().noneMatch((name) -> Files.exists(out.resolve(name + ".json"))),
            "--out must not hold the results of another run, as " + out + " does.");
        return Files.createDirectories(out);
    }

    private static String minutes(final long seconds)
    {
        return seconds / 60 + " min " + seconds % 60 + " s";
    }

    private static void say(final String format, final Object... arguments)
    {
        System.out.printf(Locale.ROOT, "all: " + format + "%n", arguments);
    }
}
