// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.numbers;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * {@code odradek numbers}: the figures of the pages that show any, from the committed results.
 */
@Command(name = "numbers", description = "Write the READMEs' figures from docs/results, or check that they agree.")
public final class NumbersCommand implements Callable<Integer>
{
    private static final List<String> PAGES = List.of("README.md", "benchmarks/README.md", "docs/migration.md");

    @Spec
    private CommandSpec spec;

    @Option(names = "--check", description = "Write nothing; fail if a page differs from the committed results.")
    private boolean check;

    @Option(names = "--home", paramLabel = "DIR", defaultValue = "${odradek.home:-.}",
        description = "The folder of README.md and docs/results (default: the repository).")
    private Path home;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    @Override
    public Integer call() throws IOException
    {
        boolean isGood = true;
        for (final String page : PAGES)
        {
            try
            {
                isGood &= writeOrCheck(new ReadmeNumbers(home, page));
            }
            catch (final IllegalStateException ex)
            {
                spec.commandLine().getErr().println(ex.getMessage());
                isGood = false;
            }
        }
        return isGood ? 0 : 1;
    }

    private boolean writeOrCheck(final ReadmeNumbers numbers) throws IOException
    {
        if (!check)
        {
            numbers.write();
            return true;
        }
        final boolean isUpToDate = numbers.isUpToDate();
        if (!isUpToDate)
        {
            spec.commandLine().getErr().println(numbers.page() +
                " does not say what docs/results says: run ./odradek numbers and commit what it wrote.");
        }
        return isUpToDate;
    }
}
