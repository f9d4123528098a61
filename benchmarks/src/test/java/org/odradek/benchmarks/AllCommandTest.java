// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Sources;
import org.odradek.benchmarks.report.Summary;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.harness.GitRepository;
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

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The order of a run and how it ends, with scenarios that only write down how they were called.
 */
class AllCommandTest
{
    private static final String FAILING = "chain";
    private static final String RESULT = """
        {"environment": {"command": "./odradek bench idle%s", "commit": "%s", "clean": %s},
         "rows": [{"scenario": "idle", "case": "a", "client": "odradek", "metric": "recordsPerSecond",
         "unit": "records/s", "median": 0, "min": 0, "max": 0, "runs": 1}], "notRun": [], "attachments": []}""";

    private final List<String> calls = new ArrayList<>();
    private final StringWriter err = new StringWriter();
    private AllCommand all = new AllCommand();

    @Test
    void shouldRunEveryScenarioInOrderAndWriteTheReport(@TempDir final Path folder)
    {
        final int exitCode = commandLine("")
            .execute("all", "--quick", "--bootstrap", "a:1", "--out", folder.toString());

        assertEquals(0, exitCode);
        assertEquals(List.of("signalfx", "budget", "idle", "catchup", "latency", "chain", "sle", "jmh").stream()
            .map((name) -> name + " true a:1 " + name + ".json").toList(), calls);
        assertTrue(Files.exists(folder.resolve("report.html")));
    }

    @Test
    void shouldNameAScenarioThatFailsAndGoOn(@TempDir final Path folder) throws IOException
    {
        final int exitCode = commandLine(FAILING).execute("all", "--out", folder.toString());

        assertEquals(1, exitCode);
        assertEquals(List.of("jmh false null jmh.json", "groups false null groups.json", "many false null many.json",
            "cores false null cores.json", "distance false null distance.json", "sweep false null sweep.json",
            "signalfx --tls false null signalfx-tls.json", "catchup --tls false null catchup-tls.json"),
            calls.subList(calls.size() - 8, calls.size()));
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
    void shouldRecordEachScenarioByTheLaunchScript(@TempDir final Path home) throws Exception
    {
        script(home, "[ $2 != flink ]");

        assertEquals(1, commandLine("").execute("all", "--record"), err::toString);

        final List<String> calls = Files.readAllLines(home.resolve("calls"));
        assertEquals(List.of("bench signalfx --record", "bench budget --record"), calls.subList(0, 2));
        assertEquals(List.of("bench signalfx --tls --record", "bench catchup --tls --record", "bench produce --record",
            "bench workers --record", "bench flink --record", "bench migration --record",
            "bench demo --full --record", "bench demo --full --jdk25 --record"), calls.subList(13, calls.size()));
    }

    @EnabledIf(value = "org.odradek.harness.GitRepository#isInstalled", disabledReason = "git is not installed")
    @Test
    void shouldLeaveOutWhatHasMeasuredTheseSources(@TempDir final Path home) throws Exception
    {
        script(home, "");
        final String commit = GitRepository.create(home).commit("client/src/main/A.java");
        final Path results = Files.createDirectories(home.resolve("docs/results"));
        Files.writeString(results.resolve("idle.json"), RESULT.formatted("", commit, true));
        Files.writeString(results.resolve("catchup.json"), RESULT.formatted("", commit, false));
        Files.writeString(results.resolve("jmh.json"), RESULT.formatted(" --quick", commit, true));
        Files.writeString(results.resolve("demo-jdk25.json"), RESULT.formatted("", commit, true));
        Files.writeString(results.resolve("groups.json"), RESULT.formatted(" --rounds 5", commit, true));
        Files.writeString(results.resolve("produce.json"), RESULT.formatted("", commit, true).replace(
            "\"notRun\": []",
            "\"notRun\": [{\"scenario\": \"idle\", \"case\": \"*\", \"client\": \"*\", \"reason\": \"\"}]"));

        assertEquals(0, commandLine("").execute("all", "--record", "--resume"), err::toString);

        final List<String> calls = Files.readAllLines(home.resolve("calls"));
        assertEquals(19, calls.size(), calls::toString);
        assertFalse(calls.contains("bench idle --record"));
        assertFalse(calls.contains("bench demo --full --jdk25 --record"));
    }

    @Test
    void shouldNotResumeWithoutGit(@TempDir final Path home) throws IOException
    {
        script(home, "");

        assertEquals(2, commandLine("").execute("all", "--record", "--resume"));
        assertEquals("all: --resume needs git and the repository, to know what has changed since a result.",
            err.toString().strip());
        assertFalse(Files.exists(home.resolve("calls")));
    }

    @Test
    void shouldRefuseOptionsThatDoNotGoTogether(@TempDir final Path home)
    {
        assertEquals(2, commandLine("").execute("all", "--resume"));
        assertEquals(2, commandLine("").execute("all", "--record", "--quick"));
        assertEquals(2, commandLine("").execute("all", "--record", "--out", home.toString()));
        assertEquals(List.of(), calls);
    }

    /** Writes a launch script that lists its calls and runs this line. Nothing waits, because stat does not exist. */
    private void script(final Path home, final String line) throws IOException
    {
        final Path script = home.resolve("odradek");
        Files.writeString(script, "#!/bin/sh\necho \"$*\" >> " + home + "/calls\n" + line + "\n");
        assertTrue(script.toFile().setExecutable(true));
        all = new AllCommand(new Sources(home), home.resolve("stat"));
    }

    @Test
    void shouldEndWithinTwentyMinutesIfQuick()
    {
        final Map<String, CommandLine> commands = BenchCommand.commandLine().getSubcommands();
        final int seconds = AllCommand.SCENARIOS.stream().mapToInt(
            (name) -> ((Scenario)commands.get(name).getCommand()).expectedSeconds(true)).sum();

        assertTrue(seconds <= 20 * 60, seconds + " s");
    }

    @Test
    void shouldExpectTheTimeOfTheCasesThatTlsHas()
    {
        final CommandLine bench = BenchCommand.commandLine();
        final Scenario scenario = bench.getSubcommands().get("catchup").getCommand();
        bench.parseArgs("catchup");
        final int seconds = scenario.expectedSeconds(false);
        bench.parseArgs("catchup", "--tls");

        assertTrue(scenario.expectedSeconds(false) < seconds);
    }

    private CommandLine commandLine(final String failing)
    {
        final CommandLine commandLine = new CommandLine(new Parent());
        commandLine.addSubcommand(all);
        final List<String> names = new ArrayList<>(AllCommand.SCENARIOS);
        names.addAll(List.of("groups", "many", "cores", "distance", "sweep", "produce", "workers", "flink",
            "migration", "demo"));
        for (final String name : names)
        {
            commandLine.addSubcommand(name, new Fake(name, name.equals(failing)));
        }
        return BenchCommand.withHandlers(commandLine).setErr(new PrintWriter(err));
    }

    @Command(name = "bench")
    private static final class Parent
    {
    }

    /** Takes the option of two scenarios; what is written says whether it was given. */
    @Command
    @Scenario.Facts(quickSeconds = 1, seconds = 1, columns = "recordsPerSecond")
    private final class Fake extends Scenario.OnCluster
    {
        @Option(names = "--tls")
        private boolean isTls;
        @Option(names = "--full")
        private boolean isFull;
        private final String name;
        private final boolean isFailing;

        private Fake(final String name, final boolean isFailing)
        {
            this.name = name;
            this.isFailing = isFailing;
        }

        @Override
        protected Results run()
        {
            return run(null);
        }

        @Override
        protected Results run(final Cluster cluster)
        {
            calls.add(name + (isTls ? " --tls " : " ") + isQuick() + " " + bootstrap() + " " + json().getFileName());
            if (isFailing)
            {
                throw new IllegalStateException("as told");
            }
            final Results results = new Results();
            results.rows().add(
                new Row(name, "a case", "odradek", "recordsPerSecond", "records/s", Summary.of(1)));
            return results;
        }

        @Override
        protected Map<String, Object> settings()
        {
            return Map.of();
        }
    }
}
