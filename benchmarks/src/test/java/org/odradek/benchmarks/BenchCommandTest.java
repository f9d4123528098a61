// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;

class BenchCommandTest
{
    private static final String SIZES = "catchup: --sizes must be between 23, to hold three longs, and 1000000, ";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine commandLine =
        BenchCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--sizes 22 | " + SIZES + "to fit into a batch, not 22.",
        "--sizes 100,1000001 | " + SIZES + "to fit into a batch, not 1000001.",
        "--partitions 1,65 | catchup: --partitions must be between 1 and 64, not 65.",
        "--codecs none,lzma | catchup: --codecs must be of none, gzip, snappy, lz4, zstd, not lzma.",
        "--crc perhaps | catchup: --crc must be on or off, not perhaps.",
        "--passes 0 | catchup: --passes must be at least 1, not 0.",
        "--bootstrap localhost | catchup: --bootstrap must be HOST:PORT, not localhost.",
        "--bootstrap a:1,b:2 | catchup: --bootstrap must be HOST:PORT, not a:1,b:2.",
        "--json no/such/folder/x.json | catchup: --json must be in a folder that can be written to, " +
            "not at no/such/folder/x.json.",
        "--nothing | catchup: Unknown option: '--nothing'",
    })
    void shouldAnswerABadOptionWithOneSentence(final String options, final String sentence)
    {
        final int exitCode = commandLine.execute(("catchup " + options).split(" "));

        assertEquals(2, exitCode);
        assertEquals(sentence, err.toString().strip());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--clients stock,odradek-multiplexed | chain: --clients must be among article-stock, stock-timeout, " +
            "stock-one-thread, odradek-per-service, odradek-multiplexed, chronicle-queue.",
        "--chains 1001 | chain: --chains must be between 1 and 1000, or 0 to search, not 1001.",
        "--chains -1 | chain: --chains must be between 1 and 1000, or 0 to search, not -1.",
        "--linger 101 | chain: --linger must be between 0 and 100, not 101.",
        "--bootstrap localhost | chain: --bootstrap must be HOST:PORT, not localhost.",
    })
    void shouldAnswerABadOptionOfChainWithOneSentence(final String options, final String sentence)
    {
        final int exitCode = commandLine.execute(("chain " + options).split(" "));

        assertEquals(2, exitCode);
        assertEquals(sentence, err.toString().strip());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--partitions 0 | partitions: --partitions must be between 1 and 10000, not 0.",
        "--partitions 10001 | partitions: --partitions must be between 1 and 10000, not 10001.",
        "--partitions 4 --active 5 | partitions: --active must be between 1 and the number of partitions, not 5.",
        "--seconds 0 | partitions: --seconds must be at least 1, not 0.",
    })
    void shouldAnswerABadOptionOfPartitionsWithOneSentence(final String options, final String sentence)
    {
        final int exitCode = commandLine.execute(("partitions " + options).split(" "));

        assertEquals(2, exitCode);
        assertEquals(sentence, err.toString().strip());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "signalfx --rounds 0 | signalfx: --rounds must be at least 1, not 0.",
        "signalfx --seconds 0 | signalfx: --seconds must be at least 1, not 0.",
        "signalfx --seconds 3 --rounds 2 | signalfx: --seconds must be a multiple of --rounds, not 3 of 2.",
        "idle --bootstrap localhost | idle: --bootstrap must be HOST:PORT, not localhost.",
        "idle --json no/such/folder/x.json | idle: --json must be in a folder that can be written to, " +
            "not at no/such/folder/x.json.",
    })
    void shouldAnswerABadOptionOfALiveScenarioWithOneSentence(final String line, final String sentence)
    {
        final int exitCode = commandLine.execute(line.split(" "));

        assertEquals(2, exitCode);
        assertEquals(sentence, err.toString().strip());
    }

    @Test
    void shouldNotTakeAFolderForAFile(@TempDir final Path folder)
    {
        final int exitCode = commandLine.execute("catchup", "--json", folder.toString());

        assertEquals(2, exitCode);
        assertEquals("catchup: --json must be a file, not the folder " + folder + ".", err.toString().strip());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--forks 3 | jmh: Unknown options: '--forks', '3'",
        "--json no/such/folder/x.json | jmh: --json must be in a folder that can be written to, " +
            "not at no/such/folder/x.json.",
    })
    void shouldAnswerABadOptionOfTheMicroBenchmarksWithOneSentence(final String options, final String sentence)
    {
        final int exitCode = commandLine.execute(("jmh " + options).split(" "));

        assertEquals(2, exitCode);
        assertEquals(sentence, err.toString().strip());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "x.json | report: Missing required option: '--html=FILE'",
        "--html x.html | report: Missing required parameter: 'JSON'",
        "no/such.json --html x.html | report: there is no file no/such.json to read.",
    })
    void shouldAnswerABadOptionOfReportWithOneSentence(final String options, final String sentence)
    {
        final int exitCode = commandLine.execute(("report " + options).split(" "));

        assertEquals(2, exitCode);
        assertEquals(sentence, err.toString().strip());
    }

    @Test
    void shouldAskForAScenario()
    {
        final int exitCode = commandLine.execute();

        assertEquals(2, exitCode);
        assertEquals(
            "bench: name a scenario: all, signalfx, idle, catchup, latency, chain, sle, " +
            "jmh, partitions, migration, report.",
            err.toString().strip());
    }

    @Test
    void shouldExplainItself()
    {
        final int exitCode = commandLine.execute("catchup", "--help");

        assertEquals(0, exitCode);
        assertEquals("", err.toString());
        assertEquals(0, out.toString().indexOf("Usage: bench catchup"));
    }
}
