// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientListener;
import org.odradek.consumer.support.FileGraph;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks the structure that ARCHITECTURE.md describes, as it is in the sources: rooms, no cycles between files, no file
 * that is far too long, and no state of partitions that is spread over arrays. What only asks for a look is printed:
 * the longest chains of files, long files, and the lines of each module.
 */
class SourceStructureTest
{
    private static final Path SOURCES = Path.of("src/main/java");
    private static final Path CLIENT_SOURCES = Path.of("../client").resolve(SOURCES);
    private static final String CLIENT = "org.odradek.client";
    private static final String CONSUMER = "org.odradek.consumer";
    private static final int MAX_CODE_LINES = 500;
    private static final int LISTED_CODE_LINES = 300;

    /** Messages of groups in the protocol. */
    private static final Pattern OF_GROUPS = Pattern.compile("import org\\.odradek\\.protocol\\.control\\." +
        "(JoinGroup|SyncGroup|Heartbeat|LeaveGroup|ClassicGroup|ConsumerGroup|GroupError|DescribeGroups|" +
        "FindCoordinator|OffsetCommit|OffsetFetch)");
    /** The exception is that of connections, too. */
    private static final Pattern OF_TLS =
        Pattern.compile("import (javax\\.net\\.ssl\\.(?!SSLException;)|io\\.netty\\.internal\\.tcnative)");
    private static final Pattern SETTING = Pattern.compile("settings(\\(\\))?\\.(group\\.)?\\w+ [-+*/|&]?= ");
    private static final Pattern EVENT = Pattern.compile("\\blistener(?:\\(\\))?\\.(on\\w+)\\(");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([a-z0-9_.]+)\\.[A-Z]");
    private static final Pattern OF_UPPER_MODULES =
        Pattern.compile("(?s)package org\\.odradek\\.client.*\nimport (static )?org\\.odradek\\.(?!client|protocol)");
    private static final Pattern GROWN = Pattern.compile("(\\w+) = Arrays\\.copyOf\\(\\1,");

    /** Files with more than one array that grows, and why these are not one array of objects. */
    private static final Map<String, String> WITH_ARRAYS = Map.of(
        "PartitionTable", "delivery reads and writes single numbers of a partition for each record",
        "FetchFrame", "the numbers of each record set are written for each response",
        "FetchRequests", "the arrays are three lists, each with a key of its own",
        "DirtyPartitions", "a list of ids, and a flag by id",
        "Brokers", "ids are found by binary search, and metadata without a change allocates nothing");

    @Test
    void shouldHaveNoCyclesOfFilesInConsumer(final TestReporter reporter) throws IOException
    {
        assertShape(new FileGraph(SOURCES, CONSUMER), 80, reporter);
    }

    @Test
    void shouldHaveNoCyclesOfFilesInClient(final TestReporter reporter) throws IOException
    {
        assertShape(new FileGraph(CLIENT_SOURCES, CLIENT), 80, reporter);
    }

    @Test
    void shouldHaveNoCyclesOfFilesInPublisher(final TestReporter reporter) throws IOException
    {
        assertShape(new FileGraph(Path.of("../publisher").resolve(SOURCES), "org.odradek.publisher"), 20,
            reporter);
    }

    /** Beyond 900 lines of code the workers would have to become an example. */
    @Test
    void shouldHaveNoCyclesOfFilesAndFewLinesInWorkers(final TestReporter reporter) throws IOException
    {
        final Path workers = Path.of("../workers").resolve(SOURCES);
        assertShape(new FileGraph(workers, "org.odradek.workers"), 8, reporter);
        int lines = 0;
        for (final Path file : sources(workers))
        {
            lines += codeLines(Files.readString(file));
        }
        assertTrue(lines <= 900, lines + " lines of code");
    }

    @Test
    void shouldHaveNoCyclesOfFilesInProtocol(final TestReporter reporter) throws IOException
    {
        assertShape(new FileGraph(Path.of("../protocol").resolve(SOURCES), "org.odradek.protocol"), 50,
            reporter);
    }

    private static void assertShape(final FileGraph graph, final int minFiles, final TestReporter reporter)
    {
        assertTrue(graph.size() >= minFiles, graph.size() + " files were found");
        assertEquals(List.of(), graph.cycles());
        final List<String> chain = graph.longestChain();
        reporter.publishEntry("longest chain, " + chain.size() + " files: " + String.join(" -> ", chain));
    }

    @ParameterizedTest
    @ValueSource(strings = {"protocol", "client", "consumer", "publisher"})
    void shouldHaveNoCyclesOfPackages(final String module) throws IOException
    {
        final Map<String, Set<String>> arrows = packages(module);
        while (arrows.values().removeIf(Set::isEmpty))
        {
            arrows.values().forEach((used) -> used.retainAll(arrows.keySet()));
        }

        assertEquals(Map.of(), arrows);
    }

    /** The packages of a module, and which of them each imports. */
    private static Map<String, Set<String>> packages(final String module) throws IOException
    {
        final Map<String, Set<String>> arrows = new TreeMap<>();
        for (final Path file : sources(Path.of("..", module).resolve(SOURCES)))
        {
            final String text = Files.readString(file);
            final String name = text.split("package |;")[1];
            final Set<String> used = arrows.computeIfAbsent(name, (key) -> new TreeSet<>());
            IMPORT.matcher(text).results().map((found) -> found.group(1)).forEach(used::add);
        }
        arrows.forEach((name, used) ->
        {
            used.retainAll(arrows.keySet());
            used.remove(name);
        });
        return arrows;
    }

    @Test
    void shouldPointDownFromTheClient() throws IOException
    {
        final Map<String, Set<String>> arrows = packages("client");

        assertEquals(Set.of(CLIENT + ".files", CLIENT + ".metrics"), arrows.get(CLIENT));
        assertEquals(Set.of(), filesWith(OF_UPPER_MODULES, (room) -> true));
    }

    @Test
    void shouldHoldGroupsInOneRoomAndTlsInOneBesidesItsSettings() throws IOException
    {
        assertEquals(Set.of(), filesWith(OF_GROUPS, (room) -> !room.equals("group")));
        assertEquals(
            Set.of("TlsMaterial"), filesWith(OF_TLS, (room) -> !Set.of("tls", "security").contains(room)));
        assertTrue(filesWith(OF_GROUPS, (room) -> true).size() >= 5);
        assertTrue(filesWith(OF_TLS, (room) -> true).size() >= 5);
    }

    /** Each client has these events; the compiler refuses others there, because the listener has none. */
    @Test
    void shouldReportEveryEventOfAClientInTheModuleOfClients() throws IOException
    {
        final Set<String> missing =
            Stream.of(ClientListener.class.getMethods()).map(Method::getName).collect(Collectors.toSet());
        for (final Path file : sources(CLIENT_SOURCES))
        {
            if (!file.getFileName().toString().startsWith("Safe"))
            {
                EVENT.matcher(Files.readString(file)).results().forEach((event) -> missing.remove(event.group(1)));
            }
        }
        assertEquals(Set.of(), missing);
    }

    @Test
    void shouldNotChangeSettingsThatAConsumerHas() throws IOException
    {
        assertEquals(
            Set.of(), filesWith(SETTING, (room) -> !Set.of("", "context", "core", "properties").contains(room)));
        assertTrue(filesWith(SETTING, String::isEmpty).contains("ConsumerContext"));
    }

    @Test
    void shouldKeepWhatIsKnownOfAPartitionInOneObject() throws IOException
    {
        final Set<String> found = new TreeSet<>();
        for (final Path file : allSources())
        {
            if (GROWN.matcher(Files.readString(file)).results().count() > 1)
            {
                found.add(nameOf(file));
            }
        }
        assertEquals(new TreeSet<>(WITH_ARRAYS.keySet()), found);
    }

    /** The names of files of client and consumer that have a text, in some rooms. */
    private static Set<String> filesWith(final Pattern text, final Predicate<String> rooms) throws IOException
    {
        final Set<String> found = new TreeSet<>();
        for (final Path file : allSources())
        {
            if (rooms.test(file.getParent().toString().replaceAll(".*/org/odradek/\\w+/?", "")) &&
                text.matcher(Files.readString(file)).find())
            {
                found.add(nameOf(file));
            }
        }
        return found;
    }

    private static List<Path> allSources() throws IOException
    {
        return Stream.concat(sources(CLIENT_SOURCES).stream(), sources(SOURCES).stream()).toList();
    }

    private static List<Path> sources(final Path folder) throws IOException
    {
        try (Stream<Path> walk = Files.walk(folder))
        {
            return walk.filter((path) -> path.toString().endsWith(".java") && !path.endsWith("module-info.java"))
                .toList();
        }
    }

    private static String nameOf(final Path file)
    {
        return file.getFileName().toString().replace(".java", "");
    }

    @Test
    void shouldHaveNoFileThatIsFarTooLong(final TestReporter reporter) throws IOException
    {
        final Map<String, Integer> listed = new TreeMap<>();
        final Map<String, Integer> linesOfModules = new TreeMap<>();
        final List<Path> files;
        final Path root = Path.of("..").toRealPath();
        try (Stream<Path> walk = Files.walk(root, 20))
        {
            files = walk.filter((path) -> path.toString().endsWith(".java"))
                .filter((path) -> path.toString().contains("/src/"))
                .sorted()
                .toList();
        }

        for (final Path file : files)
        {
            final int count = codeLines(Files.readString(file));
            final Path path = root.relativize(file);
            linesOfModules.merge(path.toString().replaceAll("/java/.*", ""), count, Integer::sum);
            if (count > LISTED_CODE_LINES)
            {
                listed.put(path.toString(), count);
            }
        }
        reporter.publishEntry("files with more than " + LISTED_CODE_LINES + " lines of code: " + listed);
        reporter.publishEntry("lines of code: " + linesOfModules);

        assertTrue(files.size() > 100, files.size() + " files were found");
        listed.values().removeIf((count) -> count <= MAX_CODE_LINES);
        assertEquals(Map.of(), listed);
    }

    @Test
    void shouldCountLinesOfCodeOnly()
    {
        final String source = """
            // SPDX-License-Identifier: Apache-2.0
            package a;

            import b.C;

            /**
             * Text.
             */
            final class D
            {
                /* one */ int e;    // counts
                // does not
                void f()
                {
                    g("/* no comment */");
                }
            }
            """;

        assertEquals(4, codeLines(source));
    }

    /**
     * Counts lines that hold code: no comments, package, imports, blank lines, or lines of braces alone.
     */
    private static int codeLines(final String source)
    {
        int count = 0;
        boolean isInComment = false;
        for (final String line : source.split("\\R"))
        {
            String text = line.strip();
            if (isInComment)
            {
                final int end = text.indexOf("*/");
                isInComment = end < 0;
                text = end < 0 ? "" : text.substring(end + 2).strip();
            }
            if (text.startsWith("/*"))
            {
                final int end = text.indexOf("*/", 2);
                isInComment = end < 0;
                text = end < 0 ? "" : text.substring(end + 2).strip();
            }
            final boolean isCode = !text.isEmpty() && !text.startsWith("//") && !text.startsWith("package ") &&
                !text.startsWith("import ") && !text.matches("[{}();]+");
            count += isCode ? 1 : 0;
        }
        return count;
    }
}
