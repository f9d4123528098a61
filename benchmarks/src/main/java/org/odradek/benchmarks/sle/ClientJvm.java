// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.odradek.testkit.JavaProcessBuilder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The JVM of the clients. Brokers and producers run on this one, whatever it is.
 *
 * @param home      of a JDK 17 or later.
 * @param collector of its garbage.
 */
record ClientJvm(Path home, Collector collector)
{
    Path java()
    {
        return home.resolve("bin").resolve("java");
    }

    /**
     * @return the version that the JDK says it has.
     */
    String version()
    {
        try
        {
            return JavaProcessBuilder.versionOf(java()).map(Runtime.Version::toString)
                .orElse("unknown: no file release in its folder");
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    List<String> flags()
    {
        final List<String> flags = new ArrayList<>(List.of("-Xms256m", "-Xmx256m"));
        flags.addAll(collector.flags());
        return flags;
    }
}
