// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Checks of the flags of a JVM, from its command line and its environment.
 */
final class JvmFindings
{
    private static final String ADD_OPENS = "java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final String NATIVE_ACCESS = "--enable-native-access";
    private static final String DIRECT_MEMORY = "-XX:MaxDirectMemorySize=";

    private final List<String> flags;
    private final String environment;
    private final String memory;

    JvmFindings(final SystemFiles files, final String process)
    {
        memory = files.after("proc/meminfo", "MemTotal:");
        environment = files.text(process + "environ");
        // In the order in which the JVM applies them: the last value of a flag counts.
        flags = new ArrayList<>(flagsOf(environment, "JAVA_TOOL_OPTIONS="));
        flags.addAll(flagsOf(environment, "JDK_JAVA_OPTIONS="));
        flags.addAll(List.of(files.text(process + "cmdline").split("\0")));
        flags.addAll(flagsOf(environment, "_JAVA_OPTIONS="));
    }

    private static List<String> flagsOf(final String environment, final String variable)
    {
        return Arrays.stream(environment.split("\0")).filter((entry) -> entry.startsWith(variable))
            .flatMap((entry) -> Arrays.stream(entry.substring(variable.length()).strip().split("\\s+"))).toList();
    }

    List<Finding> all()
    {
        return List.of(opens(), nativeAccess(), heap(), directMemory(), preTouch());
    }

    private Finding opens()
    {
        final String why = "Agrona accesses memory through it; no consumer starts without it";
        if (flags.contains("--add-opens=" + ADD_OPENS) || flags.contains(ADD_OPENS))
        {
            return Finding.good("add-opens", ADD_OPENS, why);
        }
        // Flags may be in the environment, which only the user of the process may read.
        return environment.isEmpty() ? Finding.unknown("add-opens", why) :
            Finding.poor("add-opens", "not given", "--add-opens " + ADD_OPENS, why);
    }

    private Finding nativeAccess()
    {
        final boolean isGiven = flags.stream().anyMatch((flag) -> flag.startsWith(NATIVE_ACCESS));
        return Finding.goodIf(isGiven, "native access", isGiven ? "enabled" : "not given",
            NATIVE_ACCESS + "=ALL-UNNAMED on JDK 22 and later; 17 does not know the flag",
            "JDK 24 and later warn about native libraries (codecs, epoll, pinning); later ones will refuse them");
    }

    private Finding heap()
    {
        final String least = last("-Xms");
        final String most = last("-Xmx");
        return Finding.goodIf(!most.isEmpty() && most.equals(least), "heap",
            most.isEmpty() ? "not set: a quarter of " + memory : "-Xmx" + most +
                (least.isEmpty() ? "" : " -Xms" + least),
            "-Xms and -Xmx of the same size; a small one suffices, because polling creates no garbage",
            "all threads stop while the heap grows or shrinks");
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
