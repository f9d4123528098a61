// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks of the flags of a JVM, from its command line, its environment and the manifest of its jar.
 */
final class JvmFindings
{
    private static final String ACCESS = "java.base/jdk.internal.misc";
    private static final Pattern ACCESS_FLAG = Pattern.compile(
        "--add-(exports|opens)[= ]" + Pattern.quote(ACCESS) + "=(\\S*,)?(ALL-UNNAMED|org\\.agrona)\\b");
    private static final List<String> ACCESS_ATTRIBUTES = List.of("Add-Exports", "Add-Opens");
    private static final String NATIVE_ACCESS = "--enable-native-access";
    private static final String DIRECT_MEMORY = "-XX:MaxDirectMemorySize=";

    private final SystemFiles files;
    private final String process;
    private final List<String> flags;
    private final Attributes manifest;
    private final String environment;
    private final String memory;

    JvmFindings(final SystemFiles files, final String process)
    {
        this.files = files;
        this.process = process;
        memory = files.after("proc/meminfo", "MemTotal:");
        environment = files.text(process + "environ");
        // In the order in which the JVM applies them: the last value of a flag counts.
        flags = new ArrayList<>(flagsOf(environment, "JAVA_TOOL_OPTIONS="));
        flags.addAll(withArgumentFiles(flagsOf(environment, "JDK_JAVA_OPTIONS=")));
        flags.addAll(withArgumentFiles(List.of(files.text(process + "cmdline").split("\0"))));
        flags.addAll(flagsOf(environment, "_JAVA_OPTIONS="));
        final int jar = flags.indexOf("-jar") + 1;
        manifest = jar > 0 && jar < flags.size() ? files.manifest(path(flags.get(jar))) : new Attributes();
    }

    /** The path of a file that the process names, as the process sees it. */
    private String path(final String name)
    {
        return process + (name.startsWith("/") ? "root" : "cwd/") + name;
    }

    /** Replaces each {@code @file} by what is in the file. */
    private List<String> withArgumentFiles(final List<String> arguments)
    {
        return arguments.stream().flatMap((argument) -> !argument.startsWith("@") ? Stream.of(argument) :
            Arrays.stream(files.regularText(path(argument.substring(1))).replaceAll("#.*|[\"']", "").split("\\s+")))
            .toList();
    }

    private static List<String> flagsOf(final String environment, final String variable)
    {
        return Arrays.stream(environment.split("\0")).filter((entry) -> entry.startsWith(variable))
            .flatMap((entry) -> Arrays.stream(entry.substring(variable.length()).strip().split("\\s+"))).toList();
    }

    List<Finding> all()
    {
        return List.of(access(), nativeAccess(), heap(), directMemory(), preTouch());
    }

    private Finding access()
    {
        final String name = "add-exports";
        final String why = "Agrona accesses memory through it; no consumer starts without it";
        if (ACCESS_FLAG.matcher(String.join(" ", flags)).find())
        {
            return Finding.good(name, ACCESS, why);
        }
        if (ACCESS_ATTRIBUTES.stream().anyMatch((attribute) -> manifestHas(attribute, ACCESS)))
        {
            return Finding.good(name, ACCESS + ", by the manifest", why);
        }
        // Flags may be in the environment, which only the user of the process may read.
        return environment.isEmpty() ? Finding.unknown(name, why) :
            Finding.poor(name, "not given", "--add-exports " + ACCESS + "=ALL-UNNAMED, or Add-Exports: " + ACCESS +
                " in the manifest of the jar that java -jar runs", why);
    }

    private boolean manifestHas(final String attribute, final String value)
    {
        final String values = manifest.getValue(attribute);
        return values != null && List.of(values.strip().split("\\s+")).contains(value);
    }

    private Finding nativeAccess()
    {
        final boolean isFlag = flags.stream().anyMatch((flag) -> flag.startsWith(NATIVE_ACCESS));
        final boolean isGiven = isFlag || manifestHas("Enable-Native-Access", "ALL-UNNAMED");
        return Finding.goodIf(isGiven, "native access",
            isFlag ? "enabled" : isGiven ? "enabled, by the manifest" : "not given",
            NATIVE_ACCESS + "=ALL-UNNAMED on JDK 22 and later; 17 does not need the flag",
            "JDK 24 and later warn about native libraries (codecs, epoll, pinning); later ones will refuse them");
    }

    private Finding heap()
    {
        final String least = lastOf("-Xms", "-XX:InitialHeapSize=", "-XX:InitialRAMPercentage=");
        final String most = lastOf("-Xmx", "-XX:MaxHeapSize=", "-XX:MaxRAMPercentage=");
        return Finding.goodIf(!most.isEmpty() && size(most).equals(size(least)), "heap",
            most.isEmpty() ? "not set: a quarter of " + memory : most + (least.isEmpty() ? "" : " " + least),
            "-Xms and -Xmx of the same size; a small one suffices, because polling creates no garbage",
            "all threads stop while the heap grows or shrinks");
    }

    /** Returns the last flag that sets a size; a percentage counts only if there is none. */
    private String lastOf(final String shortPrefix, final String longPrefix, final String percentagePrefix)
    {
        return flags.stream().filter((flag) -> flag.startsWith(shortPrefix) || flag.startsWith(longPrefix))
            .reduce((first, second) -> second)
            .or(() -> flags.stream().filter((flag) -> flag.startsWith(percentagePrefix))
                .reduce((first, second) -> second)).orElse("");
    }

    private static String size(final String flag)
    {
        return flag.replaceFirst("^-X(m[sx]|X:(Initial|Max)(HeapSize=|RAM(?=Percentage)))", "")
            .toLowerCase(Locale.ROOT);
    }

    private Finding directMemory()
    {
        final String limit = last(DIRECT_MEMORY);
        return Finding.goodIf(!limit.isEmpty(), "direct memory", limit.isEmpty() ? "as much as the heap" : limit,
            DIRECT_MEMORY + "N, at least the budgets of all consumers (ConsumerContext.memoryBudget)",
            "receive buffers are there, and a consumer whose budget does not fit does not start");
    }

    private Finding preTouch()
    {
        final boolean isOn = flags.contains("-XX:+AlwaysPreTouch");
        return Finding.goodIf(isOn, "pre-touched heap", isOn ? "yes" : "no", "-XX:+AlwaysPreTouch",
            "the first write to a page of memory enters the kernel");
    }

    private String last(final String prefix)
    {
        return flags.stream().filter((flag) -> flag.startsWith(prefix)).reduce((first, second) -> second)
            .map((flag) -> flag.substring(prefix.length())).orElse("");
    }
}
