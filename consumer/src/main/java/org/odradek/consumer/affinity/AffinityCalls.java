// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.affinity;

/**
 * What the kernel is asked about the cores of the calling thread. A seam: tests stand in for kernels and containers
 * that refuse.
 */
interface AffinityCalls
{
    /**
     * @param mask a bit for each core.
     * @return 0, or the errno.
     */
    int setAffinity(long[] mask);

    /**
     * @param mask to be filled in.
     * @return 0, or the errno.
     */
    int getAffinity(long[] mask);

    /**
     * @return the core the thread runs on at this moment, or -1 if the system does not say.
     */
    int currentCore();
}
