// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.testkit.internal.JavaProcessBuilder;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A JDK 25 or newer beside the one that runs this, with compact object headers. */
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

    /** Its program java: in the folder that JAVA25_HOME names, or the first in the usual places; null if none. */
    static Path find()
    {
        return Stream.concat(Stream.ofNullable(System.getenv("JAVA25_HOME")).map(File::new), PLACES.stream()
            .flatMap((place) -> Stream.ofNullable(new File(place).listFiles()).flatMap(Arrays::stream)))
            .map((home) -> home.toPath().resolve("bin").resolve("java"))
            .filter((java) -> Files.isExecutable(java) && isNewEnough(java)).findFirst().orElse(null);
    }

    private static boolean isNewEnough(final Path java)
    {
        try
        {
            return JavaProcessBuilder.versionOf(java).filter((it) -> it.feature() >= LEAST_VERSION).isPresent();
        }
        catch (final IOException ex)
        {
            return false;
        }
    }
}
