// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.record.internal.RecordBatch;
import org.odradek.harness.model.BatchPool;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The producers: append batches in stretches of drawn length and rate, from almost none to bursts, to one or to all
 * partitions, and in transactions. What the user no longer needs is deleted after a while, as retention does.
 */
final class Load
{
    private static final long STEADY_BATCH_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long[] MEAN_BATCH_MS = {2, 10, 50, 200, 1_000, 5_000, 30_000};
    private static final int FIRST_LOW_MEAN = 4;
    private static final int MAX_PRODUCERS = 3;
    private static final int MAX_HOLE = 50;
    /** Of a stretch, on average: the faster batches follow one another, the shorter the stretch is. */
    private static final int MAX_BATCHES = 500;
    private static final int KEPT_OFFSETS = 4_000;
    /** Logs have many large batches there. */
    private static final int KEPT_OFFSETS_FAR = 100;

    /** Built once for all runs. */
    private static final BatchPool OF_ONE = BatchPool.uniform(1, 4, 1, 100);
    private static final BatchPool OF_TEN = BatchPool.uniform(2, 8, 10, 100);
    private static final BatchPool OF_MANY = BatchPool.uniform(3, 4, 100, 30);
    private static final BatchPool OF_LARGE = BatchPool.uniform(4, 4, 2, 20_000);
    private static final BatchPool OVERSIZED = BatchPool.uniform(7, 1, 1, Scenario.MAX_RECEIVE_LENGTH);
    private static final int OVERSIZED_SELDOM = 100;
    /** A network with a smaller window would take longer than a request may. */
    private static final int OVERSIZED_WINDOW = 1 << 18;
    private static final BatchPool MIXED = BatchPool.mixed(5, 40, RecordBatch.MAGIC_VALUE_V2, 50, 200);
    private static final BatchPool OLD = BatchPool.mixed(6, 40, RecordBatch.MAGIC_VALUE_V0, 30, 200);

    private final World world;
    private final Draw draw;
    private final LoadProfile profile;
    private final List<BatchPool> pools = new ArrayList<>();
    private final boolean hasHoles;
    private final boolean isTransactional;
    /** Whether some batches are larger than the receive buffer may become. */
    final boolean isOversized;
    private final Backlog backlog;
    private final Runnable appendEvent = this::append;
    private final int keptOffsets;
    private boolean isOn;
    private boolean isEventDue;
    private long stretchEndNs;
    private long meanBatchNs;
    private int onlyPartition;
    private boolean isTransactionStretch;

    Load(final World world)
    {
        this.world = world;
        draw = new Draw(world.scenario.seed, "load");
        profile = world.scenario.settings.load();
        hasHoles = world.scenario.isOn(Feature.HOLES) && profile != LoadProfile.STEADY;
        isOversized = world.scenario.hasOversizedBatches() && world.network.windowLength >= OVERSIZED_WINDOW;
        keptOffsets = world.scenario.distance.isFar ? KEPT_OFFSETS_FAR : KEPT_OFFSETS;
        backlog = new Backlog(world, OF_LARGE);
        addPools();
        isTransactional = world.scenario.isOn(Feature.TRANSACTIONS) && profile != LoadProfile.STEADY;
    }

    private void addPools()
    {
        if (profile == LoadProfile.STEADY)
        {
            pools.add(OF_TEN);
            return;
        }
        pools.addAll(List.of(OF_ONE, OF_TEN, OF_MANY, OF_LARGE));
        if (world.scenario.isOn(Feature.MIXED_BATCHES))
        {
            pools.addAll(List.of(MIXED, MIXED, MIXED));
        }
        if (world.scenario.isOn(Feature.OLD_FORMATS))
        {
            pools.addAll(List.of(OLD, OLD));
        }
    }

    private BatchTemplate nextBatch()
    {
        if (isOversized && world.phase() == Phase.FAULTS && draw.oneIn(OVERSIZED_SELDOM))
        {
            return OVERSIZED.draw(draw);
        }
        return pools.get(draw.below(pools.size())).draw(draw);
    }

    /** Begins to append. */
    void begin()
    {
        isOn = true;
        if (!isEventDue)
        {
            isEventDue = true;
            world.clock.after(1, appendEvent);
        }
    }

    /** Gives the consumer something to catch up with, if the brokers are far away. */
    void fallBehind()
    {
        backlog.append();
    }

    /** Ends all transactions, and appends nothing more. */
    void end()
    {
        isOn = false;
        for (final ModelPartition partition : world.partitions())
        {
            for (int producer = 0; partition.log().lastStableOffset() < partition.log().highWatermark() &&
                producer < MAX_PRODUCERS; producer++)
            {
                endTransaction(partition, producer);
            }
        }
        world.network.serve();
    }

    private void append()
    {
        isEventDue = isOn;
        if (!isOn)
        {
            return;
        }
        final List<ModelPartition> partitions = world.partitions();
        if (world.clock.nowNs() >= stretchEndNs)
        {
            beginStretch(partitions);
        }
        if (!partitions.isEmpty())
        {
            final int count = partitions.size();
            final ModelPartition partition =
                partitions.get(onlyPartition >= 0 && onlyPartition < count ? onlyPartition : draw.below(count));
            if (partition.leader() != ModelPartition.NO_LEADER)
            {
                appendTo(partition);
                world.network.serve();
            }
        }
        world.clock.after(profile == LoadProfile.STEADY ? meanBatchNs : draw.exponential(meanBatchNs), appendEvent);
    }

    private void beginStretch(final List<ModelPartition> partitions)
    {
        final int first = profile == LoadProfile.LOW ? FIRST_LOW_MEAN : 0;
        final long meanMs = MEAN_BATCH_MS[first + draw.below(MEAN_BATCH_MS.length - first)];
        meanBatchNs = profile == LoadProfile.STEADY ? STEADY_BATCH_NS : TimeUnit.MILLISECONDS.toNanos(meanMs);
        stretchEndNs = world.clock.nowNs() +
            TimeUnit.MILLISECONDS.toNanos(draw.logBetween(100, Math.min(60_000, meanMs * MAX_BATCHES)));
        onlyPartition = draw.oneIn(2) ? draw.below(Math.max(1, partitions.size())) : -1;
        isTransactionStretch = isTransactional && draw.oneIn(2);
        for (final ModelPartition partition : partitions)
        {
            final ModelLog log = partition.log();
            final long needed = world.oracles.deliveries.neededOffset(partition.index());
            final long kept = Math.min(needed, log.endOffset() - keptOffsets);
            if (kept > log.startOffset() + keptOffsets)
            {
                log.deleteBefore(kept);
            }
            log.trim(needed);
        }
    }

    private void appendTo(final ModelPartition partition)
    {
        final ModelLog log = partition.log();
        if (hasHoles && draw.oneIn(10))
        {
            log.skipOffsets(1 + draw.below(MAX_HOLE));
        }
        final int producer = draw.below(MAX_PRODUCERS);
        final long baseOffset;
        if (!isTransactionStretch)
        {
            baseOffset = log.append(nextBatch(), timestampShift());
        }
        else if (draw.oneIn(3))
        {
            baseOffset = endTransaction(partition, producer);
        }
        else
        {
            baseOffset = log.appendTransactional(
                OF_TEN.draw(draw), timestampShift(), producerId(partition, producer), (short)0);
        }
        world.onAppend(partition.index(), baseOffset, log.endOffset() - 1);
    }

    private long endTransaction(final ModelPartition partition, final int producer)
    {
        return partition.log().endTransaction(
            producerId(partition, producer), (short)0, draw.oneIn(2), timestampShift());
    }

    private static long producerId(final ModelPartition partition, final int producer)
    {
        return (long)partition.index() * MAX_PRODUCERS + producer;
    }

    /** The brokers' clocks are not stepped. */
    private long timestampShift()
    {
        return World.EPOCH_MS + world.clock.nowMs();
    }
}
