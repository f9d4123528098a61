// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class NumbersCommandTest
{
    private static final String CATCHUP = """
        {"rows": [{"case": "23 B", "client": "ours", "metric": "recordsPerSecond", "unit": "records/s",
         "median": 48.5, "min": 47.0, "max": 50.25, "runs": 5}],
         "environment": {"jvm": "VM 17", "os": "Linux amd64", "cpus": 2, "date": "2026-11-21"}}""";

    @TempDir
    private Path home;
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private final CommandLine commandLine = VerificationCommand.commandLine();

    @BeforeEach
    void setUp() throws IOException
    {
        commandLine.setOut(new PrintWriter(output, true)).setErr(new PrintWriter(errors, true));
        Files.writeString(home.resolve("README.md"), "<!-- numbers:catchup -->\n<!-- /numbers -->\n");
        Files.createDirectories(home.resolve("docs/results"));
        Files.writeString(home.resolve("docs/results/jmh.md"), "<!-- numbers:jmh -->\n<!-- /numbers -->\n");
        Files.writeString(home.resolve("docs/results/migration.md"), "<!-- numbers:migration -->\n<!-- /numbers -->\n");
        Files.writeString(home.resolve("docs/results/budget.md"), "<!-- numbers:budget -->\n<!-- /numbers -->\n");
        Files.writeString(home.resolve("docs/results/migration.json"), CATCHUP);
        Files.writeString(home.resolve("docs/results/budget.json"),
            CATCHUP.replace("recordsPerSecond", "processCpuPercent"));
        Files.writeString(home.resolve("docs/results/jmh.json"), CATCHUP);
        Files.writeString(home.resolve("docs/results/catchup.json"), CATCHUP);
    }

    @Test
    void shouldFindThatThePagesOfThisRepositoryShowItsResults()
    {
        assertEquals(0, commandLine.execute("numbers", "--check", "--home", Path.of("..").toAbsolutePath().toString()),
            errors::toString);
    }

    @Test
    void shouldRefuseAnArgument()
    {
        assertEquals(2, commandLine.execute("numbers", "x"));
        assertEquals(2, errors.toString().lines().count(), errors.toString());
        assertTrue(errors.toString().startsWith("odradek numbers: "), errors.toString());
    }

    @Test
    void shouldFailTheCheckUntilTheNumbersAreWritten()
    {
        assertEquals(1, commandLine.execute("numbers", "--check", "--home", home.toString()));
        final String sentence =
            " does not show the results in docs/results: run ./odradek numbers and commit its changes.";
        assertEquals(List.of("README.md" + sentence, "docs/results/budget.md" + sentence,
            "docs/results/jmh.md" + sentence, "docs/results/migration.md" + sentence),
            errors.toString().lines().toList());

        assertEquals(0, commandLine.execute("numbers", "--home", home.toString()));
        assertEquals(0, commandLine.execute("numbers", "--check", "--home", home.toString()));
    }

    @Test
    void shouldFailWithoutTheAgesOfResultsOnlyForARelease()
    {
        assertEquals(0, commandLine.execute("numbers", "--home", home.toString()));
        assertEquals("", output.toString());

        assertEquals(0, commandLine.execute("numbers", "--check", "--home", home.toString()));
        assertEquals("The ages of the results are not checked, because git knows no commit here.",
            output.toString().strip());
        assertEquals("", errors.toString());

        assertEquals(1, commandLine.execute("numbers", "--release", "--home", home.toString()));
        assertEquals("A release needs results since which at most 100 commits have changed hot code.",
            errors.toString().strip());
    }

    @Test
    void shouldFailTheCheckIfOnlyTheLaterPageDiffers() throws IOException
    {
        assertEquals(0, commandLine.execute("numbers", "--home", home.toString()));
        Files.writeString(home.resolve("docs/results/jmh.json"), CATCHUP.replace("23 B", "24 B"));

        assertEquals(1, commandLine.execute("numbers", "--check", "--home", home.toString()));
        assertTrue(errors.toString().startsWith("docs/results/jmh.md does not show"), errors.toString());
    }

    @Test
    void shouldLeaveTheChartOfASoakAsItIs() throws IOException
    {
        final Path chart = Files.writeString(home.resolve("docs/results/soak.svg"), "<svg/>");

        assertEquals(0, commandLine.execute("numbers", "--home", home.toString()), errors::toString);
        assertEquals("<svg/>", Files.readString(chart));
    }

    @Test
    void shouldFailInOneSentenceWhenAResultIsMissing() throws IOException
    {
        assertEquals(0, commandLine.execute("numbers", "--home", home.toString()));
        Files.delete(home.resolve("docs/results/catchup.json"));

        assertEquals(1, commandLine.execute("numbers", "--check", "--home", home.toString()));
        assertEquals(1, errors.toString().strip().lines().count());
        assertTrue(errors.toString().contains("docs/results/catchup.json does not exist"), errors.toString());
    }
}
