/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Where and how figures came about; without it they mean nothing.
 */
public final class Environment
{
    private static final String UNKNOWN = "unknown";

    private Environment()
    {
    }

    /**
     * @param settings the scenario's own, in the order they are to be read.
     */
    public static Map<String, Object> describe(final Map<String, Object> settings)
    {
        final Map<String, Object> environment = new LinkedHashMap<>();
        environment.put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        environment.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version") + " " +
            System.getProperty("os.arch"));
        environment.put("cpus", Runtime.getRuntime().availableProcessors());
        environment.put("cpuModel", cpuModel(Path.of("/proc/cpuinfo")));
        environment.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        environment.put("settings", settings);
        return environment;
    }

    private static String cpuModel(final Path cpuInfo)
    {
        if (!Files.isReadable(cpuInfo))
        {
            return UNKNOWN;
        }
        try (Stream<String> lines = Files.lines(cpuInfo))
        {
            return lines.filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).trim()).findFirst().orElse(UNKNOWN);
        }
        catch (final IOException ex)
        {
            return UNKNOWN;
        }
    }
}
