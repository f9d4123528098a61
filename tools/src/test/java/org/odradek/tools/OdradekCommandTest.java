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
    @TempDir
    private Path home;
    private final StringWriter errors = new StringWriter();
    private final CommandLine commandLine = OdradekCommand.commandLine();

    @BeforeEach
    void setUp()
    {
        commandLine.setErr(new PrintWriter(errors, true));
        commandLine.setOut(new PrintWriter(new StringWriter(), true));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "moon",
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
            file + " is not a counters file: it has 14 bytes"), errors.toString().lines().toList());
    }

    /** Kafka refuses an API timeout that is shorter than a request timeout. */
    @Test
    void shouldLimitTheRequestsOfGroupsToTheApiTimeout() throws IOException
    {
        final Path file = Files.writeString(home.resolve("properties"), "default.api.timeout.ms=500\n");

        assertEquals(1, commandLine.execute("groups", "--bootstrap", "localhost:1", "--config", file.toString()));

        assertEquals("The groups cannot be read at localhost:1: Cannot connect to bootstrap server localhost:1: " +
            "Connection refused.\n", errors.toString());
    }

    /** The API timeout is 30 s, in which another broker might answer. */
    @Test
    void shouldNotWaitLongForTheFirstBrokerOfGroups()
    {
        assertEquals(1, commandLine.execute("groups", "g", "--bootstrap", "localhost:2,localhost:1"));

        assertEquals("Group g cannot be read at localhost:2,localhost:1: Cannot connect to bootstrap server " +
            "localhost:1: Connection refused.\n", errors.toString());
    }

    @Test
    void shouldReadTheKeysOfGroupsInTheProperties() throws IOException
    {
        final Path file = Files.writeString(home.resolve("properties"), "group.protocol=share\n");

        assertEquals(2, commandLine.execute("tail", "t", "--group", "g", "--config", file.toString(),
            "--capture", "f", "--capture-limit", "1"));

        assertTrue(errors.toString().startsWith("odradek tail: group.protocol is "), errors::toString);
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
}
