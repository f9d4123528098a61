// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Each whole program on a page must be a program of the module examples, which the build compiles and runs.
 */
class PageProgramsTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern PROGRAM =
        Pattern.compile("```java\n(package org\\.odradek\\.examples;\n.*?)```", Pattern.DOTALL);
    private static final Pattern CLASS_NAME = Pattern.compile("(?m)^(?:public )?(?:final )?class (\\w+)");

    @Test
    void shouldShowProgramsAsTheyAreCompiled() throws IOException
    {
        final List<Path> pages;
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs")))
        {
            pages = files.filter((file) -> file.toString().endsWith(".md")).toList();
        }
        int programs = 0;
        for (final Path page : Stream.concat(pages.stream(), Stream.of(ROOT.resolve("README.md"))).toList())
        {
            for (final String program :
                PROGRAM.matcher(Files.readString(page)).results().map((result) -> result.group(1)).toList())
            {
                assertEquals(source(program), "// SPDX-License-Identifier: Apache-2.0\n" + program, page.toString());
                programs++;
            }
        }
        assertTrue(programs > 0, "no page shows a program");
    }

    private static String source(final String program) throws IOException
    {
        final String name = CLASS_NAME.matcher(program).results().findFirst().orElseThrow().group(1) + ".java";
        try (Stream<Path> files = Files.walk(ROOT.resolve("examples/src")))
        {
            return Files.readString(files.filter((file) -> file.endsWith(name)).findFirst().orElseThrow());
        }
    }
}
