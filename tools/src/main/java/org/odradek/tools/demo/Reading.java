// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

/**
 * The state of every meter at one moment; what something cost is the difference of two.
 *
 * @param timeNs            of the reading.
 * @param records           delivered so far.
 * @param allocatedBytes    by the polling thread, since it began.
 * @param cpuNsThread       of the polling thread.
 * @param fetches           answered.
 * @param cpuNsProcess      of all threads, the JIT's and the collector's among them.
 * @param gcCount           of all collectors.
 * @param allocatedBytesJvm by all threads but the measuring one, which is not there in a real service.
 */
record Reading(
    long timeNs,
    long records,
    long allocatedBytes,
    long cpuNsThread,
    long fetches,
    long cpuNsProcess,
    long gcCount,
    long allocatedBytesJvm)
{
}
