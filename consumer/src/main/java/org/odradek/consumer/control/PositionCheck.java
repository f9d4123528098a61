// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.PartitionTable;

/**
 * A question to the new leader of a partition: where in its log the leader epoch ends that was read last.
 *
 * @param partition   whose leader is asked.
 * @param offsetEpoch that was read last.
 * @param generation  of the partition when the question arose.
 */
record PositionCheck(int partition, int offsetEpoch, int generation)
{
    /**
     * Whether the answer is of no use any more: the partition was sought, paused, unassigned, or has another leader.
     */
    boolean isStale(final PartitionTable table)
    {
        return table.state(partition) != PartitionTable.AWAITING_VALIDATION ||
            table.generation(partition) != generation;
    }
}
