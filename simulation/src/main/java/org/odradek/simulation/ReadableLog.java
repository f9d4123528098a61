// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelRecord;

/**
 * The records that a member of a group must be given: markers and holes are passed, and so are aborted transactions
 * where only committed records are read.
 */
final class ReadableLog
{
    private final SimulatedCluster world;
    private final boolean isReadCommitted;
    private final ModelRecord found = new ModelRecord();

    ReadableLog(final SimulatedCluster world)
    {
        this.world = world;
        isReadCommitted = world.scenario.isOn(Feature.READ_COMMITTED);
    }

    /** Returns the offset of the first record at or after an offset, or else the end of what can be read now. */
    long next(final int partition, final long from)
    {
        final ModelLog log = world.partitions().get(partition).log();
        final long end = isReadCommitted ? log.lastStableOffset() : log.highWatermark();
        long offset = from;
        while (offset < end && !isRecord(log, offset))
        {
            offset++;
        }
        return offset;
    }

    private boolean isRecord(final ModelLog log, final long offset)
    {
        return log.record(offset, ModelLog.NONE, found) && !(isReadCommitted && found.isAborted());
    }

    /** Returns whether an epoch may be committed with an offset: it is unknown, or that of the record before. */
    boolean isEpochBefore(final int partition, final long offset, final int epoch)
    {
        return epoch < 0 || !isRecord(world.partitions().get(partition).log(), offset - 1) ||
            found.leaderEpoch() == epoch;
    }

    /** Returns the offset after the batch of a record. */
    long batchEnd(final int partition, final long offset)
    {
        final boolean isFound = world.partitions().get(partition).log().record(offset, ModelLog.NONE, found);
        return isFound ? found.lastOffset() + 1 : offset + 1;
    }
}
