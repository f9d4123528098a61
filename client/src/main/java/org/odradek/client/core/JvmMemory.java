// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import com.sun.management.HotSpotDiagnosticMXBean;
import org.agrona.UnsafeApi;
import org.odradek.client.ClientException;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * Checks what the JVM must provide before a client can run: access to memory for Agrona, and enough direct memory.
 */
public final class JvmMemory
{
    private JvmMemory()
    {
    }

    /** @throws IllegalStateException if Agrona has no access to memory; the message says which JVM flag is missing. */
    public static void checkAccess()
    {
        try
        {
            UnsafeApi.fullFence();
        }
        catch (final LinkageError ex)
        {
            throw new IllegalStateException("Odradek reads memory through Agrona, which needs the JVM flag " +
                "--add-exports java.base/jdk.internal.misc=" + place(), ex);
        }
    }

    private static String place()
    {
        final Module module = UnsafeApi.class.getModule();
        return module.isNamed() ? module.getName() + ": add it to the java command." :
            "ALL-UNNAMED: add it to the java command, or the line \"Add-Exports: java.base/jdk.internal.misc\" to " +
            "the manifest of the jar that java -jar runs, or the flag to .mvn/jvm.config for mvn exec:java.";
    }

    /**
     * @param settings names of the settings that make the budget smaller, as the end of a sentence.
     * @throws IllegalStateException if the JVM has less direct memory left than the budget.
     */
    public static long check(final long budgetBytes, final String settings)
    {
        final long limit = directLimit();
        final long used = directUsed();
        if (used + budgetBytes > limit)
        {
            throw new IllegalStateException("The memory budget of " + budgetBytes + " bytes does not fit into the " +
                "JVM's limit of " + limit + " bytes of direct memory, of which " + used + " are in use: raise " +
                "-XX:MaxDirectMemorySize (it equals -Xmx unless set), or lower " + settings + ".");
        }
        return budgetBytes;
    }

    public static long directLeft()
    {
        return directLimit() - directUsed();
    }

    public static ClientException shortage(final long bytes)
    {
        return new ClientException("No direct memory is left for a buffer of " + bytes + " bytes: the JVM's limit " +
            "is " + directLimit() + " bytes. The partitions that need the buffer wait until there is memory: " +
            "raise -XX:MaxDirectMemorySize (it equals -Xmx unless set), and set expectedLeaders, by which the memory " +
            "is checked at the start.");
    }

    private static long directLimit()
    {
        final HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        final long set = jvm == null ? 0 : Long.parseLong(jvm.getVMOption("MaxDirectMemorySize").getValue());
        return set > 0 ? set : Runtime.getRuntime().maxMemory();
    }

    private static long directUsed()
    {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter((pool) -> "direct".equals(pool.getName())).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }
}
