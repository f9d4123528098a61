// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.consumer.WrittenCounters;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.PrintableText;
import org.odradek.testkit.Await;
import org.odradek.testkit.internal.JavaProcess;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StatusCommandsTest
{
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d";

    @TempDir
    private Path folder;
    private Path path;
    private final StringWriter shown = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @BeforeEach
    void setUp()
    {
        path = folder.resolve("counters");
    }

    private WrittenCounters begun()
    {
        return new WrittenCounters(path, "orders");
    }

    private List<String> lines(final Object command, final String... options)
    {
        assertEquals(0, execute(command, options), errors::toString);
        return shown.toString().lines().toList();
    }

    private int execute(final Object command, final String... options)
    {
        final CommandLine commandLine = new CommandLine(command);
        commandLine.setOut(new PrintWriter(shown, true));
        commandLine.setErr(new PrintWriter(errors, true));
        final String[] arguments = new String[options.length + 1];
        System.arraycopy(options, 0, arguments, 1, options.length);
        arguments[0] = path.toString();
        return commandLine.execute(arguments);
    }

    private static void assertMatches(final String pattern, final String line)
    {
        assertTrue(line.matches(pattern), line);
    }

    /** Creates the file of a consumer that is never closed. */
    public static final class Child
    {
        public static void main(final String[] args)
        {
            new WrittenCounters(Path.of(args[0]), "orders");
        }
    }

    @Test
    void shouldShowEveryCounter()
    {
        final WrittenCounters file = begun();
        file.poll();
        file.add(ConsumerCounters.RECORDS, 1_234_567);
        file.partition(1, 90, 1_100, 1_010);

        final List<String> lines = lines(new StatusCommands.Stat());

        assertMatches("Topic orders, process " + ProcessHandle.current().pid() + ", since " + TIME +
            ", last polled \\d+\\.\\d s ago\\.", lines.get(0));
        assertMatches("counter +value", lines.get(2));
        assertMatches("records +1,234,567", lines.get(4));
        final int count = ConsumerCounters.count();
        assertMatches(ConsumerCounters.name(count - 1) + " +0", lines.get(3 + count));
        assertMatches("partition +next offset +high watermark +lag", lines.get(5 + count));
    }

    @Test
    void shouldShowTheLagOfPartitions()
    {
        final WrittenCounters file = begun();
        file.partition(10, 90, 1_100, 1_010);
        file.partition(2, 5, -1, -1);
        file.partition(3, -1, -1, -1);
        file.partition(0, 8, 10, 2);

        final List<String> lines = lines(new StatusCommands.Lag());

        assertMatches("Topic orders, .*, never polled\\.", lines.get(0));
        assertEquals(List.of(
            "partition  next offset  high watermark    lag",
            "---------  -----------  --------------  -----",
            "0                    8              10      2",
            "2                    5               -      -",
            "10                  90           1,100  1,010",
            "all                                     1,012"), lines.subList(2, lines.size()));
    }

    @Test
    void shouldShowErrors()
    {
        final WrittenCounters file = begun();
        assertEquals("no errors", lines(new StatusCommands.Errors()).get(2));
        file.error(new IllegalStateException("first"));
        final RuntimeException second = new RuntimeException("second", null);
        second.setStackTrace(new StackTraceElement[0]);
        file.error(second);
        file.error(second);
        file.add(ConsumerCounters.ERRORS_NOT_LOGGED, 4);
        shown.getBuffer().setLength(0);

        final List<String> lines = lines(new StatusCommands.Errors());

        assertMatches("once, at " + TIME, lines.get(2));
        assertEquals("    java.lang.IllegalStateException: first", lines.get(3));
        assertMatches("\\s+at org\\.odradek\\.tools\\.status\\.StatusCommandsTest\\..*", lines.get(4));
        assertMatches("2 times, from " + TIME + " to " + TIME, lines.get(lines.size() - 3));
        assertEquals("    java.lang.RuntimeException: second", lines.get(lines.size() - 2));
        assertEquals("4 more did not fit into the log", lines.get(lines.size() - 1));
    }

    /** Any user of the machine can write a file that looks like that of a consumer. */
    @Test
    void shouldShowNoControlCharactersOfAFileThatIsHostile() throws IOException
    {
        final WrittenCounters file = new WrittenCounters(path, "evil\u001b[2J\nforged");
        file.partition(0, 8, 10, 2);
        final RuntimeException error = new RuntimeException("evil\u001b[2J\u009b31m\u202e", null);
        error.setStackTrace(new StackTraceElement[0]);
        file.error(error);
        final byte[] bytes = Files.readAllBytes(path);
        final int label = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("empty fetches");
        System.arraycopy("em\u001b[2J\nfor".getBytes(StandardCharsets.US_ASCII), 0, bytes, label, 10);
        Files.write(path, bytes);

        for (final Object command : new Object[] {
            new StatusCommands.Stat(), new StatusCommands.Lag(), new StatusCommands.Errors()})
        {
            shown.getBuffer().setLength(0);
            final List<String> lines = lines(command);

            assertTrue(lines.get(0).startsWith("Topic evil?[2J?forged, process "), lines.get(0));
            for (final String line : lines)
            {
                assertTrue(PrintableText.isPrintable(line) && !line.startsWith("for"), line);
            }
        }
        assertTrue(shown.toString().contains("    java.lang.RuntimeException: evil?[2J?31m?"), shown::toString);
    }

    @Test
    void shouldShowLastValuesOfAConsumerThatWasClosed()
    {
        final WrittenCounters file = begun();
        file.add(ConsumerCounters.RECORDS, 7);
        file.end();

        final List<String> lines = lines(new StatusCommands.Stat(), "--watch");

        assertMatches("Topic orders, .*, closed at " + TIME + ": these are its last values\\.", lines.get(0));
        assertMatches("records +7", lines.get(4));
    }

    @Test
    void shouldWatchUntilTheConsumerIsClosed() throws Exception
    {
        final WrittenCounters file = begun();
        final AtomicInteger exitCode = new AtomicInteger(-1);
        final Thread watch = new Thread(
            () -> exitCode.set(execute(new StatusCommands.Stat(), "--watch", "--interval", "20")));
        watch.start();
        Await.until("rates", () -> shown.toString().contains("per second"));
        file.add(ConsumerCounters.RECORDS, 7);
        file.end();
        watch.join();

        assertEquals(0, exitCode.get(), errors::toString);
        final String all = shown.toString();
        final List<String> last = all.substring(all.lastIndexOf("Topic orders")).lines().toList();
        assertTrue(last.get(0).contains(", closed at "), last.get(0));
        assertMatches("records +7 +[\\d.,e+-]+", last.get(4));
        assertMatches("longest cycle ns +0", last.get(4 + ConsumerCounters.LONGEST_CYCLE_NS));
        assertMatches("last heartbeat ms +0", last.get(4 + ConsumerCounters.LAST_HEARTBEAT_MS));
    }

    @Test
    void shouldReportThatTheProcessHasEnded()
    {
        try (JavaProcess child = JavaProcess.of(Child.class).args(path.toString()).start())
        {
            assertEquals(0, child.exitCode(60, TimeUnit.SECONDS), child::outputTail);

            final List<String> lines = lines(new StatusCommands.Stat(), "--watch");

            assertMatches("Topic orders, process " + child.pid() + ", since " + TIME + ", ended without " +
                "closing \\(or runs in another container\\), never polled: these are its last values\\.", lines.get(0));
        }
    }

    @Test
    void shouldRefuseAnIntervalOfNothing()
    {
        begun();
        assertEquals(2, execute(new StatusCommands.Stat(), "--watch", "--interval", "0"));
        assertTrue(errors.toString().startsWith("--interval must be 1 or more."), errors.toString());
    }
}
