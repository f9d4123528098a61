// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import org.odradek.benchmarks.report.Drift;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.rig.OptionCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** {@code bench drift}: is our client slower than an earlier build of it? {@code .ci/perf} calls this command. */
@Command(name = "drift", description = "Compares our client with an earlier build of it, from what scenarios wrote " +
    "with --before, --drift and --json. Exit code 1: a figure has drifted or is missing.",
    mixinStandardHelpOptions = true, sortOptions = false)
final class DriftCommand implements Callable<Integer>
{
    private static final String BEGIN = "<!-- drift -->\n";
    private static final String END = "<!-- /drift -->";
    private static final String HEADER =
        "| case | figure | now/base: median [least..most] | base/base | drift |\n|---|---|--:|--:|---|\n";

    @Spec
    private CommandSpec spec;
    @Parameters(arity = "1..*", paramLabel = "JSON", description = "Results, each of one repeat of one scenario.")
    private List<Path> files;
    @Option(names = "--page", paramLabel = "FILE",
        description = "Write the table to this page, between the lines <!-- drift --> and <!-- /drift -->.")
    private Path page;

    @Override
    public Integer call() throws IOException
    {
        final String text = page != null && Files.isRegularFile(page) ? Files.readString(page) : "";
        final int begin = text.indexOf(BEGIN) + BEGIN.length();
        final int end = text.indexOf(END);
        new OptionCheck(spec).readable(files).that(page == null || text.contains(BEGIN) && end >= begin,
            "--page must be a file with the lines " + BEGIN.strip() + " and " + END + ", not " + page + ".");
        final List<Report> reports = new ArrayList<>();
        for (final Path file : files)
        {
            reports.add(Report.read(file));
        }
        final List<Drift> figures = Drift.compare(reports);
        final String table = HEADER + figures.stream().map(Drift::row).collect(Collectors.joining("\n")) + "\n";
        final List<Drift> drifted = figures.stream().filter(Drift::isDrift).toList();
        final String verdict = drifted.isEmpty() ? summary(figures) :
            "drift: " + drifted.stream().map(Drift::toString).collect(Collectors.joining("; "));
        spec.commandLine().getOut().println(table + "\n" + verdict);
        if (page != null)
        {
            Files.writeString(page, text.substring(0, begin) + table + "\nLast line: `" + verdict + "`; " +
                machine(reports.get(0).environment()) + "\n" + text.substring(end));
        }
        return drifted.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private static String summary(final List<Drift> figures)
    {
        return String.format(Locale.ROOT, "no drift: %d figures of %d cases in %d repeats, nearest to its limit: %s",
            figures.size(), figures.stream().map(Drift::caseName).distinct().count(),
            figures.get(0).nowToBase().runs(),
            figures.stream().max(Comparator.comparingDouble(Drift::worseToSpread)).orElseThrow());
    }

    private static String machine(final Map<String, Object> environment)
    {
        return String.format("%s, %s, %s, %s CPUs (%s).", String.valueOf(environment.get("date")).split("T")[0],
            environment.get("jvm"), environment.get("os"), environment.get("cpus"), environment.get("cpuModel"));
    }
}
