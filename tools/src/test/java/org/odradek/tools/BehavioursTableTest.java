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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks docs/behaviours.md against the sources: every test that it and docs/security.md name must exist and run in
 * {@code mvn verify}, unless "(slow)" follows its name; each behaviour that is held must have a test that does; every
 * number must have one row, and the counts at its top must be those of its rows.
 */
class BehavioursTableTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
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
    private static final Pattern ROW = Pattern.compile(
        "^\\| (\\d+)(?:–(\\d+))? \\| .* \\| (held|\\*\\*\\S.*?\\*\\*) \\|");
    private static final Pattern HEAD = Pattern.compile(
        "The (\\d+) rows: (\\d+) held, (\\d+) other, (\\d+) not yet\\.");

    private static final Map<String, String> TEST_SOURCES = new HashMap<>();
    private static final Set<String> EXCLUDED = new HashSet<>();
    private static String table;

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

    private static List<NamedTest> namedTests(final String text)
    {
        return NAMED_TEST.matcher(text).results().map((found) ->
            new NamedTest(found.group(1), found.group(2), found.group(3) != null)).toList();
    }

    @BeforeAll
    static void read() throws IOException
    {
        table = Files.readString(ROOT.resolve("docs").resolve("behaviours.md"));
        for (final String module : List.of(
            "protocol", "testkit", "harness", "affinity", "client", "consumer", "publisher", "oauth", "micrometer",
            "flink", "simple-consumer", "replay", "workers", "simulation", "tools", "verification", "benchmarks",
            "examples"))
        {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src").resolve("test")))
            {
                for (final Path file : (Iterable<Path>)files.filter((f) -> f.toString().endsWith(".java"))::iterator)
                {
                    TEST_SOURCES.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
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
    @ValueSource(strings = {"behaviours.md", "security.md"})
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

    @Test
    void shouldNameATestInVerifyForEachBehaviourThatIsHeld()
    {
        final List<String> missing = new ArrayList<>();
        for (final String line : table.split("\n"))
        {
            final Matcher row = ROW.matcher(line);
            if (row.find() && row.group(3).equals("held") &&
                namedTests(line).stream().allMatch(NamedTest::isMarkedSlow))
            {
                missing.add(row.group(1));
            }
        }
        assertEquals(List.of(), missing, "behaviours that only a slow test holds");
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

    @Test
    void shouldAnswerEachNumberOnceAndHaveRightCounts()
    {
        final Map<Integer, String> answers = new TreeMap<>();
        for (final String line : table.split("\n"))
        {
            final Matcher row = ROW.matcher(line);
            if (row.find())
            {
                final int last = Integer.parseInt(row.group(2) == null ? row.group(1) : row.group(2));
                for (int number = Integer.parseInt(row.group(1)); number <= last; number++)
                {
                    assertEquals(null, answers.put(number, row.group(3).replace("*", "")), "number " + number);
                }
            }
        }
        final Matcher head = HEAD.matcher(table.replace('\n', ' '));
        assertTrue(head.find(), "no counts at the head");
        assertEquals(Integer.parseInt(head.group(1)), answers.size());
        for (int number = 1; number <= answers.size(); number++)
        {
            assertTrue(answers.containsKey(number), "number " + number + " is not answered");
        }
        assertEquals(
            List.of(head.group(2), head.group(3), head.group(4)),
            List.of(count(answers, "held"), count(answers, "other"), count(answers, "not yet")));
    }

    private static Set<String> names(final Pattern pattern, final String pom)
    {
        return pattern.matcher(pom).results().map((found) -> found.group(1))
            .collect(Collectors.toCollection(HashSet::new));
    }

    private static String count(final Map<Integer, String> answers, final String answer)
    {
        return String.valueOf(answers.values().stream().filter(answer::equals).count());
    }
}
