// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.odradek.protocol.ApiKey;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks the structure that ARCHITECTURE.md describes: short chains of files, no cycles between files, and no file that
 * is too long.
 */
class SourceStructureTest
{
    private static final int MAX_CHAIN_IN_CONSUMER = 11;
    private static final int MAX_CHAIN_IN_FETCH = 6;
    /** These packages are layers below all others, as the protocol is; the first is checked on its own. */
    private static final String SECURITY = "org.odradek.consumer.security";
    private static final String FILES = "org.odradek.consumer.files";
    private static final int MAX_CHAIN_IN_SECURITY = 5;
    private static final int MAX_CODE_LINES = 300;

    @Test
    void shouldHaveShortChainsOfFilesInConsumerWithoutCycles() throws URISyntaxException
    {
        assertShape(graph(TopicConsumer.class, "org.odradek.consumer").without(SECURITY).without(FILES), 50,
            MAX_CHAIN_IN_CONSUMER);
    }

    @Test
    void shouldHaveShortChainsOfFilesInSecurity() throws URISyntaxException
    {
        assertShape(graph(TopicConsumer.class, SECURITY), 5, MAX_CHAIN_IN_SECURITY);
    }

    @Test
    void shouldHaveShortChainsOfFilesInFetch() throws URISyntaxException
    {
        assertShape(graph(TopicConsumer.class, "org.odradek.consumer.fetch"), 10, MAX_CHAIN_IN_FETCH);
    }

    @Test
    void shouldHaveNoCyclesOfFilesInProtocol() throws URISyntaxException
    {
        assertEquals(List.of(), graph(ApiKey.class, "org.odradek.protocol").cycles());
    }

    private static FileGraph graph(final Class<?> anyClass, final String packageName) throws URISyntaxException
    {
        final Path classes = Path.of(anyClass.getProtectionDomain().getCodeSource().getLocation().toURI());
        return new FileGraph(classes, packageName);
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
