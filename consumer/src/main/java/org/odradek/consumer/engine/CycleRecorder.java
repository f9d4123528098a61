// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.PerPartition;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.StallPhase;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.StoredBatch;

import java.util.Objects;

/**
 * Records the measurements of duty cycles and polls. With a counters file, a cycle checks the offsets of up to {@link
 * #CHECKED_PARTITIONS} partitions in turn; a cycle that delivers nothing checks those of all partitions, at most once
 * in {@link DutyClock#INTERVAL_NS}.
 */
public final class CycleRecorder
{
    static final int CHECKED_PARTITIONS = 64;
    /** These constants load their class in advance, because loading the class at the first stall would allocate. */
    private static final StallPhase IN_HANDLER = StallPhase.HANDLER;
    private static final StallPhase IN_CONTROL = StallPhase.CONTROL;
    private static final StallPhase IN_WAIT = StallPhase.WAITING;

    private final ConsumerSettings settings;
    private final Environment environment;
    private final DutyClock clock;
    private final CounterWriter counters;
    private final PartitionTable table;
    private final CountersFile file;
    private final PartitionCounters partitions;
    private final AgeRecorder ages;
    private boolean isDelivering;
    private long deliveryNs;
    private long handlerNs;
    private long cycleBeginNs;
    private long cycleEndNs;
    private int nextPartition;
    private int stoppedPartitions;
    private long nextFullCheckNs;
    private boolean isFileFull;
    private final PerPartition<Published> published = new PerPartition<>(Published::new);

    private static final class Published
    {
        private long nextOffset = PartitionTable.NULL_OFFSET;
        private long highWatermark = PartitionTable.NULL_OFFSET;
        private long endOffset = PartitionTable.NULL_OFFSET;
    }

    public CycleRecorder(final CountersFile file, final PartitionTable table, final Environment environment)
    {
        this.environment = environment;
        settings = environment.settings();
        clock = environment.clock();
        counters = environment.counters();
        this.table = table;
        this.file = file;
        partitions = new PartitionCounters(file);
        nextFullCheckNs = clock.nowNs();
        cycleBeginNs = nextFullCheckNs;
        cycleEndNs = nextFullCheckNs;
        ages = environment.histograms().isOn() ? new AgeRecorder(clock, environment.histograms()) : null;
    }

    ControlledRecordHandler records(final ControlledRecordHandler handler)
    {
        return ages == null ? handler : ages.records(handler);
    }

    BatchHandler batches(final BatchHandler handler)
    {
        return ages == null ? handler : ages.batches(handler);
    }

    /** A handler that calls keepAlive advances the clock before the cycle ends. */
    void beginCycle()
    {
        cycleBeginNs = clock.nowNs();
    }

    long beginDelivery()
    {
        isDelivering = true;
        deliveryNs = clock.readNs();
        return deliveryNs;
    }

    void endCycle(final int delivered)
    {
        cycleEndNs = clock.readNs();
        final long workedNs = cycleEndNs - cycleBeginNs;
        handlerNs = isDelivering ? cycleEndNs - deliveryNs : 0;
        counters.max(ConsumerCounters.LONGEST_CYCLE_NS, workedNs);
        if (workedNs > settings.stallThresholdNs)
        {
            onStall(handlerNs > workedNs / 2 ? IN_HANDLER : IN_CONTROL, workedNs);
        }
        isDelivering = false;
        if (stoppedPartitions != table.stoppedCount())
        {
            stoppedPartitions = table.stoppedCount();
            counters.set(ConsumerCounters.STOPPED_PARTITIONS, stoppedPartitions);
        }
        if (file != null)
        {
            file.onWork(clock.nowNs());
            writeOffsets(delivered == 0, clock.nowNs());
        }
    }

    long cycleEndNs()
    {
        return cycleEndNs;
    }

    long handlerNs()
    {
        return handlerNs;
    }

    /** Returns the time at which a wait begins: the end of the cycle, if there was one after the time given. */
    long waitBeginNs(final long cycleNs)
    {
        return cycleEndNs - cycleNs > 0 ? cycleEndNs : cycleNs;
    }

    void endWait(final long cycleNs, final long waitNs, final long wokenNs)
    {
        final long lateNs = wokenNs - waitBeginNs(cycleNs) - waitNs;
        if (lateNs > settings.stallThresholdNs)
        {
            onStall(IN_WAIT, lateNs);
        }
    }

    private void onStall(final StallPhase phase, final long stalledNs)
    {
        counters.add(ConsumerCounters.STALLS, 1);
        environment.listener().onStall(phase, stalledNs);
    }

    void endPoll(final int delivered)
    {
        if (delivered == 0)
        {
            counters.add(ConsumerCounters.EMPTY_POLLS, 1);
        }
        if (file != null)
        {
            file.onWork(clock.nowNs());
        }
    }

    public void end()
    {
        if (file != null)
        {
            writeOffsets(table.capacity());
        }
    }

    void writeOffsets(final boolean isIdle, final long nowNs)
    {
        final int capacity = table.capacity();
        if (isIdle && nextFullCheckNs - nowNs <= 0)
        {
            nextFullCheckNs = nowNs + DutyClock.INTERVAL_NS;
            writeOffsets(capacity);
        }
        else
        {
            writeOffsets(Math.min(capacity, CHECKED_PARTITIONS));
        }
    }

    private void writeOffsets(final int count)
    {
        final int capacity = table.capacity();
        published.ensureSize(capacity);
        int partition = nextPartition;
        for (int i = 0; i < count; i++)
        {
            writeIfChanged(partition);
            partition = partition + 1 < capacity ? partition + 1 : 0;
        }
        nextPartition = partition;
    }

    private void writeIfChanged(final int partition)
    {
        final long nextOffset = table.nextOffset(partition);
        final long highWatermark = table.partition(partition).highWatermark();
        final long endOffset = table.partition(partition).end(settings.isReadCommitted);
        final Published last = published.get(partition);
        if (last.nextOffset != nextOffset || last.highWatermark != highWatermark || last.endOffset != endOffset)
        {
            last.nextOffset = nextOffset;
            last.highWatermark = highWatermark;
            last.endOffset = endOffset;
            final long lag = endOffset < 0 || nextOffset < 0 ? -1 : Math.max(0, endOffset - nextOffset);
            if (!partitions.set(partition, nextOffset, highWatermark, lag) && !isFileFull)
            {
                isFileFull = true;
                environment.error("The counters file has no room for partition " + partition +
                    " and the partitions found after it; they are read, but not shown in the file.");
            }
        }
    }

    /**
     * Calls the user's handler, and records the age of each record or batch, unless the handler returns ABORT or
     * throws.
     */
    private static final class AgeRecorder implements ControlledRecordHandler, BatchHandler
    {
        private final DutyClock clock;
        private final ConsumerHistograms histograms;
        private long nowMs;
        private long cycleNs;
        private ControlledRecordHandler recordHandler;
        private BatchHandler batchHandler;

        AgeRecorder(final DutyClock clock, final ConsumerHistograms histograms)
        {
            this.clock = clock;
            this.histograms = histograms;
            nowMs = clock.epochMs();
            cycleNs = clock.nowNs();
        }

        AgeRecorder records(final ControlledRecordHandler handler)
        {
            recordHandler = Objects.requireNonNull(handler);
            return this;
        }

        AgeRecorder batches(final BatchHandler handler)
        {
            batchHandler = Objects.requireNonNull(handler);
            return this;
        }

        @Override
        public Action onRecord(final Record record)
        {
            // The timestamp is read before the call: after it the view may show another record.
            final long timestampMs = record.timestamp();
            final long now = nowMs();
            final Action action = recordHandler.onRecord(record);
            if (action != Action.ABORT)
            {
                histograms.onRecord(now, timestampMs);
            }
            return action;
        }

        @Override
        public Action onBatch(final StoredBatch batch)
        {
            final long timestampMs = batch.maxTimestamp();
            final long now = nowMs();
            final Action action = batchHandler.onBatch(batch);
            if (action != Action.ABORT)
            {
                histograms.onRecord(now, timestampMs);
            }
            return action;
        }

        private long nowMs()
        {
            if (cycleNs != clock.nowNs())
            {
                cycleNs = clock.nowNs();
                nowMs = clock.epochMs();
            }
            return nowMs;
        }
    }
}
