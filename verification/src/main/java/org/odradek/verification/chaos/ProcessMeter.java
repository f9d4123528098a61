// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import com.sun.management.UnixOperatingSystemMXBean;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;

/**
 * Measures what this process holds, and the CPU time that it spends on records.
 */
final class ProcessMeter
{
    private static final double MIB = 1024 * 1024;
    private static final double NS_PER_US = 1_000;

    private final UnixOperatingSystemMXBean system =
        (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final List<MemoryPoolMXBean> heap = ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter((pool) -> pool.getType() == MemoryType.HEAP).toList();
    private final BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter((pool) -> pool.getName().equals("direct")).findFirst().orElseThrow();
    private long cpuNs = system.getProcessCpuTime();
    private long records;

    /** Whether the system counts open descriptors. */
    static boolean isPossible()
    {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean;
    }

    /**
     * Collects garbage, and measures. The lag, which this process does not know, is 0.
     *
     * @param recordsNow that the process has handled.
     * @return a figure for each {@link SoakQuantity}.
     */
    double[] measure(final long recordsNow)
    {
        final double[] figures = new double[SoakQuantity.values().length];
        figures[SoakQuantity.CPU.ordinal()] =
            (system.getProcessCpuTime() - cpuNs) / NS_PER_US / Math.max(1, recordsNow - records);
        System.gc();
        for (final MemoryPoolMXBean pool : heap)
        {
            // What it held after the collection, without what was allocated since then.
            figures[SoakQuantity.HEAP.ordinal()] += pool.getCollectionUsage().getUsed() / MIB;
        }
        figures[SoakQuantity.DIRECT.ordinal()] = direct.getMemoryUsed() / MIB;
        figures[SoakQuantity.DESCRIPTORS.ordinal()] = system.getOpenFileDescriptorCount();
        figures[SoakQuantity.THREADS.ordinal()] = ManagementFactory.getThreadMXBean().getThreadCount();
        records = recordsNow;
        // The collection is no work on records.
        cpuNs = system.getProcessCpuTime();
        return figures;
    }
}
