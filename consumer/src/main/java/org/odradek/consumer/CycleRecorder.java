// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.net.DutyClock;
import org.odradek.consumer.status.ConsumerCounters;

/**
 * What is noted once in a duty cycle or a poll: how long it worked, whether it was in vain, and, if there is a counters
 * file, that it was there and how far each partition is.
 */
final class CycleRecorder
{
    private final long stallThresholdNs;
    private final DutyClock clock;
    private final CounterWriter counters;
    private final CountersFile file;
    private final PartitionProgress progress;
    private final AgeRecorder ages;

    CycleRecorder(
        final ConsumerContext context,
        final ConsumerEnvironment environment,
        final ConsumerStatus status,
        final PartitionTable table)
    {
        stallThresholdNs = context.status.stallThresholdNs;
        clock = environment.clock();
        counters = environment.counters();
        file = status.file();
        progress = file == null ? null : new PartitionProgress(
            context.isReadCommitted(), table, file, environment);
        ages = environment.histograms().isOn() ? new AgeRecorder(clock, environment.histograms()) : null;
    }

    /**
     * The handler, behind one that records ages if there is to be one.
     */
    ControlledRecordHandler records(final ControlledRecordHandler handler)
    {
        return ages == null ? handler : ages.records(handler);
    }

    /**
     * The handler, behind one that records ages if there is to be one.
     */
    BatchHandler batches(final BatchHandler handler)
    {
        return ages == null ? handler : ages.batches(handler);
    }

    /**
     * A duty cycle has done its work.
     *
     * @param delivered records or batches.
     */
    void endCycle(final int delivered)
    {
        final long workedNs = clock.readNs() - clock.nowNs();
        counters.max(ConsumerCounters.LONGEST_CYCLE_NS, workedNs);
        if (workedNs > stallThresholdNs)
        {
            counters.add(ConsumerCounters.STALLS, 1);
        }
        if (file != null)
        {
            file.onPoll(clock.nowNs());
            progress.write(delivered == 0, clock.nowNs());
        }
    }

    /**
     * A poll is over, of which all may have been a wait.
     *
     * @param delivered records or batches.
     */
    void endPoll(final int delivered)
    {
        if (delivered == 0)
        {
            counters.add(ConsumerCounters.EMPTY_POLLS, 1);
        }
        if (file != null)
        {
            file.onPoll(clock.nowNs());
        }
    }

    /**
     * The consumer is being closed.
     */
    void end()
    {
        if (file != null)
        {
            progress.writeAll();
            file.end();
        }
    }
}
