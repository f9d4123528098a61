// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.partitions;

/**
 * What is run.
 *
 * @param partitions of the topic.
 * @param active     of them, spread evenly, get new records all the time.
 * @param seconds    measured with each kind of fetches, after as many to warm up.
 */
record PartitionsPlan(int partitions, int active, int seconds)
{
    /** From each active partition to the next. */
    int step()
    {
        return partitions / active;
    }
}
