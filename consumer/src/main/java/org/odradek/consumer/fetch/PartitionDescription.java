// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/**
 * A line on one partition, for a human.
 */
final class PartitionDescription
{
    private static final String[] STATE_NAMES = {
        "unassigned", "awaiting offset", "fetching", "stopped", "awaiting validation"};

    private PartitionDescription()
    {
    }

    static String of(final PartitionTable table, final int partition, final short lastError)
    {
        final PartitionLogs logs = table.logs();
        return "partition " + partition + " " + STATE_NAMES[table.state(partition)] +
            (table.isPaused(partition) ? " (paused)" : "") +
            ": nextOffset=" + table.nextOffset(partition) + " offsetEpoch=" + table.offsetEpoch(partition) +
            " requestOffset=" + table.offsets().request(partition) +
            " highWatermark=" + logs.highWatermark(partition) +
            " lastStableOffset=" + logs.lastStableOffset(partition) +
            " logStartOffset=" + logs.startOffset(partition) +
            " leader=" + table.leaderId(partition) + " leaderEpoch=" + table.leaderEpoch(partition) +
            " readFrom=" + table.sources().nodeId(partition) +
            " generation=" + table.generation(partition) + " lastError=" + lastError;
    }
}
