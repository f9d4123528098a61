// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How many commits have changed hot code since each result was measured, as git knows them.
 *
 * @param home of docs/results.
 * @param most commits of a result that is not old.
 */
record ResultAges(Path home, int most)
{
    static final int MOST_COMMITS = 100;
    /** The packages that ARCHITECTURE.md marks with *. */
    static final List<String> HOT = List.of(
        "protocol/src/main/java/org/odradek/protocol/fetch", "protocol/src/main/java/org/odradek/protocol/produce",
        "protocol/src/main/java/org/odradek/protocol/record", "protocol/src/main/java/org/odradek/protocol/compression",
        "client/src/main/java/org/odradek/client/core", "client/src/main/java/org/odradek/client/net",
        "client/src/main/java/org/odradek/client/tls", "client/src/main/java/org/odradek/client/engine",
        "consumer/src/main/java/org/odradek/consumer/engine", "consumer/src/main/java/org/odradek/consumer/fetch",
        "publisher/src/main", "workers/src/main");
    /** The command of a full measurement; other options make a scenario shorter. */
    private static final Pattern FULL = Pattern.compile("\\./odradek bench \\S+( --tls| --jdk25| --below \\d+)?");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Returns whether there is a git that knows the home. */
    boolean areKnown() throws InterruptedException
    {
        return git("rev-parse", "HEAD") != null;
    }

    /**
     * Returns a line for each result that is old, has no known commit, or is not a full measurement of committed
     * sources.
     */
    List<String> old() throws IOException, InterruptedException
    {
        final List<Path> files;
        try (Stream<Path> results = Files.list(home.resolve("docs/results")))
        {
            files = results.filter((file) -> file.toString().endsWith(".json")).sorted().toList();
        }
        final List<String> old = new ArrayList<>();
        for (final Path file : files)
        {
            final JsonNode environment = MAPPER.readTree(file.toFile()).path("environment");
            final String command = environment.path("command").asText();
            final String age = environment.isMissingNode() ? null : age(environment.path("commit").asText());
            if (age != null)
            {
                old.add(home.relativize(file) + " is old: " + age);
            }
            else if (!command.isEmpty() && !FULL.matcher(command).matches())
            {
                old.add(home.relativize(file) + " is not a full measurement: " + command);
            }
            else if (!environment.path("clean").asBoolean(true))
            {
                old.add(home.relativize(file) + " was measured with changes that were not committed");
            }
        }
        return old;
    }

    /** Returns null for a commit that is not old. */
    private String age(final String commit) throws InterruptedException
    {
        if (commit.isEmpty())
        {
            return "it names no commit";
        }
        final String[] command = Stream.concat(
            Stream.of("rev-list", "--count", commit + "..HEAD", "--"), HOT.stream()).toArray(String[]::new);
        final String count = git(command);
        return count == null ? "its commit " + Environment.shortened(commit) + " is not in this repository" :
            Integer.parseInt(count) <= most ? null :
            count + " commits of hot code since " + Environment.shortened(commit);
    }

    /** Returns what git prints, or null if it fails. */
    private String git(final String... arguments) throws InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
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
