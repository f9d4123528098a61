// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

/**
 * The meters that the measuring thread reads while the polling thread stands still; what something cost is the
 * difference of two.
 *
 * @param fetches           answered.
 * @param cpuNsProcess      of all threads, the JIT's and the collector's among them.
 * @param allocatedBytesJvm by all threads but the measuring one, which is not there in a real service.
 * @param gcCount           of all collectors.
 */
record Reading(long fetches, long cpuNsProcess, long allocatedBytesJvm, long gcCount)
{
}
