// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import org.odradek.tools.CommandOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * The command {@code odradek numbers}, which writes or checks the figures of all pages that show some.
 */
@Command(name = "numbers",
    description = "Write the figures of all pages from docs/results, or check that they agree.")
public final class NumbersCommand implements Callable<Integer>
{
    private static final String MARKER = "<!-- numbers:";
    /** The chart of a soak, which the soak itself has drawn. */
    private static final String SOAK = "soak.svg";

    @Mixin
    private CommandOptions options;

    @Option(names = "--check", description = "Write nothing; fail if a page differs from the committed results.")
    private boolean check;

    @Option(names = "--release", description = "As --check; fail also if more than " + ResultAges.MOST_COMMITS +
        " commits have changed hot code since a result was measured.")
    private boolean isRelease;

    @Option(names = "--home", paramLabel = "DIR", defaultValue = "${odradek.home:-.}",
        description = "The folder of README.md and docs/results (default: the repository).")
    private Path home;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        check |= isRelease;
        boolean isGood = true;
        for (final String page : pages())
        {
            try
            {
                isGood &= writeOrCheck(new ReadmeNumbers(home, page));
            }
            catch (final IllegalStateException ex)
            {
                options.err().println(ex.getMessage());
                isGood = false;
            }
        }
        if (check && !checkAges() && isRelease)
        {
            options.err().println("A release needs results since which at most " + ResultAges.MOST_COMMITS +
                " commits have changed hot code.");
            isGood = false;
        }
        return isGood ? 0 : 1;
    }

    /** Lists old results; returns whether there are none. */
    private boolean checkAges() throws IOException, InterruptedException
    {
        final ResultAges ages = new ResultAges(home, ResultAges.MOST_COMMITS);
        if (!ages.areKnown())
        {
            options.out().println("The ages of the results are not checked, because git knows no commit here.");
            return false;
        }
        final List<String> old = ages.old();
        old.forEach(options.out()::println);
        if (!old.isEmpty())
        {
            options.out().println("./odradek bench all --record --resume measures old results again, and " +
                "./odradek bench chain --below 10 --record those of chain-below.");
        }
        return old.isEmpty();
    }

    /** Returns the README, the pages in docs with a place for figures, and the drawings. */
    private List<String> pages() throws IOException
    {
        final List<String> pages = new ArrayList<>(List.of("README.md"));
        try (Stream<Path> files = Files.walk(home.resolve("docs")))
        {
            for (final Path file : files.sorted().toList())
            {
                if (file.toString().endsWith(LineChart.SUFFIX) && !file.endsWith(SOAK) ||
                    file.toString().endsWith(".md") && Files.readString(file).contains(MARKER))
                {
                    pages.add(home.relativize(file).toString());
                }
            }
        }
        return pages;
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
            options.err().println(numbers.page() +
                " does not show the results in docs/results: run ./odradek numbers and commit its changes.");
        }
        return isUpToDate;
    }
}
