/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.tools.numbers;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * {@code odradek numbers}: README's figures from the committed results.
 */
@Command(name = "numbers", description = "Write README's figures from docs/results, or check that they agree.")
public final class NumbersCommand implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    @Option(names = "--check", description = "Write nothing; fail if README differs from the committed results.")
    private boolean check;

    @Option(names = "--home", paramLabel = "DIR", defaultValue = "${odradek.home:-.}",
        description = "The folder of README.md and docs/results (default: the repository).")
    private Path home;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    @Override
    public Integer call() throws IOException
    {
        final ReadmeNumbers numbers = new ReadmeNumbers(home);
        try
        {
            if (!check)
            {
                numbers.write();
                return 0;
            }
            if (numbers.isUpToDate())
            {
                return 0;
            }
            spec.commandLine().getErr().println(
                "README.md does not say what docs/results says: run ./odradek numbers and commit what it wrote.");
        }
        catch (final IllegalStateException ex)
        {
            spec.commandLine().getErr().println(ex.getMessage());
        }
        return 1;
    }
}
