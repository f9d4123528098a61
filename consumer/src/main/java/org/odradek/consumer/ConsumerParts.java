// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.control.Conductor;
import org.odradek.consumer.control.ControlSettings;
import org.odradek.consumer.fetch.DecompressedBatch;
import org.odradek.consumer.fetch.FetchReader;
import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.net.ClusterIdentity;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.net.DutyClock;
import org.odradek.consumer.net.MemoryBudget;
import org.odradek.consumer.net.Pollers;

/**
 * What a consumer is made of, and how its parts hang together.
 */
final class ConsumerParts
{
    private static final long NS_PER_MS = 1_000_000L;

    final ConsumerStatus status;
    final CounterWriter counters;
    final PartitionTable table = new PartitionTable();
    final PartitionStarts starts;
    final PollGuard guard = new PollGuard();
    final Poller poller;
    final Conductor conductor;
    final DutyCycle dutyCycle;
    private final ConsumerContext context;
    private final MemoryBudget budget;
    private final DecompressedBatch decompressed;
    private final CycleRecorder recorder;
    private final FetchFrameHandler frameHandler;

    ConsumerParts(final ConsumerContext context)
    {
        this.context = context;
        final DutyClock clock = new DutyClock(context.nanoClock);
        status = new ConsumerStatus(context, clock.nowNs());
        counters = status.counters();
        budget = new MemoryBudget(context.memoryBudget(), counters);
        final ControlSettings controlSettings = DerivedSettings.control(context, counters);
        poller = context.poller != null ? context.poller : Pollers.open(context.transport);
        final SafeCallbacks callbacks = new SafeCallbacks(
            context.listener, status.errorHandler(), context.status.fetchFrameHandler, counters);
        frameHandler = context.status.fetchFrameHandler == null ? null : callbacks;
        final ConsumerEnvironment environment = new ConsumerEnvironment(
            poller, clock, budget, counters, callbacks, callbacks, new ClusterIdentity(), status.histograms(),
            frameHandler);
        final FetchTopic topic = new FetchTopic(context.topic);
        final PartitionErrors errors = new PartitionErrors(
            context.topic,
            context.retryBackoffMs * NS_PER_MS,
            context.offsetResetPolicy,
            table,
            environment);
        starts = new PartitionStarts(context, table, errors, callbacks);
        conductor = new Conductor(
            controlSettings,
            DerivedSettings.fetch(context),
            DerivedSettings.receiveBufferLength(context),
            topic,
            table,
            errors,
            environment);
        decompressed = new DecompressedBatch(
            environment, DerivedSettings.DECOMPRESSION_BUFFER_LENGTH, context.decompressionBufferMaxLength);
        final FetchReader reader = new FetchReader(
            context.isCheckingCrcs,
            context.isReadCommitted(),
            context.corruptBatchPolicy == CorruptBatchPolicy.SKIP,
            decompressed,
            errors,
            table);
        recorder = new CycleRecorder(context, environment, status, table);
        dutyCycle = new DutyCycle(guard, environment, conductor, reader, starts, callbacks, recorder);
        if (frameHandler != null)
        {
            frameHandler.onConnect(context.topic, callbacks);
        }
    }

    String describe(final boolean isClosed)
    {
        final StringBuilder text = new StringBuilder("topic ").append(context.topic)
            .append(", transport ").append(poller.description())
            .append(", memory ").append(budget.heldBytes()).append(" of a budget of ").append(budget.budgetBytes())
            .append(" bytes")
            .append(context.socketReceiveBufferLength == 0 ? "" :
                ", socket receive buffers fixed at " + context.socketReceiveBufferLength + " bytes")
            .append(context.status.countersFile == null ? "" : ", counters in " + context.status.countersFile)
            .append(frameHandler == null ? "" : ", frames captured in " + context.status.fetchFrameHandler)
            .append(isClosed ? ", closed" : "").append('\n');
        conductor.describe(text);
        for (int p = 0; p < table.capacity(); p++)
        {
            if (table.isAssigned(p))
            {
                text.append(table.describe(p)).append('\n');
            }
        }
        return text.append(counters).toString();
    }

    /**
     * Close all connections and give all memory back.
     */
    void free()
    {
        recorder.end();
        conductor.free();
        decompressed.free();
        if (context.poller == null)
        {
            poller.close();
        }
        if (frameHandler != null)
        {
            frameHandler.close();
        }
    }
}
