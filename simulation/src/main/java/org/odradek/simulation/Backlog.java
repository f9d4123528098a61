// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.BatchPool;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;

import java.util.List;

/**
 * What a consumer has to catch up with where the brokers are far away: many large batches that are appended at once, so
 * that responses are full for a while.
 */
final class Backlog
{
    private static final int MIN_LENGTH = 1 << 20;
    private static final int MAX_LENGTH = 48 << 20;
    /** A connection carries so much in this time at most. */
    private static final int MAX_SECONDS = 30;
    /** A broker reads to the end of a segment only. */
    private static final int SEGMENT_LENGTH = 4 << 20;

    private final World world;
    private final Distance distance;
    private final BatchPool batches;
    private final Draw draw;

    Backlog(final World world, final BatchPool batches)
    {
        this.world = world;
        this.batches = batches;
        distance = world.scenario.distance;
        draw = new Draw(world.scenario.seed, "backlog");
    }

    /** Appends to one partition or to all of them, if the brokers are far away. */
    void append()
    {
        final List<ModelPartition> partitions = world.partitions();
        if (!distance.isFar || partitions.isEmpty())
        {
            return;
        }
        long length = draw.logBetween(MIN_LENGTH, Math.min(MAX_LENGTH, MAX_SECONDS * distance.rate()));
        final int only = draw.oneIn(3) ? draw.below(partitions.size()) : -1;
        partitions.forEach((partition) -> partition.log().segmentLength(SEGMENT_LENGTH));
        while (length > 0)
        {
            final ModelPartition partition = partitions.get(only < 0 ? draw.below(partitions.size()) : only);
            final BatchTemplate batch = batches.draw(draw);
            length -= batch.length();
            if (partition.leader() != ModelPartition.NO_LEADER)
            {
                final ModelLog log = partition.log();
                final long baseOffset = log.append(batch, World.EPOCH_MS + world.clock.nowMs());
                world.onAppend(partition.index(), baseOffset, log.endOffset() - 1);
            }
        }
        world.network.serve();
    }
}
