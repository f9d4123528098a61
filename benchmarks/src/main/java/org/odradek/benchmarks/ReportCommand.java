// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.odradek.benchmarks.report.HtmlReport;
import org.odradek.benchmarks.rig.OptionCheck;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code bench report}: from the JSON files of scenarios to one page.
 */
@Command(name = "report",
    description = "Makes one page of HTML, readable without a network, from what scenarios wrote with --json.",
    mixinStandardHelpOptions = true, sortOptions = false)
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
        HtmlReport.write(files, html, aims);
        System.out.println("report: written to " + html);
        return CommandLine.ExitCode.OK;
    }
}
