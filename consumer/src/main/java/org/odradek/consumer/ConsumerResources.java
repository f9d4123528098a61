// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.cluster.ControlSettings;
import org.odradek.consumer.core.BufferLengths;
import org.odradek.consumer.core.ClusterIdentity;
import org.odradek.consumer.core.CounterWriter;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.JvmMemory;
import org.odradek.consumer.core.MemoryBudget;
import org.odradek.consumer.engine.Conductor;
import org.odradek.consumer.engine.PollGuard;
import org.odradek.consumer.engine.SafeCallbacks;
import org.odradek.consumer.fetch.DecompressedBatch;
import org.odradek.consumer.fetch.FetchReader;
import org.odradek.consumer.fetch.FetchSettings;
import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.group.GroupMember;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.net.ConnectionSettings;
import org.odradek.consumer.net.Pollers;
import org.odradek.consumer.net.TlsEngines;
import org.odradek.consumer.net.TlsPoller;
import org.odradek.consumer.status.ConsumerCounters;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;

/**
 * Opens everything that a consumer holds (poller, files, connections, direct memory) and frees it. If something cannot
 * be opened, the constructor frees what has been opened before it throws.
 */
final class ConsumerResources
{
    private static final long NS_PER_MS = 1_000_000L;

    final ConsumerStatus status;
    final PartitionTable table = new PartitionTable();
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
    private final ConsumerSettings settings;
    private final FetchFrameHandler frameHandler;
    /** What frees each resource, the last one opened first. */
    private final Deque<Runnable> releases = new ArrayDeque<>();

    ConsumerResources(final ConsumerContext context)
    {
        settings = context.settings;
        try
        {
            final DutyClock clock = new DutyClock(settings.nanoClock, settings.epochClock);
            status = new ConsumerStatus(settings, clock);
            final CounterWriter counters = status.counterWriter();
            callbacks = new SafeCallbacks(
                settings.listener, status.errorHandler(), settings.frameHandler, counters);
            budget = new MemoryBudget(
                context.memoryBudget(), (bytes) -> counters.add(ConsumerCounters.BUDGET_EXCEEDED_BYTES, bytes),
                JvmMemory::directLeft, (bytes) ->
                {
                    counters.add(ConsumerCounters.ERRORS, 1);
                    callbacks.onError(JvmMemory.shortage(bytes));
                });
            final ControlSettings controlSettings = controlSettings(clock, counters);
            poller = withTls(openPoller(), counters, callbacks.listener());
            frameHandler = callbacks.frameHandler();
            if (frameHandler != null)
            {
                releases.push(frameHandler::close);
                frameHandler.onConnect(settings.topic, settings.epochClock, callbacks.listener());
            }
            final Environment environment = new Environment(poller, clock, budget, counters,
                callbacks.listener(), callbacks, new ClusterIdentity(), status.histograms());
            final PartitionErrors errors = new PartitionErrors(settings.topic, settings.retryBackoffMs * NS_PER_MS,
                settings.offsetResetPolicy, table, environment);
            final DecompressedBatch decompressed = new DecompressedBatch(
                environment, BufferLengths.DECOMPRESSION, settings.decompressionBufferMaxLength);
            releases.push(decompressed::free);
            conductor = new Conductor(controlSettings, fetchSettings(),
                BufferLengths.receive(settings.fetchMaxBytes, settings.partitionCount()),
                new FetchTopic(settings.topic), table, errors, environment);
            releases.push(conductor::free);
            assignment = new PartitionAssignment(
                settings, table, errors, callbacks.listener(), (groupId) -> conductor.group(groupId).fetch());
            final CycleRecorder recorder = new CycleRecorder(settings, environment, status.file(), table);
            releases.push(recorder::end);
            final FetchReader reader = new FetchReader(settings.checkCrcs, settings.isReadCommitted(),
                settings.corruptBatchPolicy == CorruptBatchPolicy.SKIP, decompressed, errors, table);
            reconciliation = settings.group == null ? null : new GroupReconciliation(
                settings.group, join(), conductor.group(settings.group.groupId()), assignment, table, environment);
            dutyCycle = new DutyCycle(guard, environment, conductor, reader, assignment, callbacks, recorder);
            if (reconciliation != null)
            {
                dutyCycle.reconcile(reconciliation);
            }
            releases.push(this::finish);
            assignment.assignNamed();
            status.begin();
        }
        catch (final RuntimeException | Error ex)
        {
            free();
            throw ex;
        }
    }

    private GroupMember join()
    {
        final GroupSettings group = settings.group;
        final String memberId = group.memberId() == null ? UUID.randomUUID().toString() : group.memberId();
        return conductor.group(group.groupId()).join(new GroupMember.Settings(
            group.protocol(), memberId, group.instanceId(), settings.clientRack.isEmpty() ? null : settings.clientRack,
            group.assignor(), group.revocationTimeoutMs(), group.heartbeatIntervalMs(), group.sessionTimeoutMs()));
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

    private ControlSettings controlSettings(final DutyClock clock, final CounterWriter counters)
    {
        final ConnectionSettings connectionSettings = new ConnectionSettings(
            settings.clientId,
            settings.connectTimeoutMs * NS_PER_MS,
            settings.requestTimeoutMs * NS_PER_MS,
            settings.reconnectBackoffMs * NS_PER_MS,
            settings.reconnectBackoffMaxMs * NS_PER_MS,
            settings.random,
            settings.socketReceiveBufferLength,
            settings.receiveBufferMaxLength,
            settings.security);
        return new ControlSettings(
            BootstrapServers.resolve(settings.bootstrapServers, settings.nameResolver, clock, counters),
            settings.nameResolver,
            connectionSettings,
            settings.metadataMaxAgeMs * NS_PER_MS,
            settings.rebootstrapTriggerMs * NS_PER_MS,
            settings.retryBackoffMs * NS_PER_MS,
            settings.retryBackoffMaxMs * NS_PER_MS,
            BufferLengths.control(settings.partitionCount()));
    }

    private FetchSettings fetchSettings()
    {
        return new FetchSettings(
            settings.fetchMaxBytes,
            settings.partitionMaxBytes,
            settings.fetchMinBytes,
            settings.fetchMaxWaitMs,
            settings.latencyBudgetMs,
            settings.isReadCommitted(),
            settings.clientRack,
            settings.retryBackoffMs * NS_PER_MS,
            settings.metadataMaxAgeMs * NS_PER_MS,
            settings.fetchSession.minPartitions(),
            frameHandler);
    }

    private Poller openPoller()
    {
        if (settings.poller != null)
        {
            return settings.poller;
        }
        final Poller opened = Pollers.open(settings.transport);
        releases.push(opened::close);
        return opened;
    }

    private Poller withTls(final Poller opened, final CounterWriter counters, final ConsumerListener listener)
    {
        if (settings.security.tls() == null)
        {
            return opened;
        }
        final TlsEngines engines = new TlsEngines(settings.security.tls(), counters, listener);
        releases.push(engines::close);
        return new TlsPoller(opened, engines, budget, counters);
    }

    /** Frees everything, also what comes after a resource that fails to be freed; then throws the first failure. */
    void free()
    {
        RuntimeException failure = null;
        while (!releases.isEmpty())
        {
            try
            {
                releases.pop().run();
            }
            catch (final RuntimeException ex)
            {
                failure = failure == null ? ex : failure;
            }
        }
        if (failure != null)
        {
            throw failure;
        }
    }

    String describe()
    {
        final StringBuilder text = new StringBuilder("topic ").append(settings.topic)
            .append(", transport ").append(poller.description())
            .append(", memory ").append(budget.heldBytes()).append(" of a budget of ").append(budget.budgetBytes())
            .append(" bytes")
            .append(settings.socketReceiveBufferLength == 0 ? "" :
                ", socket receive buffers fixed at " + settings.socketReceiveBufferLength + " bytes")
            .append(settings.status.countersFile == null ? "" : ", counters in " + settings.status.countersFile)
            .append(frameHandler == null ? "" : ", frames captured in " + settings.frameHandler)
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
        return text.append(status.counters()).toString();
    }
}
