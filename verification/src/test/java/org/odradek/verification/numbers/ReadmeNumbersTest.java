// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReadmeNumbersTest
{
    static final String ENVIRONMENT = """
        "environment": {"jvm": "VM 17", "os": "Linux amd64", "cpus": 2, "cpuModel": "A CPU",
          "date": "2026-11-21T04:00:00Z", "command": "./odradek bench idle --seconds 5", "settings": {
          "rate": 5000, "valueLength": 23, "warmUpSeconds": 20, "measuredSeconds": 60}}""";
    static final String DEMO = """
        {"rows": [
          {"case": "5000/s", "client": "odradek", "metric": "processCpuPercent", "median": 9.04, "min": 9.04,
           "max": 9.04, "runs": 2},
          {"case": "5000/s", "client": "odradek", "metric": "allocatedBytes",
           "median": 0, "min": 0, "max": 0, "runs": 2},
          {"case": "5000/s", "client": "odradek", "metric": "latencyP50Us", "median": 400.1, "min": 380, "max": 421,
           "runs": 2},
          {"case": "5000/s", "client": "stock-tuned", "metric": "processCpuPercent", "median": 30.2, "min": 30.2,
           "max": 30.2, "runs": 2}],
        """ + ENVIRONMENT + "}";
    static final String CATCHUP = """
        {"rows": [
          {"scenario": "catchup", "case": "23 B", "client": "ours", "metric": "recordsPerSecond", "unit": "records/s",
           "median": 48500000, "min": 47000000, "max": 50250000, "runs": 5},
          {"scenario": "catchup", "case": "23 B", "client": "ours", "metric": "allocatedBytesPerRecord",
           "median": 0, "min": 0, "max": 0, "runs": 5},
          {"scenario": "catchup", "case": "23 B", "client": "bare loop", "metric": "recordsPerSecond",
           "median": 52000000, "min": 50000000, "max": 54000000, "runs": 5},
          {"scenario": "catchup", "case": "23 B", "client": "ours", "metric": "brokerCpuPercent", "unit": "%",
           "median": 20.0, "min": 19.0, "max": 21.0, "runs": 5},
          {"scenario": "catchup", "case": "100 B, lz4", "client": "ours", "metric": "recordsPerSecond",
           "median": 9, "min": 8.5, "max": 9.5, "runs": 5}],
        """ + ENVIRONMENT + "}";

    static final String CHAIN = """
        {"rows": [
          {"case": "highest held", "client": "ours", "metric": "chains", "median": 30, "min": 30, "max": 30, "runs": 2},
          {"case": "30 chains", "client": "ours", "metric": "latencyP50Us", "median": 9, "runs": 2}],
        """ + ENVIRONMENT + "}";

    static final String AIMS = """
        {"verdicts": [
          {"scenario": "idle", "case": "1/s", "client": "ours", "metric": "allocatedBytes", "against": "absolute",
           "wanted": "0", "figure": 0.0, "state": "met", "note": ""},
          {"scenario": "idle", "case": "1/s", "client": "ours", "metric": "threadCpuPercent", "against": "stock",
           "wanted": "≤ 0.2", "figure": null, "state": "not run", "note": "no network"}]}
        """;

    static final String JMH = """
        {"rows": [
          {"case": "23 B, lz4, 1 MiB", "client": "odradek", "metric": "nsPerRecord",
           "median": 10, "min": 9, "max": 11, "runs": 3},
          {"case": "23 B, lz4, 1 MiB", "client": "kafka-clients", "metric": "nsPerRecord",
           "median": 30.5, "min": 30, "max": 31, "runs": 3},
          {"case": "23 B, lz4, 1 MiB", "client": "kafka-clients", "metric": "timesOurs",
           "median": 3.05, "min": 3, "max": 3.4, "runs": 3},
          {"case": "23 B, lz4, 1 MiB", "client": "kafka-clients-poll", "metric": "timesOurs",
           "median": 7.125, "min": 7, "max": 8, "runs": 3},
          {"case": "23 B, lz4, 1 MiB", "client": "codec alone", "metric": "nsPerRecord",
           "median": 2, "min": 2, "max": 2, "runs": 3},
          {"case": "23 B, lz4, 1 MiB", "client": "odradek", "metric": "bytesPerFetch",
           "median": 0.01, "min": 0, "max": 0.02, "runs": 3},
          {"case": "23 B, lz4, 1 MiB", "client": "kafka-clients", "metric": "bytesPerFetch",
           "median": 3670000.4, "min": 3670000, "max": 3670001, "runs": 3},
          {"case": "23 B, none, 1 MiB", "client": "odradek", "metric": "nsPerRecord",
           "median": 8, "min": 8, "max": 8, "runs": 3}],
        """ + ENVIRONMENT + "}";

    @TempDir
    private Path home;
    private Path readme;
    private ReadmeNumbers numbers;

    @BeforeEach
    void setUp() throws IOException
    {
        readme = home.resolve("README.md");
        numbers = new ReadmeNumbers(home);
        Files.createDirectories(numbers.resultFile("demo").getParent());
        Files.writeString(numbers.resultFile("demo"), DEMO);
        Files.writeString(numbers.resultFile("catchup"), CATCHUP);
    }

    @ParameterizedTest
    @CsvSource({"'', ''", "', \"clean\": true', ''", "', \"clean\": false', ' with changes that were not committed'"})
    void shouldShowTheCommitOfAResult(final String clean, final String words) throws IOException
    {
        Files.writeString(readme, "<!-- numbers:demo -->\n<!-- /numbers -->\n");
        Files.writeString(numbers.resultFile("demo"), DEMO.replace("\"jvm\"",
            "\"commit\": \"0123456789abcdef0123456789abcdef01234567\"" + clean + ", \"jvm\""));

        numbers.write();

        assertTrue(Files.readString(readme).contains("--record`, commit 0123456789" + words + ", 2026-11-21, VM 17"));
    }

    @Test
    void shouldWriteTheDemoBetweenItsMarkersAndLeaveTheRest() throws IOException
    {
        Files.writeString(readme, "before\n<!-- numbers:demo -->\nold\n<!-- /numbers -->\nafter\n");

        numbers.write();

        assertEquals("""
            before
            <!-- numbers:demo -->
            | | client | process CPU % | bytes allocated | p50 µs |
            |---|--:|--:|--:|--:|
            | 5000/s | odradek | 9.04 | 0 | 400 (380–421) |
            | 5000/s | stock-tuned | 30.2 | | |

            Median (least–most) of 2 turns; written by `./odradek bench idle --seconds 5 --record`, \
            2026-11-21, VM 17, Linux amd64, 2 CPUs (A CPU).
            <!-- /numbers -->
            after
            """, Files.readString(readme));
    }

    /** Returns the text that is written between the markers of a name. */
    private String written(final String name, final String result) throws IOException
    {
        final String begin = "<!-- numbers:" + name + " -->\n";
        final String end = "<!-- /numbers -->\n";
        Files.writeString(readme, begin + end);
        Files.writeString(numbers.resultFile(name), result);

        numbers.write();

        final String page = Files.readString(readme);
        assertTrue(page.startsWith(begin) && page.endsWith(end), page);
        return page.substring(begin.length(), page.length() - end.length());
    }

    @Test
    void shouldWriteALineForEachCaseAndClientOfABenchmark() throws IOException
    {
        assertEquals("""
            | | client | records/s | bytes allocated/record |
            |---|--:|--:|--:|
            | 23 B | ours | 48,500,000 (47,000,000–50,250,000) | 0 |
            | 23 B | bare loop | 52,000,000 (50,000,000–54,000,000) | |
            | 100 B, lz4 | ours | 9 (8.50–9.50) | |

            Median (least–most) of 5 passes; written by `./odradek bench idle --seconds 5 --record`, \
            2026-11-21, VM 17, Linux amd64, 2 CPUs (A CPU).
            """, written("catchup", CATCHUP));
    }

    @Test
    void shouldNameTheCasesThatDoNotFitInATable() throws IOException
    {
        assertEquals("""
            | | client | chains |
            |---|--:|--:|
            | highest held | ours | 30 |

            Median (least–most) of 2 searches; written by `./odradek bench idle --seconds 5 --record`, \
            2026-11-21, VM 17, Linux amd64, 2 CPUs (A CPU).
            Measured as well, in docs/results/chain.json: 30 chains.
            """, written("chain", CHAIN));
    }

    @Test
    void shouldWriteTheVerdictOnEachAim() throws IOException
    {
        assertEquals("""
            | scenario, case | client | figure | against | aim | measured | |
            |---|--:|--:|--:|--:|--:|--:|
            | `idle`, 1/s | ours | allocatedBytes | absolute | 0 | 0 | met |
            | `idle`, 1/s | ours | threadCpuPercent | stock | ≤ 0.2 | – | not run: no network |

            1 of 2 met, by the results in docs/results.
            """, written("aims", AIMS));
    }

    @Test
    void shouldDrawALineForEachClientOverTheBudgets() throws IOException
    {
        final StringBuilder rows = new StringBuilder();
        for (final String client : new String[]{"odradek", "stock-tuned", "librdkafka", "bare-loop"})
        {
            for (final int budgetMs : new int[]{0, 2})
            {
                rows.append("{\"case\": \"").append(budgetMs).append(" ms\", \"client\": \"").append(client)
                    .append("\", \"metric\": \"processCpuPercent\", \"median\": ").append(10 - budgetMs).append("},");
            }
        }
        Files.writeString(numbers.resultFile("budget"),
            "{\"rows\": [" + rows.substring(0, rows.length() - 1) + "]}");
        final ReadmeNumbers chart = new ReadmeNumbers(home, "docs/results/budget.svg");
        assertFalse(chart.isUpToDate());

        chart.write();

        assertTrue(chart.isUpToDate());
        final String text = Files.readString(home.resolve("docs/results/budget.svg"));
        assertEquals(4, text.split("<path d=\"M232 40.0L597 84.0\"", -1).length - 1, text);
        assertTrue(text.contains(">2 ms</text>"), text);
        assertTrue(text.contains(">stock-tuned</text>"), text);
    }

    @Test
    void shouldDrawRatesOverRoundTripsByPowersOfTen() throws IOException
    {
        final StringBuilder rows = new StringBuilder();
        for (final String client : new String[]{
            "odradek", "odradek-eight", "stock-tuned", "librdkafka", "streams-eight"})
        {
            for (final String place : new String[]{"0 ms, 8 partitions", "20 ms, 8 partitions", "20 ms, 1 partition"})
            {
                rows.append("{\"case\": \"").append(place).append("\", \"client\": \"").append(client)
                    .append("\", \"metric\": \"megabytesPerSecond\", \"median\": ")
                    .append(place.startsWith("0") ? 1_000 : 10).append("},");
            }
        }
        Files.writeString(numbers.resultFile("distance"),
            "{\"rows\": [" + rows.substring(0, rows.length() - 1) + "]}");

        new ReadmeNumbers(home, "docs/results/distance.svg").write();

        final String text = Files.readString(home.resolve("docs/results/distance.svg"));
        assertEquals(5, text.split("<path d=\"M232 40.0L597 186.7\"", -1).length - 1, text);
        assertTrue(text.contains(">20 ms</text>"), text);
        assertTrue(text.contains(">1000</text>"), text);
    }

    @Test
    void shouldDrawABarAndWriteALineForEachClientOfChains() throws IOException
    {
        final StringBuilder rows = new StringBuilder();
        int chains = 0;
        for (final String client : new String[]{"article-stock", "stock-timeout", "stock-shared", "odradek-shared",
            "odradek-publisher", "chronicle-queue"})
        {
            rows.append("{\"case\": \"highest held\", \"client\": \"").append(client)
                .append("\", \"metric\": \"chains\", \"median\": ").append(chains).append("},");
            chains += 100;
        }
        final ReadmeNumbers chart = new ReadmeNumbers(home, "docs/results/chain.svg");
        Files.writeString(numbers.resultFile("chain"), "{\"rows\": []}");
        assertEquals("docs/results/chain.json holds no chains of article-stock: measure it again.",
            assertThrows(IllegalStateException.class, chart::write).getMessage());
        Files.writeString(numbers.resultFile("chain"), "{\"rows\": [" + rows.substring(0, rows.length() - 1) + "]}");

        chart.write();

        final String text = Files.readString(home.resolve("docs/results/chain.svg"));
        assertTrue(text.contains("y=\"144\" width=\"320.0\" height=\"18\" fill=\"#1a8a3c\""), text);
        assertTrue(text.contains(">500</text>"), text);
        Files.writeString(readme, "<!-- numbers:chains -->\n<!-- /numbers -->\n");
        numbers.write();
        final String page = Files.readString(readme);
        assertTrue(page.contains("| … Odradek and its publisher | 400 | | | | |\n"), page);
    }

    @Test
    void shouldNameTheLinkOfAResultThatHasOne() throws IOException
    {
        final String withLink = CATCHUP.replace("\"settings\": {", "\"settings\": {\"link\": \"a delay line\",");

        assertTrue(written("catchup", withLink).contains(" The link was a delay line.\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"catchup-tls", "catchup-jdk25"})
    void shouldWriteTheTableOfAResultOfItsOwn(final String name) throws IOException
    {
        assertEquals(written("catchup", CATCHUP), written(name, CATCHUP));
    }

    @Test
    void shouldWriteOursBesideTheBestOfEachRival() throws IOException
    {
        final String row = "{\"case\": \"%s\", \"client\": \"%s\", \"metric\": \"%s\", \"median\": %s}";
        final StringBuilder rows = new StringBuilder();
        for (final String metric : new String[]{
            "recordsPerSecond", "processCpuPerRecord", "allocatedBytesPerRecord", "processCpuPercent", "latencyP99Us"})
        {
            for (final String caseName : new String[]{"23 B", "100 B", "0 ms", "2 ms"})
            {
                rows.append(String.format(row, caseName, "odradek", metric, 7)).append(',');
            }
        }
        rows.append(String.format(row, "23 B", "stock", "recordsPerSecond", 5)).append(',')
            .append(String.format(row, "23 B", "stock-new", "recordsPerSecond", 6)).append(',')
            .append(String.format(row, "23 B", "stock", "processCpuPerRecord", 15)).append(',')
            .append(String.format(row, "23 B", "stock-new", "processCpuPerRecord", 16)).append(',')
            .append(String.format(row, "23 B", "librdkafka", "processCpuPerRecord", 17));
        final String result = "{\"rows\": [" + rows + "]}";
        Files.writeString(numbers.resultFile("catchup"), result);
        Files.writeString(numbers.resultFile("catchup-tls"), result);
        Files.writeString(numbers.resultFile("budget"), result);

        final String table = written("summary", "{}");

        assertTrue(table.startsWith("""
            | | odradek | kafka-clients, at its best | librdkafka | bare loop |
            |---|--:|--:|--:|--:|
            | reading a log of 23-byte values, records/s | 7 | 6 | | |
            | … CPU per record in ns | 7 | 15 | 17 | |
            """), table);
    }

    @Test
    void shouldWriteALineForEachCaseOfTheMicroBenchmarksIntoAnotherPage() throws IOException
    {
        final Path page = Files.createDirectories(home.resolve("benchmarks")).resolve("README.md");
        Files.writeString(page, "<!-- numbers:jmh -->\n<!-- /numbers -->\n");
        Files.writeString(numbers.resultFile("jmh"), JMH);

        new ReadmeNumbers(home, "benchmarks/README.md").write();

        assertEquals("""
            <!-- numbers:jmh -->
            | value, codec, fetch | Odradek (ns/record) | kafka-clients' poll / Odradek \
            | kafka-clients' record sets (ns/record) | kafka-clients' record sets / Odradek \
            | codec alone (ns/record) | Odradek (bytes/fetch) | kafka-clients' record sets (bytes/fetch) |
            |---|--:|--:|--:|--:|--:|--:|--:|
            | 23 B, lz4, 1 MiB | 10 (9–11) | 7.13 (7–8) | 30.5 (30–31) | 3.05 (3–3.40) | 2 (2–2) | 0 | 3,670,000 |
            | 23 B, none, 1 MiB | 8 (8–8) | | | | | | |

            Median (least–most) of 3 JVMs; written by `./odradek bench idle --seconds 5 --record`, \
            2026-11-21, VM 17, Linux amd64, 2 CPUs (A CPU).
            <!-- /numbers -->
            """, Files.readString(page));
    }

    @Test
    void shouldAgreeOnceWrittenAndDifferOnceEitherSideChanges() throws IOException
    {
        Files.writeString(readme, """
            <!-- numbers:demo -->
            <!-- /numbers -->
            between
            <!-- numbers:catchup -->
            <!-- /numbers -->
            """);
        assertFalse(numbers.isUpToDate());

        numbers.write();
        assertTrue(numbers.isUpToDate());

        final String written = Files.readString(readme);
        Files.writeString(readme, written.replace("9.04", "9.05"));
        assertFalse(numbers.isUpToDate());

        Files.writeString(readme, written.replace("between", "other prose"));
        assertTrue(numbers.isUpToDate());

        Files.writeString(numbers.resultFile("catchup"), CATCHUP.replace("48500000", "48600000"));
        assertFalse(numbers.isUpToDate());
    }

    @Test
    void shouldNotWriteWhenAMarkerIsNotClosed() throws IOException
    {
        final String broken = "<!-- numbers:demo -->\nprose\n<!-- numbers:catchup -->\n<!-- /numbers -->\n";
        Files.writeString(readme, broken);

        final IllegalStateException ex = assertThrows(IllegalStateException.class, numbers::write);

        assertEquals("README.md has no <!-- /numbers --> after <!-- numbers:demo -->: add it.", ex.getMessage());
        assertEquals(broken, Files.readString(readme));
    }

    @Test
    void shouldNotAgreeWithoutAnyMarker() throws IOException
    {
        Files.writeString(readme, "prose\n");

        assertThrows(IllegalStateException.class, numbers::isUpToDate);
    }

    @Test
    void shouldNameTheMissingResult() throws IOException
    {
        Files.writeString(readme, "<!-- numbers:demo -->\n<!-- /numbers -->\n");
        Files.delete(numbers.resultFile("demo"));

        final IllegalStateException ex = assertThrows(IllegalStateException.class, numbers::isUpToDate);

        assertEquals("README.md wants the numbers of demo, but docs/results/demo.json does not exist: " +
            "measure them with --record.", ex.getMessage());
    }

    @Test
    void shouldRefuseNumbersThatNoCommandMeasures() throws IOException
    {
        Files.writeString(readme, "<!-- numbers:moon -->\n<!-- /numbers -->\n");
        Files.writeString(numbers.resultFile("moon"), "{}");

        final IllegalStateException ex = assertThrows(IllegalStateException.class, numbers::isUpToDate);

        assertTrue(ex.getMessage().contains("moon"), ex.getMessage());
    }
}
