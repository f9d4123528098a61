// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A repository of git in a folder of a test. */
public record GitRepository(Path home)
{
    /** For {@code @EnabledIf}. */
    public static boolean isInstalled()
    {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(
            (folder) -> Files.isExecutable(Path.of(folder, "git")));
    }

    /** Makes a repository of this folder. */
    public static GitRepository create(final Path home) throws IOException, InterruptedException
    {
        final GitRepository repository = new GitRepository(home);
        repository.git("init", "-q");
        return repository;
    }

    /** Changes this file, and commits it alone; returns the commit. */
    public String commit(final String file) throws IOException, InterruptedException
    {
        change(file);
        git("add", file);
        git("-c", "user.name=a", "-c", "user.email=b", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "c");
        return git("rev-parse", "HEAD");
    }

    /** Changes this file. */
    public void change(final String file) throws IOException
    {
        final Path path = home.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, (Files.exists(path) ? Files.readString(path) : "") + "line\n");
    }

    private String git(final String... arguments) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true);
        // Neither the repository of a hook that runs the tests, nor the hooks of the user.
        builder.environment().keySet().removeIf((name) -> name.startsWith("GIT_"));
        builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
        final Process git = builder.start();
        final String output = new String(git.getInputStream().readAllBytes()).strip();
        if (git.waitFor() != 0)
        {
            throw new IllegalStateException(output);
        }
        return output;
    }
}
