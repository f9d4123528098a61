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
    private static final int MIN_LENGTH = 2 << 20;
    private static final int MAX_LENGTH = 40 << 20;
    /** A connection carries so much in this time at most. */
    private static final int MAX_SECONDS = 60;
    private static final int FORMS = 4;
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

    /** Appends to one partition, to those of one leader, or to all, if the brokers are far away. */
    void append()
    {
        final List<ModelPartition> partitions = distance.isFar ? draw(world.partitions()) : List.of();
        long length = partitions.isEmpty() ? 0 :
            draw.logBetween(MIN_LENGTH, Math.min(MAX_LENGTH, MAX_SECONDS * distance.rate()));
        while (length > 0)
        {
            final ModelPartition partition = partitions.get(draw.below(partitions.size()));
            final BatchTemplate batch = batches.draw(draw);
            length -= batch.length();
            if (partition.leader() != ModelPartition.NO_LEADER)
            {
                final ModelLog log = partition.log();
                final long baseOffset =
                    log.segmentLength(SEGMENT_LENGTH).append(batch, World.EPOCH_MS + world.clock.nowMs());
                world.onAppend(partition.index(), baseOffset, log.endOffset() - 1);
            }
        }
        world.network.serve();
    }

    private List<ModelPartition> draw(final List<ModelPartition> all)
    {
        final int form = draw.below(FORMS);
        if (form == 0 || all.isEmpty())
        {
            return all;
        }
        final ModelPartition drawn = all.get(draw.below(all.size()));
        return form == 1 ? List.of(drawn) :
            all.stream().filter((partition) -> partition.leader() == drawn.leader()).toList();
    }
}
