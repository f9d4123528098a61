// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
    private static final Pattern ARTIFACT =
        Pattern.compile("<artifactId>([\\w-]+)</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern RELEASE = Pattern.compile("(?m)^## (\\d\\S*), \\d");
    private static final Pattern CLASS_NAME = Pattern.compile("(?m)^(?:public )?(?:final )?class (\\w+)");

    @Test
    void shouldShowProgramsAsTheyAreCompiled() throws IOException
    {
        final List<Path> pages = new ArrayList<>(
            List.of(ROOT.resolve("README.md"), ROOT.resolve("examples/README.md")));
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs")))
        {
            files.filter((file) -> file.toString().endsWith(".md")).forEach(pages::add);
        }
        int programs = 0;
        for (final Path page : pages)
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

    @Test
    void shouldShowTheFilesOfTheQuickStart() throws IOException
    {
        final String readme = Files.readString(ROOT.resolve("README.md"));
        final String pom = Files.readString(ROOT.resolve("docs/quickstart/pom.xml"));
        final String program = Files.readString(ROOT.resolve("docs/quickstart/src/main/java/FirstRecords.java"));
        final String flag = Files.readString(ROOT.resolve("docs/quickstart/.mvn/jvm.config")).strip();

        assertTrue(readme.contains("`" + flag + "`"), "README names another flag of the JVM");
        assertTrue(readme.contains("```xml\n" + pom + "```\n"), "README shows another pom");
        assertTrue(readme.contains("```java\n" + program + "```\n"), "README shows another program");
        assertEquals(versions(ROOT.resolve("pom.xml")).get("maven-compiler-plugin"),
            versions(ROOT.resolve("docs/quickstart/pom.xml")).get("maven-compiler-plugin"));
    }

    /** The last release, or the version of the poms before the first release. */
    @Test
    void shouldNameAVersionThatUsersCanHave() throws IOException
    {
        final String version = RELEASE.matcher(Files.readString(ROOT.resolve("CHANGELOG.md"))).results()
            .map((match) -> match.group(1)).findFirst()
            .orElse(versions(ROOT.resolve("bom/pom.xml")).get("odradek-bom"));

        assertEquals(version, versions(ROOT.resolve("docs/quickstart/pom.xml")).get("odradek-consumer"));
        assertEquals(version, versions(ROOT.resolve("docs/guide.md")).get("odradek-bom"));
    }

    /** Returns the version of each artifact that a pom or a page gives one. */
    private static Map<String, String> versions(final Path file) throws IOException
    {
        return ARTIFACT.matcher(Files.readString(file)).results()
            .collect(Collectors.toMap((match) -> match.group(1), (match) -> match.group(2), (first, second) -> first));
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
