// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks docs/behaviours.md against the sources: every test that it and docs/security.md name must exist, every number
 * must have one row, and the counts at its top must be those of its rows.
 */
class BehavioursTableTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern NAMED_TEST = Pattern.compile("`([A-Z]\\w*(?:Test|IT))(?:\\.(\\w+))?`");
    private static final Pattern ROW = Pattern.compile(
        "^\\| (\\d+)(?:–(\\d+))? \\| .* \\| (held|\\*\\*\\S.*?\\*\\*) \\|");
    private static final Pattern HEAD = Pattern.compile("Of (\\d+): (\\d+) held, (\\d+) other, (\\d+) not yet\\.");

    private static final Map<String, String> TEST_SOURCES = new HashMap<>();
    private static String table;

    @BeforeAll
    static void read() throws IOException
    {
        table = Files.readString(ROOT.resolve("docs").resolve("behaviours.md"));
        for (final String module : List.of(
            "protocol", "testkit", "affinity", "consumer", "oauth", "micrometer", "flink", "simple-consumer", "replay",
            "tools", "benchmarks", "examples"))
        {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src").resolve("test")))
            {
                for (final Path file : (Iterable<Path>)files.filter((f) -> f.toString().endsWith(".java"))::iterator)
                {
                    TEST_SOURCES.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"behaviours.md", "security.md"})
    void shouldNameExistingTests(final String page) throws IOException
    {
        final List<String> missing = new ArrayList<>();
        int count = 0;
        final String text = Files.readString(ROOT.resolve("docs").resolve(page));
        for (final Matcher named = NAMED_TEST.matcher(text); named.find(); count++)
        {
            final String source = TEST_SOURCES.get(named.group(1));
            if (source == null || named.group(2) != null && !source.contains(" " + named.group(2) + "("))
            {
                missing.add(named.group());
            }
        }
        assertTrue(missing.isEmpty(), () -> "not in the sources: " + missing);
        assertFalse(count == 0, "no test named");
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

    private static String count(final Map<Integer, String> answers, final String answer)
    {
        return String.valueOf(answers.values().stream().filter(answer::equals).count());
    }
}
