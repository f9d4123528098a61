// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The sources from which the benchmarks are built, as git knows them.
 *
 * @param home the folder of the repository.
 */
public record Sources(Path home)
{
    private static final String COMMIT = "commit";
    private static final String CLEAN = "clean";
    /** What figures depend on: the modules of clients and of the rig, without their tests and pages. */
    private static final List<String> MEASURED = List.of("--", "pom.xml", "affinity", "benchmarks", "benchmarks-flink",
        "client", "consumer", "flink", "harness", "native", "protocol", "publisher", "replay", "simple-consumer",
        "testkit", "workers", ":(exclude)*/src/test/*", ":(exclude)*.md");

    /** Other options make a scenario shorter. */
    private static final Pattern FULL = Pattern.compile("\\./odradek bench \\S+( --tls| --jdk25| --below \\d+)?");

    /** Returns whether a command measures the full form of a scenario. */
    public static boolean isFull(final String command)
    {
        return FULL.matcher(command).matches();
    }

    /** Returns the sources of this process. */
    public static Sources here()
    {
        return new Sources(Path.of(System.getProperty("odradek.home", "")));
    }

    /**
     * Returns the fields of an environment that say what is measured: the commit, and whether it contains all changes
     * of these sources. Returns an empty map without git.
     */
    public Map<String, Object> describe() throws InterruptedException
    {
        final String commit = git(List.of(), "rev-parse", "HEAD");
        final String changes = git(MEASURED, "--no-optional-locks", "status", "--porcelain");
        return commit == null || changes == null ? Map.of() :
            Environment.ordered(COMMIT, commit, CLEAN, changes.isEmpty());
    }

    /** Returns whether a result with this environment has measured these sources as they are now. */
    public boolean isMeasuredBy(final Map<String, Object> environment) throws InterruptedException
    {
        return Boolean.TRUE.equals(environment.get(CLEAN)) && Boolean.TRUE.equals(describe().get(CLEAN)) &&
            "".equals(git(MEASURED, "diff", "--name-only", environment.get(COMMIT).toString()));
    }

    /** Returns what git prints, or null if it fails. */
    private String git(final List<String> paths, final String... arguments) throws InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        command.addAll(paths);
        try
        {
            final Process git = new ProcessBuilder(command).directory(home.toAbsolutePath().toFile())
                .redirectError(Redirect.DISCARD).start();
            final String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? output : null;
        }
        catch (final IOException ex)
        {
            return null;
        }
    }
}
