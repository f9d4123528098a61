// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.BatchPool;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;

import java.util.concurrent.TimeUnit;

/**
 * Appends to the topic of a group: batches of ten offsets, in some seeds with holes in and between them, and in
 * transactions, which are committed or aborted late.
 */
final class GroupLoad
{
    static final int BATCH_LENGTH = 10;
    private static final long MEAN_BATCH_NS = TimeUnit.MILLISECONDS.toNanos(250);
    /** Batches that are appended at once while handlers take long. */
    private static final int MAX_BURST = 12;
    private static final int MAX_PRODUCERS = 3;
    private static final int MAX_HOLE = 50;
    private static final BatchPool OF_TEN = BatchPool.uniform(7, 8, BATCH_LENGTH, 100);
    private static final BatchPool COMPACTED = BatchPool.compacted(8, 16, BATCH_LENGTH, 100);

    private final GroupWorld world;
    private final Draw draw;
    /** Draws the batches that follow one another at once while handlers take long. */
    private final Draw burstDraw;
    /** Draws holes and transactions. */
    private final Draw kindDraw;
    private final boolean hasHoles;
    private final boolean isTransactional;
    private boolean isOn;

    GroupLoad(final GroupWorld world, final Draw draw)
    {
        this.world = world;
        this.draw = draw;
        burstDraw = new Draw(world.scenario.seed, "group bursts");
        kindDraw = new Draw(world.scenario.seed, "group batches");
        hasHoles = world.scenario.isOn(Feature.HOLES);
        isTransactional = world.scenario.isOn(Feature.TRANSACTIONS);
        world.clock.after(1, this::append);
    }

    void begin()
    {
        isOn = true;
    }

    /** Ends all transactions, and appends nothing more. */
    void end()
    {
        isOn = false;
        for (final ModelPartition partition : world.partitions())
        {
            for (int producer = 0; producer < MAX_PRODUCERS &&
                partition.log().lastStableOffset() < partition.log().endOffset(); producer++)
            {
                endTransaction(partition, producer);
            }
        }
        world.network.serve();
    }

    /** Members with slow handlers must be able to keep up, even if one of them owns everything. */
    private void append()
    {
        final int batches = world.slowestNs() > 0 ? 1 + burstDraw.below(MAX_BURST) : 1;
        for (int i = 0; i < batches && isOn; i++)
        {
            appendTo(world.partitions().get(draw.below(world.partitions().size())));
            world.network.serve();
        }
        world.clock.after(draw.exponential(Math.max(MEAN_BATCH_NS, 2 * batches * world.slowestNs())), this::append);
    }

    private void appendTo(final ModelPartition partition)
    {
        final ModelLog log = partition.log();
        if (hasHoles && kindDraw.oneIn(10))
        {
            log.skipOffsets(1 + kindDraw.below(MAX_HOLE));
        }
        final BatchTemplate batch = (hasHoles && kindDraw.oneIn(3) ? COMPACTED : OF_TEN).draw(draw);
        final int producer = kindDraw.below(MAX_PRODUCERS);
        final long baseOffset;
        if (!isTransactional || kindDraw.oneIn(2))
        {
            baseOffset = log.append(batch, nowMs());
        }
        else if (kindDraw.oneIn(3))
        {
            baseOffset = endTransaction(partition, producer);
        }
        else
        {
            baseOffset = log.appendTransactional(batch, nowMs(), producerId(partition, producer), (short)0);
        }
        world.onAppend(partition.index(), baseOffset, log.endOffset() - 1);
    }

    private long endTransaction(final ModelPartition partition, final int producer)
    {
        return partition.log().endTransaction(
            producerId(partition, producer), (short)0, kindDraw.oneIn(2), nowMs());
    }

    private static long producerId(final ModelPartition partition, final int producer)
    {
        return (long)partition.index() * MAX_PRODUCERS + producer;
    }

    private long nowMs()
    {
        return SimulatedCluster.EPOCH_MS + world.clock.nowMs();
    }
}
