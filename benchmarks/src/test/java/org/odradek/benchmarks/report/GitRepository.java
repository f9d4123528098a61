// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A repository of git in a folder of a test. */
public record GitRepository(Path home)
{
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

    void change(final String file) throws IOException
    {
        final Path path = home.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, (Files.exists(path) ? Files.readString(path) : "") + "line\n");
    }

    private String git(final String... arguments) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        final Process git = new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true).start();
        final String output = new String(git.getInputStream().readAllBytes()).strip();
        assertEquals(0, git.waitFor(), output);
        return output;
    }
}
