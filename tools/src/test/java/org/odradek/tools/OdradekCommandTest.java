// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OdradekCommandTest
{
    private static final String CATCHUP = """
        {"rows": [{"case": "23 B", "client": "ours", "metric": "recordsPerSecond", "unit": "records/s",
         "median": 48.5, "min": 47.0, "max": 50.25, "runs": 5}],
         "environment": {"jvm": "VM 17", "os": "Linux amd64", "cpus": 2, "date": "2026-11-21"}}""";

    @TempDir
    private Path home;
    private final StringWriter errors = new StringWriter();
    private final CommandLine commandLine = OdradekCommand.commandLine();

    @BeforeEach
    void setUp() throws IOException
    {
        commandLine.setErr(new PrintWriter(errors, true));
        commandLine.setOut(new PrintWriter(new StringWriter(), true));
        Files.writeString(home.resolve("README.md"), "<!-- numbers:catchup -->\n<!-- /numbers -->\n");
        Files.createDirectories(home.resolve("benchmarks"));
        Files.writeString(home.resolve("benchmarks/README.md"), "<!-- numbers:jmh -->\n<!-- /numbers -->\n");
        Files.createDirectories(home.resolve("docs/results"));
        Files.writeString(home.resolve("docs/migration.md"), "<!-- numbers:migration -->\n<!-- /numbers -->\n");
        Files.writeString(home.resolve("docs/latency-budget.md"), "<!-- numbers:budget -->\n<!-- /numbers -->\n");
        Files.writeString(home.resolve("docs/results/migration.json"), CATCHUP);
        Files.writeString(home.resolve("docs/results/budget.json"),
            CATCHUP.replace("recordsPerSecond", "processCpuPercent"));
        Files.writeString(home.resolve("docs/results/jmh.json"), CATCHUP);
        Files.writeString(home.resolve("docs/results/catchup.json"), CATCHUP);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "moon", "numbers x",
        "tail", "tail a b", "tail t --count 0", "tail t --from begin", "tail t --until x", "tail t --partitions 1-",
        "tail t --format %x", "tail t --timeout 0", "tail t --value-type FLOAT",
        "tail t --bootstrap nowhere", "tail no/topic", "perf t", "perf t --messages 0",
        "perf t --messages 1 --timeout 0", "perf t --messages 1 --bootstrap nowhere", "doctor --pid x",
        "stat", "lag", "errors",
        "prometheus", "prometheus f --port 65536", "prometheus f --max-lag -1", "prometheus [", "groups a b",
        "groups --config /none", "groups --bootstrap nowhere", "replay",
        "replay f --count 0", "replay f --repeat 0", "replay f --max-bytes 0",
        "tail t --capture f --capture-limit 1", "tail t --group g --partitions 1", "tail t --group g --until latest",
        "tail t --group g --from -1"})
    void shouldAnswerWrongUseWithCodeTwo(final String line)
    {
        assertEquals(2, commandLine.execute(line.split(" ")));

        assertEquals(2, errors.toString().lines().count(), errors.toString());
        assertTrue(errors.toString().startsWith("odradek"), errors.toString());
    }

    @Test
    void shouldNameTheValueThatIsWrong()
    {
        assertEquals(2, commandLine.execute("moon"));
        assertEquals(2, commandLine.execute("tail", "t", "--partitions", "3-1"));

        assertEquals(List.of("odradek: there is no command moon.", "'odradek help' lists the commands.",
            "odradek tail: --partitions: '3-1' in '3-1' ends before it begins",
            "'odradek tail --help' lists the options."), errors.toString().lines().toList());
    }

    @Test
    void shouldReportAnErrorWithoutControlCharacters()
    {
        assertEquals(1, commandLine.execute("lag", home + "/evil\u001b[2J\nforged"));

        assertEquals(home + "/evil?[2J?forged does not exist", errors.toString().strip());
    }

    @ParameterizedTest
    @ValueSource(strings = {"stat", "lag", "errors"})
    void shouldReportInOneSentenceAFileThatIsNotACountersFile(final String name) throws IOException
    {
        final Path file = home.resolve("counters");
        assertEquals(1, commandLine.execute(name, file.toString()));
        Files.writeString(file, "something else");
        assertEquals(1, commandLine.execute(name, file.toString()));

        assertEquals(List.of(file + " does not exist",
            file + " is not a counters file of a consumer: it has 14 bytes"), errors.toString().lines().toList());
    }

    /** Opening a pipe would wait until another process writes to it. */
    @ParameterizedTest
    @ValueSource(strings = {"stat", "lag", "errors", "replay", "groups --config", "tail t --config"})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldReportInOneSentenceAFileThatIsAPipe(final String command) throws Exception
    {
        final Path file = home.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());

        final int code = commandLine.execute((command + " " + file).split(" "));

        assertTrue(code == 1 || code == 2, code + ": " + errors);
        assertTrue(errors.toString().lines().findFirst().orElse("").contains(
            file + ": it is a pipe, a socket or a device where a regular file was expected"), errors::toString);
    }

    @Test
    void shouldFailTheCheckUntilTheNumbersAreWritten()
    {
        assertEquals(1, commandLine.execute("numbers", "--check", "--home", home.toString()));
        final String sentence =
            " does not show the results in docs/results: run ./odradek numbers and commit its changes.";
        assertEquals(List.of("README.md" + sentence, "benchmarks/README.md" + sentence,
            "docs/latency-budget.md" + sentence, "docs/migration.md" + sentence),
            errors.toString().lines().toList());

        assertEquals(0, commandLine.execute("numbers", "--home", home.toString()));
        assertEquals(0, commandLine.execute("numbers", "--check", "--home", home.toString()));
    }

    @Test
    void shouldFailTheCheckIfOnlyTheLaterPageDiffers() throws IOException
    {
        assertEquals(0, commandLine.execute("numbers", "--home", home.toString()));
        Files.writeString(home.resolve("docs/results/jmh.json"), CATCHUP.replace("23 B", "24 B"));

        assertEquals(1, commandLine.execute("numbers", "--check", "--home", home.toString()));
        assertTrue(errors.toString().startsWith("benchmarks/README.md does not show"), errors.toString());
    }

    @Test
    void shouldFailInOneSentenceWhenAResultIsMissing() throws IOException
    {
        assertEquals(0, commandLine.execute("numbers", "--home", home.toString()));
        Files.delete(home.resolve("docs/results/catchup.json"));

        assertEquals(1, commandLine.execute("numbers", "--check", "--home", home.toString()));
        assertEquals(1, errors.toString().strip().lines().count());
        assertTrue(errors.toString().contains("docs/results/catchup.json does not exist"), errors.toString());
    }
}
