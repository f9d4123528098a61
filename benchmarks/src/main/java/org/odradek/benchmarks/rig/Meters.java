// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.ThreadUsage;

/**
 * What a polling thread and its process use between two moments, read by that thread. Its own meters are read last at
 * the first moment and first at the second, because reading the others costs time and bytes.
 */
final class Meters
{
    private long fetches;
    private long gcCount;
    private long compilerMs;
    private long otherBytes;
    private long processCpuNs;
    private long threadCpuNs;
    private long allocatedBytes;
    private long startNs;

    void begin(final Client client)
    {
        fetches = client.fetches();
        gcCount = ThreadUsage.gcCount();
        compilerMs = RigMain.compilerMs();
        otherBytes = otherBytes();
        processCpuNs = Kernel.ownCpuNs();
        threadCpuNs = ThreadUsage.cpuNs();
        allocatedBytes = ThreadUsage.allocatedBytes();
        startNs = System.nanoTime();
    }

    /** Stores in the usage what was used since {@link #begin}. */
    void end(final Client client, final Usage usage)
    {
        usage.wallNs = System.nanoTime() - startNs;
        usage.allocatedBytes = ThreadUsage.allocatedBytes() - allocatedBytes;
        usage.threadCpuNs = ThreadUsage.cpuNs() - threadCpuNs;
        usage.processCpuNs = Kernel.ownCpuNs() - processCpuNs;
        usage.processAllocatedBytes = otherBytes() - otherBytes + usage.allocatedBytes;
        usage.compilerMs = RigMain.compilerMs() - compilerMs;
        usage.gcCount = ThreadUsage.gcCount() - gcCount;
        usage.fetches = client.fetches() - fetches;
    }

    private static long otherBytes()
    {
        return ThreadUsage.jvmAllocatedBytes() - ThreadUsage.allocatedBytes();
    }
}
