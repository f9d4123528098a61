// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The runs with the defects are made by {@code ./odradek simulate --defects}. */
@Timeout(60)
class PlantedDefectTest
{
    private static final Path HOME = Path.of("..");
    private static final String MODEL = "testkit/src/main/java/org/odradek/testkit/model/";

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
            find, "pom.xml", "", "", LoadProfile.DRAWN, "", List.of(new PlantedDefect.Edit("pom.xml", find, "")));
    }
}
