// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.ClientKind;
import org.odradek.client.Poller;
import org.odradek.client.core.ClusterIdentity;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.core.Releases;
import org.odradek.client.core.SafeCallbacks;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.BootstrapServers;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.Pollers;
import org.odradek.client.tls.TlsPoller;
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

import java.nio.file.Path;

/**
 * Opens everything that a consumer holds (poller, files, connections, direct memory) and frees it. If something cannot
 * be opened, the constructor frees what has been opened before it throws.
 */
final class ConsumerResources
{
    final ConsumerSettings settings;
    /** Null without a counters file. */
    final Path countersPath;
    /** Null without one. */
    final CountersFile countersFile;
    final ConsumerCounters counters;
    final ConsumerHistograms histograms;
    final PartitionTable table;
    final PollGuard guard = new PollGuard(this::free);
    final MemoryBudget budget;
    final Poller poller;
    final Conductor conductor;
    final PartitionAssignment assignment;
    final DutyCycle dutyCycle;
    /** Null without a group. */
    final GroupReconciliation reconciliation;
    /** How long a close may take to leave the group; set by the thread that closes. */
    volatile long leaveTimeoutNs;
    final SafeCallbacks callbacks;
    private final FetchFrameHandler frameHandler;
    private final Releases releases = new Releases();

    ConsumerResources(final ConsumerContext context)
    {
        // A later call of a setter changes the settings of the context, and not this copy.
        settings = context.settings.copy();
        table = new PartitionTable(settings);
        try
        {
            final DutyClock clock = new DutyClock(context.nanoClock(), context.epochClock());
            histograms = context.status().histograms;
            countersPath = context.status().countersFile;
            countersFile = countersPath == null ? null :
                CountersFile.create(countersPath, context.status().countersFilePermissions, ClientKind.CONSUMER,
                    settings.topic, clock);
            final CounterWriter writer = countersFile == null ? new CounterWriter() : countersFile.counters();
            counters = new ConsumerCounters(writer);
            callbacks = new SafeCallbacks(
                countersFile == null ? context.errorHandler() : countersFile.logged(context.errorHandler()), writer);
            final ConsumerListener listener = new SafeConsumerListener(context.listener(), callbacks);
            budget = new MemoryBudget(
                context.memoryBudget(), (bytes) -> writer.add(ConsumerCounters.BUDGET_EXCEEDED_BYTES, bytes),
                JvmMemory::directLeft, (bytes) ->
                {
                    writer.add(ConsumerCounters.ERRORS, 1);
                    callbacks.onError(JvmMemory.shortage(bytes));
                });
            final BrokerAddress[] bootstrap = BootstrapServers.resolve(
                settings.bootstrapServers, settings.nameResolver, clock, writer);
            poller = TlsPoller.over(Pollers.open(context.poller(), context.transport(), releases),
                context.security().tls(), budget, writer, listener, releases);
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
            releases.push(conductor::free);
            // Another consumer that waits on the same poller must not look at what is being freed.
            releases.push(() -> clock.nextDeadline(null));
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
            if (countersFile != null)
            {
                countersFile.begin();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            free();
            throw ex;
        }
    }

    /**
     * Leaves the group and sends the commits that wait, if the thread that closes is the one that polled: no other may
     * use the sockets. A consumer that does not leave is removed from the group when its session expires.
     */
    private void finish()
    {
        try
        {
            if (guard.isOwner())
            {
                dutyCycle.finish(leaveTimeoutNs);
            }
        }
        finally
        {
            guard.refuseAll();
        }
    }

    void free()
    {
        releases.free();
    }

    String describe()
    {
        final StringBuilder text = new StringBuilder("topic ").append(settings.topic)
            .append(", transport ").append(poller.description())
            .append(", memory ").append(budget.heldBytes()).append(" of a budget of ").append(budget.budgetBytes())
            .append(" bytes, ").append(budget.reservedBytes()).append(" reserved")
            .append(settings.socketReceiveBufferLength == 0 ? "" :
                ", socket receive buffers fixed at " + settings.socketReceiveBufferLength + " bytes")
            .append(countersPath == null ? "" : ", counters in " + countersPath)
            .append(frameHandler == null ? "" : ", frames captured in " + frameHandler)
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
