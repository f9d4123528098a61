// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import org.odradek.benchmarks.AllCommand.Part;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Summary;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The order of a run and how it ends, with scenarios that only write down how they were called.
 */
class AllCommandTest
{
    private static final String FAILING = "chain";

    private final List<String> calls = new ArrayList<>();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldRunEveryScenarioInOrderAndWriteTheReport(@TempDir final Path folder)
    {
        final int exitCode = commandLine("")
            .execute("all", "--quick", "--bootstrap", "a:1", "--out", folder.toString());

        assertEquals(0, exitCode);
        assertEquals(List.of("signalfx", "idle", "catchup", "latency", "chain", "sle", "jmh").stream()
            .map(name -> name + " true a:1 " + name + ".json").toList(), calls);
        assertTrue(Files.exists(folder.resolve("report.html")));
    }

    @Test
    void shouldNameAScenarioThatFailsAndGoOn(@TempDir final Path folder) throws IOException
    {
        final int exitCode = commandLine(FAILING).execute("all", "--out", folder.toString());

        assertEquals(1, exitCode);
        assertEquals(AllCommand.PARTS.size(), calls.size());
        assertEquals("jmh false null jmh.json", calls.get(calls.size() - 1));
        final JsonNode left =
            new ObjectMapper().readTree(folder.resolve(FAILING + ".json").toFile()).get("notRun").get(0);
        assertEquals("the scenario failed with exit code 1", left.get("reason").asText());
        assertTrue(Files.readString(folder.resolve("report.html")).contains("the scenario failed with exit code 1"));
    }

    @Test
    void shouldNotMixTheResultsOfTwoRuns(@TempDir final Path folder) throws IOException
    {
        Files.writeString(folder.resolve("idle.json"), "{}");

        final int exitCode = commandLine("").execute("all", "--out", folder.toString());

        assertEquals(2, exitCode);
        assertEquals("all: --out must not hold the results of another run, as " + folder + " does.",
            err.toString().strip());
        assertEquals(List.of(), calls);
    }

    @Test
    void shouldEndWithinTwentyMinutesIfQuick()
    {
        int seconds = 0;
        for (final Part part : AllCommand.PARTS)
        {
            seconds += part.expectedSeconds(true);
        }

        assertTrue(seconds <= 20 * 60, seconds + " s");
    }

    private CommandLine commandLine(final String failing)
    {
        final CommandLine commandLine = new CommandLine(new Parent());
        commandLine.addSubcommand(new AllCommand());
        for (final Part part : AllCommand.PARTS)
        {
            final String name = part.name();
            commandLine.addSubcommand(name, new Fake(name, name.equals(failing)));
        }
        return BenchCommand.withHandlers(commandLine).setErr(new PrintWriter(err));
    }

    @Command(name = "bench")
    private static final class Parent
    {
    }

    @Command
    private final class Fake implements Callable<Integer>
    {
        private final String name;
        private final boolean isFailing;

        @Option(names = "--quick")
        private boolean isQuick;

        @Option(names = "--bootstrap")
        private String bootstrap;

        @Option(names = "--json")
        private Path json;

        private Fake(final String name, final boolean isFailing)
        {
            this.name = name;
            this.isFailing = isFailing;
        }

        @Override
        public Integer call() throws IOException
        {
            calls.add(name + " " + isQuick + " " + bootstrap + " " + json.getFileName());
            if (isFailing)
            {
                throw new IllegalStateException("as told");
            }
            new Report(Environment.describe(Map.of()), List.of(
                new Row(name, "a case", "odradek", "recordsPerSecond", "records/s", Summary.of(1))),
                List.of(), List.of()).writeTo(json);
            return CommandLine.ExitCode.OK;
        }
    }
}
