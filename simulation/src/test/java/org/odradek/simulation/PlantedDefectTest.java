// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Each defect applies and compiles, and the slow run repeats those that the first seed, or a trickle, found when their
 * rows were recorded. All others are run by {@code ./odradek simulate --defects}.
 */
class PlantedDefectTest
{
    private static final Path HOME = Path.of("..");
    private static final String MODEL = "harness/src/main/java/org/odradek/harness/model/";

    /** Simulated for each row of the table. */
    private static final int MINUTES = 3;
    private static final int MIN_RUNS = 10;
    /** A change of the code or of the draws moves the seed that finds a defect, until the whole table is run again. */
    private static final int MAX_SEEDS = 40;
    private static final int THREADS = 2;

    private static StandardJavaFileManager compilerFiles;

    @TempDir
    Path folder;

    @BeforeAll
    static void open()
    {
        compilerFiles = ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null);
    }

    @AfterAll
    static void close() throws IOException
    {
        compilerFiles.close();
    }

    static List<PlantedDefect> defects() throws IOException
    {
        return PlantedDefect.all(HOME);
    }

    @ParameterizedTest
    @MethodSource("defects")
    void shouldApplyAndCompile(final PlantedDefect defect) throws IOException
    {
        defect.compile(HOME, folder, compilerFiles);

        try (Stream<Path> files = Files.walk(folder))
        {
            assertTrue(files.anyMatch((file) -> file.toString().endsWith(".class")));
        }
    }

    @Test
    void shouldHaveARowForEachDefect() throws IOException
    {
        assertEquals(new TreeSet<>(defects().stream().map(PlantedDefect::name).toList()), rows().keySet());
        assertTrue(rows().values().stream().noneMatch((row) -> row.contains(DefectRuns.NOT_FOUND)), "not found");
    }

    @Tag("slow")
    @Test
    void shouldStillFindWhatTheFirstSeedOrATrickleHasFound() throws IOException
    {
        final Map<String, String> expected = rows();
        expected.values().removeIf((row) -> !row.contains(" | 1 | drawn |") && !row.contains(" | trickle |"));
        assertTrue(expected.size() >= MIN_RUNS, () -> "rows to repeat: " + expected.keySet());
        final List<PlantedDefect> defects =
            defects().stream().filter((defect) -> expected.containsKey(defect.name())).toList();

        final List<String> notFound = new DefectRuns(HOME, MINUTES, MAX_SEEDS, System.out::println)
            .rows(defects, THREADS).stream().filter((row) -> row.contains(DefectRuns.NOT_FOUND)).toList();
        assertEquals(List.of(), notFound);
    }

    private static Map<String, String> rows() throws IOException
    {
        return DefectRuns.readRows(HOME, " of " + MINUTES + " simulated minutes each");
    }

    @Test
    void shouldHoldEnoughDefectsAndLies() throws IOException
    {
        final long lies = defects().stream().filter((defect) -> defect.file().startsWith(MODEL)).count();

        assertTrue(defects().size() >= 25, "defects " + defects().size());
        assertTrue(lies >= 5, "lies of the broker model " + lies);
    }

    @Test
    void shouldRefuseADefectThatDoesNotApply()
    {
        final PlantedDefect missing = defect("no such text");
        final PlantedDefect ambiguous = defect("module");

        assertThrows(IllegalStateException.class, () -> missing.apply(HOME));
        assertThrows(IllegalStateException.class, () -> ambiguous.apply(HOME));
    }

    private static PlantedDefect defect(final String find)
    {
        return new PlantedDefect(
            find, "pom.xml", "", LoadProfile.DRAWN, "", List.of(new PlantedDefect.Edit("pom.xml", find, "")));
    }
}
