// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.ClientKind;
import org.odradek.client.core.ClusterIdentity;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.engine.ClientResources;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.SafeConsumerListener;
import org.odradek.consumer.engine.Conductor;
import org.odradek.consumer.engine.CycleRecorder;
import org.odradek.consumer.engine.DutyCycle;
import org.odradek.consumer.engine.PollGuard;
import org.odradek.consumer.fetch.DecompressedBatch;
import org.odradek.consumer.fetch.FetchReader;
import org.odradek.consumer.fetch.PartitionAssignment;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.group.GroupReconciliation;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;

/** Opens and frees the resources of a consumer: the poller, files, connections and direct memory. */
final class ConsumerResources extends ClientResources<ConsumerListener>
{
    final ConsumerSettings settings;
    final ConsumerCounters counters;
    final ConsumerHistograms histograms;
    final PartitionTable table;
    final PollGuard guard = new PollGuard(this::free);
    final Conductor conductor;
    final PartitionAssignment assignment;
    final DutyCycle dutyCycle;
    /** This field is null without a group. */
    final GroupReconciliation reconciliation;
    /** The longest time in nanoseconds for leaving the group in a close. */
    volatile long leaveTimeoutNs;
    private final FetchFrameHandler frameHandler;

    ConsumerResources(final ConsumerContext context)
    {
        this(context, context.settings.copy());
    }

    private ConsumerResources(final ConsumerContext context, final ConsumerSettings settings)
    {
        super(context, settings, ClientKind.CONSUMER, settings.topic,
            (callbacks) -> new SafeConsumerListener(context.listener(), callbacks));
        this.settings = settings;
        counters = new ConsumerCounters(writer);
        histograms = context.histograms();
        table = new PartitionTable(settings);
        try
        {
            frameHandler = context.frameHandler();
            if (frameHandler != null)
            {
                releases.push(frameHandler::close);
                frameHandler.onConnect(settings.topic, context.epochClock(), listener);
            }
            final Environment environment = new Environment(settings, context.security(), poller, clock, budget,
                writer, listener, callbacks, new ClusterIdentity(), histograms);
            final PartitionErrors errors = new PartitionErrors(table, environment);
            final DecompressedBatch decompressed =
                new DecompressedBatch(environment, ConsumerSettings.DECOMPRESSION_LENGTH);
            releases.push(decompressed::free);
            conductor = new Conductor(
                bootstrap, frameHandler, new TopicIdentity(settings.topic), table, errors, environment);
            releaseEngine(conductor::free);
            assignment = new PartitionAssignment(table, errors, environment, conductor);
            final CycleRecorder recorder = new CycleRecorder(countersFile, table, environment);
            releases.push(recorder::end);
            reconciliation = settings.group == null ? null :
                new GroupReconciliation(conductor.group(settings.group.id), assignment, table, environment);
            dutyCycle = new DutyCycle(guard, environment, conductor,
                new FetchReader(decompressed, errors, table, environment), assignment, callbacks, recorder);
            dutyCycle.reconcile(reconciliation);
            releases.push(this::finish);
            assignment.assignNamed();
            begin();
        }
        catch (final RuntimeException | Error ex)
        {
            free();
            throw ex;
        }
    }

    /** Leaves the group and sends the commits that wait, but only on the polling thread, which owns the sockets. */
    private void finish()
    {
        try
        {
            if (guard.isOwner())
            {
                dutyCycle.finish(leaveTimeoutNs);
            }
            else
            {
                conductor.reportUnsent();
            }
        }
        finally
        {
            guard.refuseAll();
            if (reconciliation != null)
            {
                reconciliation.onClosed();
            }
        }
    }

    String describe()
    {
        final StringBuilder text = new StringBuilder("topic ").append(settings.topic).append(", ");
        describeClient(text);
        text.append(frameHandler == null ? "" : ", frames captured in " + frameHandler)
            .append(guard.isFreed() ? ", closed" : "").append('\n');
        conductor.describe(text);
        text.append(reconciliation == null ? "" : reconciliation + "\n");
        for (int p = 0; p < table.capacity(); p++)
        {
            if (table.isAssigned(p))
            {
                text.append(table.describe(p)).append('\n');
            }
        }
        return text.append(counters).toString();
    }
}
