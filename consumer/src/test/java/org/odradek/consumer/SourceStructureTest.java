// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.support.FileGraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks the structure that ARCHITECTURE.md describes, as it is in the sources: rooms, short chains of files, no cycles
 * between files, no file that is too long, and no state of partitions that is spread over arrays.
 */
class SourceStructureTest
{
    private static final Path SOURCES = Path.of("src/main/java");
    private static final String CONSUMER = "org.odradek.consumer";
    private static final int MAX_CHAIN_IN_CONSUMER = 11;
    private static final int MAX_CHAIN_IN_FETCH = 6;
    private static final int MAX_CHAIN_IN_SECURITY = 5;
    private static final int MAX_CHAIN_IN_PUBLISHER = 11;
    private static final int MAX_BRIDGES = 8;
    private static final int MAX_CODE_LINES = 300;
    private static final int MAX_CODE_LINES_OF_PUBLISHER = 4_500;

    /** Messages of groups in the protocol. */
    private static final Pattern OF_GROUPS = Pattern.compile("import org\\.odradek\\.protocol\\.control\\." +
        "(JoinGroup|SyncGroup|Heartbeat|LeaveGroup|ClassicGroup|ConsumerGroup|GroupError|DescribeGroups|" +
        "FindCoordinator|OffsetCommit|OffsetFetch)");
    /** The exception is that of connections, too. */
    private static final Pattern OF_TLS =
        Pattern.compile("import (javax\\.net\\.ssl\\.(?!SSLException;)|io\\.netty\\.internal\\.tcnative)");
    private static final Pattern SETTING = Pattern.compile("settings(\\(\\))?\\.(group\\.)?\\w+ [-+*/|&]?= ");
    private static final Pattern EVENT = Pattern.compile("\\blistener(?:\\(\\))?\\.(on\\w+)\\(");
    /** Those of ClientListener, but for onRebootstrap, which is of metadata. */
    private static final Set<String> OF_CONNECTIONS = Set.of("onConnectionLost", "onConnectionRestored",
        "onAuthenticationFailed", "onBufferGrown", "onThrottled", "onCertificatesNotReloaded", "onTokenNotRenewed",
        "onTlsFallback");
    private static final Pattern GROWN = Pattern.compile("(\\w+) = Arrays\\.copyOf\\(\\1,");

    /** Files with more than one array that grows, and why these are not one array of objects. */
    private static final Map<String, String> WITH_ARRAYS = Map.of(
        "PartitionTable", "delivery reads and writes single numbers of a partition for each record",
        "FetchFrame", "the numbers of each record set are written for each response",
        "FetchRequests", "the arrays are three lists, each with a key of its own",
        "DirtyPartitions", "a list of ids, and a flag by id",
        "Brokers", "ids are found by binary search, and metadata without a change allocates nothing");

    @Test
    void shouldHaveShortChainsOfFilesInConsumerWithoutCycles() throws IOException
    {
        assertShape(new FileGraph(SOURCES, CONSUMER), 100, MAX_CHAIN_IN_CONSUMER);
    }

    @Test
    void shouldHaveShortChainsOfFilesInSecurity() throws IOException
    {
        assertShape(new FileGraph(SOURCES, CONSUMER + ".security"), 5, MAX_CHAIN_IN_SECURITY);
    }

    @Test
    void shouldHaveShortChainsOfFilesInFetch() throws IOException
    {
        assertShape(new FileGraph(SOURCES, CONSUMER + ".fetch"), 10, MAX_CHAIN_IN_FETCH);
    }

    @Test
    void shouldHaveShortChainsOfFilesInPublisher() throws IOException
    {
        assertShape(new FileGraph(Path.of("../publisher").resolve(SOURCES), "org.odradek.publisher"), 20,
            MAX_CHAIN_IN_PUBLISHER);
    }

    @Test
    void shouldHaveNoCyclesOfFilesInProtocol() throws IOException
    {
        final FileGraph graph = new FileGraph(Path.of("../protocol").resolve(SOURCES), "org.odradek.protocol");

        assertTrue(graph.size() >= 50, graph.size() + " files were found");
        assertEquals(List.of(), graph.cycles());
    }

    private static void assertShape(final FileGraph graph, final int minFiles, final int maxChain)
    {
        assertTrue(graph.size() >= minFiles, graph.size() + " files were found");
        assertEquals(List.of(), graph.cycles());
        final List<String> chain = graph.longestChain();
        System.out.println("longest chain, " + chain.size() + " files: " + String.join(" -> ", chain));
        assertTrue(chain.size() <= maxChain, chain.size() + " files use one another in a chain: " + chain);
    }

    @Test
    void shouldHaveFewInternalTypesInTheRootPackage() throws IOException
    {
        final Set<String> internal = filesWith(Pattern.compile("^(final |abstract )*(class|record|enum|interface) ",
            Pattern.MULTILINE), (room) -> room.isEmpty());

        assertTrue(internal.size() <= MAX_BRIDGES, internal::toString);
    }

    @Test
    void shouldHoldGroupsInOneRoomAndTlsInOneBesidesItsSettings() throws IOException
    {
        assertEquals(Set.of(), filesWith(OF_GROUPS, (room) -> !room.equals("group")));
        assertEquals(Set.of(), filesWith(OF_TLS, (room) -> !Set.of("tls", "security").contains(room)));
        assertTrue(filesWith(OF_GROUPS, (room) -> true).size() >= 5);
        assertTrue(filesWith(OF_TLS, (room) -> true).size() >= 5);
    }

    /** What a publisher shares must report nothing that only a consumer has. */
    @Test
    void shouldReportOnlyEventsOfConnectionsInTheRoomsOfConnections() throws IOException
    {
        final Set<String> found = new TreeSet<>();
        for (final Path file : sources())
        {
            if (file.toString().matches(".*/consumer/(core|net|tls)/\\w+\\.java") &&
                !file.endsWith("SafeCallbacks.java"))
            {
                EVENT.matcher(Files.readString(file)).results().forEach((event) -> found.add(event.group(1)));
            }
        }
        assertEquals(new TreeSet<>(OF_CONNECTIONS), found);
    }

    @Test
    void shouldNotChangeSettingsThatAConsumerHas() throws IOException
    {
        assertEquals(
            Set.of(), filesWith(SETTING, (room) -> !Set.of("", "blocking", "core", "properties").contains(room)));
        assertTrue(filesWith(SETTING, String::isEmpty).contains("ConsumerContext"));
    }

    @Test
    void shouldKeepWhatIsKnownOfAPartitionInOneObject() throws IOException
    {
        final Set<String> found = new TreeSet<>();
        for (final Path file : sources())
        {
            if (GROWN.matcher(Files.readString(file)).results().count() > 1)
            {
                found.add(nameOf(file));
            }
        }
        assertEquals(new TreeSet<>(WITH_ARRAYS.keySet()), found);
    }

    /** The names of files below the root package that have a text, in some rooms. */
    private static Set<String> filesWith(final Pattern text, final Predicate<String> rooms) throws IOException
    {
        final Path root = SOURCES.resolve(CONSUMER.replace('.', '/'));
        final Set<String> found = new TreeSet<>();
        for (final Path file : sources())
        {
            if (rooms.test(root.relativize(file.getParent()).toString()) && text.matcher(Files.readString(file)).find())
            {
                found.add(nameOf(file));
            }
        }
        return found;
    }

    private static List<Path> sources() throws IOException
    {
        try (Stream<Path> walk = Files.walk(SOURCES))
        {
            return walk.filter((path) -> path.toString().endsWith(".java")).toList();
        }
    }

    private static String nameOf(final Path file)
    {
        return file.getFileName().toString().replace(".java", "");
    }

    @Test
    void shouldKeepFilesShort() throws IOException
    {
        final List<String> tooLong = new ArrayList<>();
        final List<Path> files;
        try (Stream<Path> walk = Files.walk(Path.of("..").toRealPath(), 20))
        {
            files = walk.filter((path) -> path.toString().endsWith(".java"))
                .filter((path) -> path.toString().contains("/src/"))
                .sorted()
                .toList();
        }

        for (final Path file : files)
        {
            final int count = codeLines(Files.readString(file));
            if (count > MAX_CODE_LINES)
            {
                tooLong.add(file.getFileName() + " has " + count + " lines of code");
            }
        }

        assertTrue(files.size() > 100, files.size() + " files were found");
        assertEquals(List.of(), tooLong);
    }

    /** With the requests, responses and records that only it writes or reads. */
    @Test
    void shouldKeepThePublisherShort() throws IOException
    {
        int count = 0;
        for (final String folder : List.of(
            "../publisher/src/main", "../protocol/src/main/java/org/odradek/protocol/produce"))
        {
            try (Stream<Path> walk = Files.walk(Path.of(folder)))
            {
                for (final Path file : walk.filter((path) -> path.toString().endsWith(".java")).toList())
                {
                    count += codeLines(Files.readString(file));
                }
            }
        }
        count += codeLines(Files.readString(
            Path.of("../protocol/src/main/java/org/odradek/protocol/record/RecordBatchEncoder.java")));

        assertTrue(count > 1_000 && count <= MAX_CODE_LINES_OF_PUBLISHER, count + " lines of code");
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
