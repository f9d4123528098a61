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
        "catchup --sizes 22 | " + SIZES + "to fit into a batch, not 22.",
        "catchup --sizes 100,1000001 | " + SIZES + "to fit into a batch, not 1000001.",
        "catchup --partitions 1,65 | catchup: --partitions must be between 1 and 64, not 65.",
        "catchup --codecs none,lzma | catchup: --codecs must be of none, gzip, snappy, lz4, zstd, not lzma.",
        "catchup --crc perhaps | catchup: --crc must be on or off, not perhaps.",
        "catchup --passes 0 | catchup: --passes must be at least 1, not 0.",
        "catchup --bootstrap localhost | catchup: --bootstrap must be HOST:PORT, not localhost.",
        "catchup --bootstrap a:1,b:2 | catchup: --bootstrap must be HOST:PORT, not a:1,b:2.",
        "catchup --json no/such/folder/x.json | catchup: --json must be in a folder that can be written to, " +
            "not at no/such/folder/x.json.",
        "catchup --nothing | catchup: Unknown option: '--nothing'",
        "chain --clients stock,odradek-multiplexed | chain: --clients must be among article-stock, stock-timeout, " +
            "stock-one-thread, stock-shared, stock-shared-2ms, stock-shared-1ms, stock-shared-0ms, " +
            "odradek-per-service, odradek-multiplexed, odradek-shared, odradek-publisher, odradek-publisher-5ms, " +
            "odradek-publisher-2ms, odradek-publisher-1ms, odradek-publisher-0ms, odradek-publisher-acks-all, " +
            "odradek-publisher-acks-all-5ms, odradek-publisher-acks-all-2ms, odradek-publisher-acks-all-1ms, " +
            "odradek-publisher-acks-all-0ms, chronicle-queue, not stock.",
        "groups --rounds 0 | groups: --rounds must be at least 1, not 0.",
        "groups --session 9 | groups: --session must be between 10 and 60, not 9.",
        "flink | flink: Flink is not on the class path: run ./odradek bench flink.",
        "flink --rounds 0 | flink: --rounds must be at least 1, not 0.",
        "chain --chains 1001 | chain: --chains must be between 1 and 1000, or 0 to search, not 1001.",
        "chain --chains -1 | chain: --chains must be between 1 and 1000, or 0 to search, not -1.",
        "chain --linger 101 | chain: --linger must be between 0 and 100, not 101.",
        "chain --bootstrap localhost | chain: --bootstrap must be HOST:PORT, not localhost.",
        "partitions --partitions 0 | partitions: --partitions must be between 1 and 10000, not 0.",
        "partitions --partitions 10001 | partitions: --partitions must be between 1 and 10000, not 10001.",
        "partitions --partitions 4 --active 5 | partitions: --active must be between 1 and the number " +
            "of partitions, not 5.",
        "partitions --seconds 0 | partitions: --seconds must be at least 1, not 0.",
        "budget --rate 0 | budget: --rate must be between 1 and 1000000, not 0.",
        "budget --linger 101 | budget: --linger must be between 0 and 100, not 101.",
        "budget --partitions 65 | budget: --partitions must be between 1 and 64, not 65.",
        "catchup --tls --bootstrap a:1 | catchup: --bootstrap is used without TLS only: leave it out for a broker of " +
            "our own with TLS.",
        "distance --cases 21.* | distance: --cases must match the name of a case, for instance 0 ms, 8 partitions, " +
            "not 21.*.",
        "workers --cases x | workers: --cases must match the name of a case, for instance replay, 1 worker, 0 us, " +
            "not x.",
        "distance --mtu 100 | distance: --mtu must be between 1280 and 65000, not 100.",
        "signalfx --rounds 0 | signalfx: --rounds must be at least 1, not 0.",
        "signalfx --seconds 0 | signalfx: --seconds must be at least 1, not 0.",
        "signalfx --seconds 3 --rounds 2 | signalfx: --seconds must be a multiple of --rounds, not 3 of 2.",
        "signalfx --cases 5000 | signalfx: --cases must match the name of a case, for instance 5000/s, linger 0 ms, " +
            "not 5000.",
        "catchup --drift 1 | catchup: --drift needs --before FOLDER.",
        "catchup --drift 0 | catchup: --drift must be at least 1, not 0.",
        "catchup --drift 1 --before no/such | catchup: --before must be a checkout in which ./odradek bench " +
            "--version has built the benchmarks, not no/such.",
        "jmh --drift 1 | jmh: --drift is for catchup, signalfx, idle, produce, distance.",
        "idle --bootstrap localhost | idle: --bootstrap must be HOST:PORT, not localhost.",
        "idle --json no/such/folder/x.json | idle: --json must be in a folder that can be written to, " +
            "not at no/such/folder/x.json.",
        "jmh --jdk25 | jmh: --jdk25 is for scenarios with clients in JVMs of their own.",
        "jmh --forks 3 | jmh: Unknown options: '--forks', '3'",
        "jmh --json no/such/folder/x.json | jmh: --json must be in a folder that can be written to, " +
            "not at no/such/folder/x.json.",
        "demo --rate 0 | demo: --rate must be between 1 and 100000, not 0.",
        "demo --rate x | demo: Invalid value for option '--rate': 'x' is not an int",
        "demo --seconds 0 | demo: --seconds must be at least 1, not 0.",
        "demo --rounds 2 --seconds 8 | demo: --rounds needs --full: the short form has one round.",
        "demo --full --html x.html | demo: --html is not for --full: bench report makes a page from its --json.",
        "demo --bootstrap :9092 | demo: --bootstrap must be HOST:PORT, not :9092.",
        "demo --secure --bootstrap a:1 | demo: --bootstrap is used without TLS only: leave it out for a broker of " +
            "our own with TLS.",
        "report x.json | report: Missing required option: '--html=FILE'",
        "report --html x.html | report: Missing required parameter: 'JSON'",
        "report no/such.json --html x.html | report: there is no file no/such.json to read.",
        "drift | drift: Missing required parameter: 'JSON'",
        "drift no/such.json | drift: there is no file no/such.json to read.",
        "drift pom.xml --page pom.xml | drift: --page must be a file with the lines <!-- drift --> and " +
            "<!-- /drift -->, not pom.xml.",
    })
    void shouldAnswerABadOptionWithOneSentence(final String line, final String sentence)
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

    @Test
    void shouldAskForAScenario()
    {
        final int exitCode = commandLine.execute();

        assertEquals(2, exitCode);
        assertEquals(
            "odradek bench: name a scenario: all, demo, signalfx, budget, sweep, idle, catchup, latency, chain, " +
            "produce, workers, sle, jmh, groups, many, cores, distance, flink, partitions, migration, drift, report.",
            err.toString().strip());
    }

    @Test
    void shouldExplainItself()
    {
        final int exitCode = commandLine.execute("catchup", "--help");

        assertEquals(0, exitCode);
        assertEquals("", err.toString());
        assertEquals(0, out.toString().indexOf("Usage: odradek bench catchup"));
    }
}
