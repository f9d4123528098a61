// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Summary;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DriftCommandTest
{
    private static final double SLOWER = 0.8;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    @TempDir
    private Path folder;

    @Test
    void shouldEndWithTheFigureThatIsNearestToItsLimit() throws IOException
    {
        assertEquals(0, execute(files(3, 1)));
        assertEquals("no drift: 2 figures of 1 cases in 3 repeats, nearest to its limit: catchup 23 B, records per " +
            "second 1.000 of base, spread 0.952..1.050", lastLine());
    }

    @Test
    void shouldFailWithTheFiguresThatHaveDrifted() throws IOException
    {
        assertEquals(1, execute(files(3, SLOWER)));
        assertEquals("drift: catchup 23 B, records per second 0.800 of base, spread 0.952..1.050", lastLine());
    }

    @Test
    void shouldFailIfARepeatIsMissing() throws IOException
    {
        assertEquals(1, execute(files(2, 1)));
        assertTrue(err.toString().strip().endsWith("drift: failed: catchup 23 B has 2 of at least 3 repeats."),
            err::toString);
        assertEquals("", out.toString());
    }

    @Test
    void shouldWriteTheTableBetweenTheMarksOfAPage() throws IOException
    {
        final Path page = Files.writeString(
            folder.resolve("x.md"), "before\n<!-- drift -->\nold\n<!-- /drift -->\nafter\n");
        final List<String> arguments = files(3, SLOWER);
        arguments.add("--page=" + page);

        assertEquals(1, execute(arguments));
        assertEquals(1, execute(arguments));
        assertEquals("""
            before
            <!-- drift -->
            | case | figure | now/base: median [least..most] | base/base | drift |
            |---|---|--:|--:|---|
            | catchup 23 B | records per second | 0.800 [0.800..0.800] | 0.952..1.050 | yes |
            | catchup 23 B | process CPU per record | 1.000 [1.000..1.000] | 0.952..1.050 | no |

            Last line: `drift: catchup 23 B, records per second 0.800 of base, spread 0.952..1.050`; 2026-11-21, \
            VM 17, Linux, 2 CPUs (a CPU).
            <!-- /drift -->
            after
            """, Files.readString(page));
    }

    /** Returns one file for each repeat, in which both figures of the base differ by 5 % with a mean of 100. */
    private List<String> files(final int repeats, final double nowToBase) throws IOException
    {
        final double least = 200 / 2.05;
        final List<Row> rows = new ArrayList<>();
        for (final String metric : List.of("recordsPerSecond", "processCpuPerRecord"))
        {
            final double now = metric.equals("recordsPerSecond") ? nowToBase * 100 : 100;
            rows.add(row("odradek", metric, now));
            rows.add(row("odradek-before", metric, least));
            rows.add(row("odradek-before-again", metric, least * 1.05));
        }
        final Map<String, Object> environment = Map.of(
            "date", "2026-11-21T10:00:00Z", "jvm", "VM 17", "os", "Linux", "cpus", 2, "cpuModel", "a CPU");
        final List<String> files = new ArrayList<>();
        for (int repeat = 1; repeat <= repeats; repeat++)
        {
            final Path file = folder.resolve(repeat + "-catchup.json");
            new Report(environment, rows, List.of(), List.of()).writeTo(file);
            files.add(file.toString());
        }
        return files;
    }

    private static Row row(final String client, final String metric, final double figure)
    {
        return new Row("catchup", "23 B", client, metric, "", new Summary(figure, figure, figure, 1));
    }

    private int execute(final List<String> arguments)
    {
        final CommandLine commandLine =
            BenchCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        final List<String> all = new ArrayList<>(List.of("drift"));
        all.addAll(arguments);
        return commandLine.execute(all.toArray(String[]::new));
    }

    private String lastLine()
    {
        final List<String> lines = out.toString().lines().toList();
        return lines.get(lines.size() - 1);
    }
}
