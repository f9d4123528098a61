// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.odradek.testkit.JavaProcessBuilder;

/**
 * A JDK 25 or newer beside the one that runs this, with what an expert turns on there.
 */
final class Jdk25
{
    /** The setting of an arm that runs on it. */
    static final String SETTING = "jdk25";
    static final String FLAGS = "-XX:+UseCompactObjectHeaders";
    private static final int LEAST_VERSION = 25;
    private static final String HOME = System.getProperty("user.home");
    private static final List<String> PLACES = List.of("/usr/lib/jvm", "/usr/java", "/opt/java", "/opt",
        HOME + "/.jdks", HOME + "/.sdkman/candidates/java");

    private Jdk25()
    {
    }

    /**
     * @return its program java: in the folder that JAVA25_HOME names, or the first one in the usual places; null if
     *     there is none.
     */
    static Path find()
    {
        try
        {
            final String given = System.getenv("JAVA25_HOME");
            final List<Path> homes = new ArrayList<>(given == null ? List.of() : List.of(Path.of(given)));
            for (final String place : PLACES)
            {
                if (Files.isDirectory(Path.of(place)))
                {
                    try (DirectoryStream<Path> folders = Files.newDirectoryStream(Path.of(place)))
                    {
                        folders.forEach(homes::add);
                    }
                }
            }
            for (final Path home : homes)
            {
                final Path java = home.resolve("bin").resolve("java");
                if (Files.isExecutable(java) && JavaProcessBuilder.versionOf(java)
                    .filter(version -> version.feature() >= LEAST_VERSION).isPresent())
                {
                    return java;
                }
            }
            return null;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
