// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.html;

import org.odradek.benchmarks.aims.AimsFile;
import org.odradek.benchmarks.report.OptionCheck;
import org.odradek.benchmarks.report.ResultFile;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * {@code bench report}: from the JSON files of scenarios to one page.
 */
@Command(
    name = "report",
    description = "Makes one page of HTML, readable without a network, from what scenarios wrote with --json.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ReportCommand implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "JSON", description = "Results, shown in this order.")
    private List<Path> files;

    @Option(names = "--html", required = true, paramLabel = "FILE", description = "The page to write.")
    private Path html;

    @Option(names = "--aims", paramLabel = "FILE", description = "Write the verdicts on the aims there, as JSON.")
    private Path aims;

    @Override
    public Integer call() throws IOException
    {
        final OptionCheck check = new OptionCheck(spec);
        for (final Path file : files)
        {
            check.that(Files.isReadable(file) && !Files.isDirectory(file), "there is no file " + file + " to read.");
        }
        check.writable("--html", html).writable("--aims", aims);
        final List<ResultFile> results = read(files);
        Files.writeString(html, new HtmlReport(results).page());
        if (aims != null)
        {
            AimsFile.write(results, aims);
        }
        System.out.println("report: written to " + html);
        return CommandLine.ExitCode.OK;
    }

    /**
     * @param files results, in the order in which they are shown.
     * @param html  the page to write.
     * @throws IOException if a result cannot be read or the page not be written.
     */
    public static void write(final List<Path> files, final Path html) throws IOException
    {
        Files.writeString(html, new HtmlReport(read(files)).page());
    }

    private static List<ResultFile> read(final List<Path> files) throws IOException
    {
        final List<ResultFile> results = new ArrayList<>();
        for (final Path file : files)
        {
            results.add(ResultFile.read(file));
        }
        return results;
    }
}
