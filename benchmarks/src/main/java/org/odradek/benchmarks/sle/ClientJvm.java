/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.sle;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

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
     * @return what the JDK says of itself in its file {@code release}.
     */
    String version()
    {
        final Properties release = new Properties();
        try (Reader reader = Files.newBufferedReader(home.resolve("release")))
        {
            release.load(reader);
        }
        catch (final IOException ex)
        {
            return "unknown: no file release in its folder";
        }
        return release.getProperty("JAVA_VERSION", "unknown").replace("\"", "");
    }

    List<String> flags()
    {
        final List<String> flags = new ArrayList<>(List.of("-Xms256m", "-Xmx256m"));
        flags.addAll(collector.flags());
        return flags;
    }
}
