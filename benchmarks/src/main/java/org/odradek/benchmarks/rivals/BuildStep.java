// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rivals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A command of the machine that takes part in a build. What it writes is kept in NAME.log beside its folder.
 */
final class BuildStep
{
    private static final int TIMEOUT_SECONDS = 120;

    private BuildStep()
    {
    }

    /**
     * @param folder in which it works.
     * @param name   of the step, and of the file that its output goes to.
     * @return what it wrote.
     * @throws NativeBuildException if it is not there, fails, or does not end.
     */
    static String run(final Path folder, final String name, final List<String> command) throws IOException
    {
        final Path log = folder.resolveSibling(name + ".log");
        final Process process = start(folder, log, command);
        try
        {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS))
            {
                process.destroyForcibly();
                throw new NativeBuildException(name + " did not end within " + TIMEOUT_SECONDS + " s");
            }
        }
        catch (final InterruptedException ex)
        {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new NativeBuildException(name + " was interrupted");
        }
        if (process.exitValue() != 0)
        {
            throw new NativeBuildException(
                name + " failed with exit code " + process.exitValue() + ", see " + log.getFileName());
        }
        return Files.readString(log).trim();
    }

    private static Process start(final Path folder, final Path log, final List<String> command)
    {
        try
        {
            return new ProcessBuilder(command).directory(folder.toFile())
                .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        }
        catch (final IOException ex)
        {
            throw new NativeBuildException(command.get(0) + " is not installed");
        }
    }
}
