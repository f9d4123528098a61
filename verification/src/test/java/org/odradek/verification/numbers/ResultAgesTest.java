// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.harness.GitRepository;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@EnabledIf(value = "org.odradek.harness.GitRepository#isInstalled", disabledReason = "git is not installed")
class ResultAgesTest
{
    private static final String HOT = "publisher/src/main/A.java";

    @TempDir
    private Path home;

    @BeforeEach
    void createFolder() throws IOException
    {
        Files.createDirectories(home.resolve("docs/results"));
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
        final GitRepository repository = GitRepository.create(home);
        final String first = repository.commit(HOT);
        final String second = repository.commit(HOT);
        repository.commit("docs/a.md");
        repository.commit("publisher/src/test/ATest.java");
        repository.commit(HOT);
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
        final GitRepository repository = GitRepository.create(home);
        repository.commit(HOT);
        result("a", "\"date\": \"2026-11-21\"");
        result("b", "\"commit\": \"0123456789abcdef0123456789abcdef01234567\"");

        assertEquals(List.of("docs/results/a.json is old: it names no commit",
            "docs/results/b.json is old: its commit 0123456789 is not in this repository"), ages(100).old());
    }

    @Test
    void shouldNameResultsThatAreNotFullMeasurementsOfCommittedSources() throws Exception
    {
        final GitRepository repository = GitRepository.create(home);
        final String commit = "\"commit\": \"" + repository.commit(HOT) + "\", ";
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
}
