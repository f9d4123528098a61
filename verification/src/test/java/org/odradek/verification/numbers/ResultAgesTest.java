// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class ResultAgesTest
{
    private static final String HOT = "publisher/src/main/A.java";

    @TempDir
    private Path home;

    @BeforeEach
    void createFolder() throws IOException
    {
        Files.createDirectories(home.resolve("docs/results"));
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(
            (folder) -> Files.isExecutable(Path.of(folder, "git"))), "left out, because git is not installed");
    }

    @Test
    void shouldNameHotPackagesOfThisRepository() throws IOException
    {
        ResultAges.HOT.forEach((folder) -> assertTrue(Files.isDirectory(Path.of("..", folder)), folder));
        final String packages = Files.readString(Path.of("../ARCHITECTURE.md")).lines()
            .filter((line) -> line.startsWith("| `")).collect(Collectors.joining("\n"));
        final List<String> starred = Pattern.compile("`(?:\\w+\\.)*(\\w+)`\\*").matcher(packages).results()
            .map((match) -> "/" + match.group(1) + "/").filter(
                (name) -> ResultAges.HOT.stream().noneMatch((folder) -> ("/" + folder + "/").contains(name)))
            .toList();
        assertEquals(List.of(), starred);
    }

    @Test
    void shouldCountTheCommitsOfHotCodeSinceAResult() throws Exception
    {
        git("init", "-q");
        final String first = commit(HOT);
        final String second = commit(HOT);
        commit("docs/a.md");
        commit("publisher/src/test/ATest.java");
        commit(HOT);
        result("first", "\"commit\": \"" + first + "\"");
        result("second", "\"commit\": \"" + second + "\"");
        Files.writeString(home.resolve("docs/results/aims.json"), "{\"verdicts\": []}");

        assertTrue(ages(2).areKnown());
        assertEquals(List.of(), ages(2).old());
        assertEquals(List.of("docs/results/first.json is old: 2 commits of hot code since " + first.substring(0, 10)),
            ages(1).old());
    }

    @Test
    void shouldNotTrustAResultWithoutAKnownCommit() throws Exception
    {
        git("init", "-q");
        commit(HOT);
        result("a", "\"date\": \"2026-11-21\"");
        result("b", "\"commit\": \"0123456789abcdef0123456789abcdef01234567\"");

        assertEquals(List.of("docs/results/a.json is old: it names no commit",
            "docs/results/b.json is old: its commit 0123456789 is not in this repository"), ages(100).old());
    }

    @Test
    void shouldNameResultsThatAreNotFullMeasurementsOfCommittedSources() throws Exception
    {
        git("init", "-q");
        final String commit = "\"commit\": \"" + commit(HOT) + "\", ";
        result("a", commit + "\"command\": \"./odradek bench chain --below 10\", \"clean\": true");
        result("b", commit + "\"command\": \"./odradek bench latency --seconds 10\"");
        result("c", commit + "\"command\": \"./odradek bench idle\", \"clean\": false");

        assertEquals(List.of(
            "docs/results/b.json is not a full measurement: ./odradek bench latency --seconds 10",
            "docs/results/c.json was measured with changes that were not committed"), ages(100).old());
    }

    @Test
    void shouldKnowNothingWithoutARepository() throws Exception
    {
        assertFalse(ages(100).areKnown());
    }

    private ResultAges ages(final int most)
    {
        return new ResultAges(home, most);
    }

    private void result(final String name, final String field) throws IOException
    {
        Files.writeString(home.resolve("docs/results/" + name + ".json"), "{\"environment\": {" + field + "}}");
    }

    /** Changes this file, and commits it alone; returns the commit. */
    private String commit(final String file) throws Exception
    {
        final Path path = home.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, (Files.exists(path) ? Files.readString(path) : "") + "line\n");
        git("add", file);
        git("-c", "user.name=a", "-c", "user.email=b", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "c");
        return git("rev-parse", "HEAD");
    }

    private String git(final String... arguments) throws Exception
    {
        final List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true);
        // Neither the repository of a hook that runs the tests, nor the hooks of the user.
        builder.environment().keySet().removeIf((name) -> name.startsWith("GIT_"));
        builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
        final Process git = builder.start();
        final String output = new String(git.getInputStream().readAllBytes()).strip();
        assertEquals(0, git.waitFor(), output);
        return output;
    }
}
