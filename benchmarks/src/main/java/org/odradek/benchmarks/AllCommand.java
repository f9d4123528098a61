// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.HtmlReport;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Report.NotRun;
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
 * run.
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

    @Override
    public Integer call() throws IOException
    {
        final List<String> scenarios = new ArrayList<>(SCENARIOS);
        scenarios.addAll(isQuick ? List.of() : NOT_QUICK);
        final Path out = outputFolder();
        int secondsLeft = scenarios.stream().mapToInt(this::expectedSeconds).sum();
        say("%d scenarios, about %s, into %s", scenarios.size(), minutes(secondsLeft), out);
        final long startNs = System.nanoTime();
        final List<String> failed = new ArrayList<>();
        final List<Path> files = new ArrayList<>();
        for (final String name : scenarios)
        {
            final int seconds = expectedSeconds(name);
            secondsLeft -= seconds;
            say("%d of %d, %s, about %d s; after it about %s remain",
                files.size() + 1, scenarios.size(), name, seconds, minutes(secondsLeft));
            final String nameInRows = name.replace(" --", "-");
            final Path file = out.resolve(nameInRows + ".json");
            final List<String> options = options(name);
            options.add("--json=" + file);
            final int exitCode = scenario(name).execute(options.toArray(String[]::new));
            if (exitCode != CommandLine.ExitCode.OK)
            {
                failed.add(name);
                say("%s failed with exit code %d; the rest goes on", name, exitCode);
            }
            if (!Files.exists(file))
            {
                new Report(Environment.describe(Map.of()), List.of(), List.of(new NotRun(nameInRows, NotRun.EVERY,
                    NotRun.EVERY, "the scenario failed with exit code " + exitCode)), List.of()).writeTo(file);
            }
            files.add(file);
        }
        final Path report = out.resolve("report.html");
        HtmlReport.write(files, report, null);
        say("%s after %s, the report is %s", failed.isEmpty() ? "done" : "failed: " + String.join(", ", failed),
            minutes(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs)), report.toAbsolutePath());
        return failed.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
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
