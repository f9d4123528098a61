// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.internal.ThreadUsage;

/**
 * What a polling thread and its process use between two moments, read by that thread. Its own meters are read last at
 * the first moment and first at the second, because reading the others costs time and bytes.
 */
public final class Meters
{
    /** What the meters said at the beginning. */
    private final Usage from = new Usage();

    public void begin()
    {
        from.gcCount = ThreadUsage.gcCount();
        from.compilerMs = RigMain.compilerMs();
        from.processAllocatedBytes = otherBytes();
        from.processCpuNs = Kernel.ownCpuNs();
        from.threadCpuNs = ThreadUsage.cpuNs();
        from.allocatedBytes = ThreadUsage.allocatedBytes();
        from.wallNs = System.nanoTime();
    }

    /** Stores in the usage what was used since {@link #begin}. */
    public void end(final Usage usage)
    {
        usage.wallNs = System.nanoTime() - from.wallNs;
        usage.allocatedBytes = ThreadUsage.allocatedBytes() - from.allocatedBytes;
        usage.threadCpuNs = ThreadUsage.cpuNs() - from.threadCpuNs;
        usage.processCpuNs = Kernel.ownCpuNs() - from.processCpuNs;
        usage.processAllocatedBytes = otherBytes() - from.processAllocatedBytes + usage.allocatedBytes;
        usage.compilerMs = RigMain.compilerMs() - from.compilerMs;
        usage.gcCount = ThreadUsage.gcCount() - from.gcCount;
    }

    /** Removes what the thread that read the meters used, where other threads did the work. */
    public static void forgetThread(final Usage usage)
    {
        usage.threadCpuNs = Usage.UNKNOWN;
        usage.allocatedBytes = Usage.UNKNOWN;
    }

    private static long otherBytes()
    {
        return ThreadUsage.jvmAllocatedBytes() - ThreadUsage.allocatedBytes();
    }
}
