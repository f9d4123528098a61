// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Generates the tables of docs/behaviours.md from comments above the tests, and checks that the page is current. A row
 * has one comment with its text, and a reference above each further test:
 * <pre>
 *  // Behaviour K130, tried 2026-11-29: Reset policies apply to a missing offset and to an offset out of range.
 *  // Behaviour K130.
 * </pre>
 * The letter is that of the section. The date is the last day on which the code was changed as the row forbids, and one
 * of the tests failed. The test writes the page to {@code target} if it is not current. It also checks that each test
 * that the page or docs/security.md names runs in {@code mvn verify}, unless "(slow)" follows its name.
 */
class BehavioursTableTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs").resolve("behaviours.md");
    /** The names that surefire and failsafe include. */
    private static final Pattern NAMED_TEST =
        Pattern.compile("`([A-Z]\\w*(?:Test|IT))(?:\\.(\\w+))?`( \\(slow\\))?");
    private static final Pattern TEST = Pattern.compile("@(Test|ParameterizedTest|RepeatedTest|TestFactory)\\b");
    private static final Pattern SLOW = Pattern.compile("@Tag\\(\"slow\"\\)");
    /** Tests that need an operating system count as those that run. */
    private static final Pattern OFF =
        Pattern.compile("@(Disabled|Enabled)(?!OnOs\\(OS\\.LINUX\\)|OnOs\\(OS\\.WINDOWS\\))");
    private static final Pattern INCLUDE = Pattern.compile("<include>\\*\\*/(\\w+)\\.java</include>");
    private static final Pattern EXCLUDE = Pattern.compile("<exclude>\\*\\*/(\\w+)\\.java</exclude>");
    private static final Pattern NESTED = Pattern.compile("@Nested\\s+class \\w+ extends (\\w+)");
    private static final Pattern METHOD = Pattern.compile("^    (?:static )?void (\\w+)\\(", Pattern.MULTILINE);
    private static final Pattern COMMENT = Pattern.compile("(?m)^    // Behaviour (?:.*\\R    // (?!Behaviour ))*.*$");
    private static final Pattern TEXT = Pattern.compile(
        "Behaviour ([A-Z]\\d+)(?:, tried (\\d{4}-\\d\\d-\\d\\d))?: (.*)\\.");
    private static final Pattern REFERENCES = Pattern.compile("Behaviour ([A-Z]\\d+(?:, [A-Z]\\d+)*)\\.");

    private static final Map<String, String> TEST_SOURCES = new HashMap<>();
    private static final Set<String> EXCLUDED = new HashSet<>();
    private static final Map<Character, Map<Integer, Row>> ROWS = new TreeMap<>();

    /** A test as it is named in a page. */
    private record NamedTest(String type, String method, boolean isMarkedSlow)
    {
        /** @return what is wrong with it; null for nothing. */
        String flaw()
        {
            final String source = TEST_SOURCES.get(type);
            if (source == null)
            {
                return "is not in the sources";
            }
            if (EXCLUDED.contains(type))
            {
                return "is excluded by the pom";
            }
            final String head = annotations(source, "class " + type);
            final String body = method == null ? source : annotations(source, " void " + method + "(");
            if (!TEST.matcher(body).find())
            {
                return "is no test";
            }
            if (OFF.matcher(head).find() || method != null && OFF.matcher(body).find())
            {
                return "is disabled";
            }
            final boolean isSlow = SLOW.matcher(head).find() || method != null && SLOW.matcher(body).find();
            return isSlow == isMarkedSlow ? null : isSlow ? "is slow" : "is not slow";
        }

        /** Returns the text from the last blank line before a declaration on; empty if there is no declaration. */
        private static String annotations(final String source, final String declaration)
        {
            final int index = source.indexOf(declaration);
            return index < 0 ? "" : source.substring(source.lastIndexOf("\n\n", index) + 1, index);
        }
    }

    /** A row of a table. Its tests are sorted by their names. */
    private static final class Row
    {
        private String tried;
        private String text;
        private final Set<String> tests = new TreeSet<>();

        @Override
        public String toString()
        {
            return text + " | " + tried + " | " + String.join(", ", tests) + " |";
        }
    }

    private static List<NamedTest> namedTests(final String text)
    {
        return NAMED_TEST.matcher(text).results().map((found) ->
            new NamedTest(found.group(1), found.group(2), found.group(3) != null)).toList();
    }

    @BeforeAll
    static void read() throws IOException
    {
        for (final String module : List.of(
            "protocol", "testkit", "harness", "affinity", "client", "consumer", "publisher", "oauth", "micrometer",
            "flink", "simple-consumer", "replay", "workers", "simulation", "tools", "verification", "benchmarks",
            "examples"))
        {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src").resolve("test")))
            {
                for (final Path file : (Iterable<Path>)files.filter((f) -> f.toString().endsWith(".java"))::iterator)
                {
                    final String name = file.getFileName().toString().replace(".java", "");
                    final String source = Files.readString(file);
                    TEST_SOURCES.put(name, source);
                    readComments(name, source);
                }
            }
            // What one execution excludes, another one includes, or another class runs.
            final String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
            final Set<String> excluded = names(EXCLUDE, pom);
            excluded.removeAll(names(INCLUDE, pom));
            EXCLUDED.addAll(excluded);
        }
        for (final String source : TEST_SOURCES.values())
        {
            EXCLUDED.removeAll(names(NESTED, source));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"behaviours.md", "security.md", "promise.md"})
    void shouldNameTestsThatRun(final String page) throws IOException
    {
        final List<String> wrong = new ArrayList<>();
        final List<NamedTest> tests = namedTests(Files.readString(ROOT.resolve("docs").resolve(page)));
        for (final NamedTest test : tests)
        {
            final String flaw = test.flaw();
            if (flaw != null)
            {
                wrong.add(test + " " + flaw);
            }
        }
        assertEquals(List.of(), wrong);
        assertFalse(tests.isEmpty(), "no test named");
    }

    /** Adds the rows and references above the tests of a class to the rows, which are sorted by section and number. */
    private static void readComments(final String type, final String source)
    {
        final Matcher method = METHOD.matcher(source);
        long comments = 0;
        while (method.find())
        {
            final NamedTest test = new NamedTest(type, method.group(1), false);
            final Matcher comment = COMMENT.matcher(NamedTest.annotations(source, " void " + test.method + "("));
            while (comment.find())
            {
                comments++;
                final String text = comment.group().replaceAll("\\s*//\\s*", " ").strip();
                final Matcher row = TEXT.matcher(text);
                final Matcher references = REFERENCES.matcher(text);
                if (row.matches())
                {
                    final Row added = row(row.group(1), test);
                    assertEquals(null, added.text, "two texts of a row");
                    added.tried = row.group(2) == null ? "" : row.group(2);
                    added.text = row.group(3);
                }
                else
                {
                    assertTrue(references.matches(), text);
                    Stream.of(references.group(1).split(", ")).forEach((id) -> row(id, test));
                }
            }
        }
        assertEquals(COMMENT.matcher(source).results().count(), comments, "comments of " + type + " above its tests");
    }

    private static Row row(final String id, final NamedTest test)
    {
        final Row row = ROWS.computeIfAbsent(id.charAt(0), (section) -> new TreeMap<>())
            .computeIfAbsent(Integer.valueOf(id.substring(1)), (number) -> new Row());
        row.tests.add("`" + test.type + "." + test.method + "`" + ("is slow".equals(test.flaw()) ? " (slow)" : ""));
        return row;
    }

    @Test
    void shouldBeCurrent() throws IOException
    {
        final StringBuilder current = new StringBuilder();
        for (final String line : Files.readAllLines(PAGE))
        {
            if (!line.startsWith("| ") || !Character.isDigit(line.charAt(2)))
            {
                current.append(line).append('\n');
            }
            if (line.startsWith("|--:"))
            {
                final char letter = current.charAt(current.lastIndexOf("\n## ") + 4);
                ROWS.get(letter).forEach((number, row) ->
                    current.append("| ").append(number).append(" | ").append(row).append('\n'));
            }
        }
        Files.writeString(Path.of("target", "behaviours.md"), current);
        assertEquals(Files.readString(PAGE), current.toString(),
            "copy tools/target/behaviours.md to docs, and check the difference");
        assertTrue(ROWS.values().stream().flatMap((rows) -> rows.values().stream())
            .allMatch((row) -> row.text != null && row.tests.stream().anyMatch((test) -> !test.endsWith("(slow)"))),
            () -> "a row without a text, or that only a slow test holds: " + ROWS);
    }

    @ParameterizedTest
    @CsvSource({"`NoSuchTest`, is not in the sources",
        "`BehavioursTableTest.noSuchMethod`, is no test",
        "`BehavioursTableTest.flaw`, is no test",
        "`FuzzIT.shouldFindNothingWithoutBoundsChecks`, is slow",
        "`LeaderMovesIT.shouldDeliverEachRecordOnceInARollingRestart`, is slow",
        "`LeaderMovesIT.shouldDeliverEachRecordOnceInARollingRestart` (slow),",
        "`LeaderMovesIT.shouldDeliverEachRecordOnceWhenLeadersMove`,",
        "`LeaderMovesIT.shouldDeliverEachRecordOnceWhenLeadersMove` (slow), is not slow",
        "`CloseStressTest`,"})
    void shouldNoticeATestThatDoesNotRun(final String text, final String flaw)
    {
        assertEquals(flaw, namedTests(text).get(0).flaw());
    }

    private static Set<String> names(final Pattern pattern, final String pom)
    {
        return pattern.matcher(pom).results().map((found) -> found.group(1))
            .collect(Collectors.toCollection(HashSet::new));
    }
}
