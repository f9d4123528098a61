// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

/**
 * What one client cost, as it stands in the demo's JSON.
 *
 * @param records           read in the measured time.
 * @param allocatedBytes    by the polling thread.
 * @param bytesPerRecord    of the polling thread.
 * @param gcCount           collections of the JVM.
 * @param cpuPercentProcess of one core.
 * @param cpuPercentThread  the polling thread's, of one core.
 * @param fetchesPerSecond  answered fetch requests.
 * @param allocatedBytesJvm by all threads but the measuring one.
 */
record ClientResult(
    long records,
    long allocatedBytes,
    double bytesPerRecord,
    long gcCount,
    double cpuPercentProcess,
    double cpuPercentThread,
    double fetchesPerSecond,
    long allocatedBytesJvm)
{
    static ClientResult between(final Reading from, final Reading to)
    {
        final double elapsedNs = to.timeNs() - from.timeNs();
        final long records = to.records() - from.records();
        final long allocated = to.allocatedBytes() - from.allocatedBytes();
        return new ClientResult(
            records,
            allocated,
            records == 0 ? 0 : (double) allocated / records,
            to.gcCount() - from.gcCount(),
            100 * (to.cpuNsProcess() - from.cpuNsProcess()) / elapsedNs,
            100 * (to.cpuNsThread() - from.cpuNsThread()) / elapsedNs,
            1e9 * (to.fetches() - from.fetches()) / elapsedNs,
            to.allocatedBytesJvm() - from.allocatedBytesJvm());
    }
}
