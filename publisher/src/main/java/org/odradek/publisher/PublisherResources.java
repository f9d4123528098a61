// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.ClientCounters;
import org.odradek.client.ClientKind;
import org.odradek.client.ClientListener;
import org.odradek.client.Poller;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.ClusterIdentity;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.core.Releases;
import org.odradek.client.core.SafeCallbacks;
import org.odradek.client.core.SafeListener;
import org.odradek.client.net.BootstrapServers;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.client.net.PlainEnvironment;
import org.odradek.client.net.Pollers;
import org.odradek.client.tls.TlsPoller;
import org.odradek.protocol.compression.Compressor;
import org.odradek.protocol.record.RecordMemory;

import java.nio.file.Path;

/**
 * Opens everything that a publisher holds (poller, counters file, connections, direct memory) and frees it. If
 * something cannot be opened, the constructor frees what has been opened before it throws.
 */
final class PublisherResources
{
    final DutyClock clock;
    final Poller poller;
    final MemoryBudget budget;
    final SafeCallbacks callbacks;
    /** Null without a counters file. */
    final Path countersPath;
    /** Null without one. */
    final CountersFile countersFile;
    final PublisherCounters counters;
    final PublisherEvents events;
    final BatchPool pool;
    final PublishEngine engine;
    private final Releases releases = new Releases();

    PublisherResources(final PublisherContext context)
    {
        // A later call of a setter changes the settings of the context, and not this copy.
        final ClientSettings settings = context.settings.copy();
        final PublisherSettings publishing = context.publishing();
        try
        {
            clock = new DutyClock(context.nanoClock(), context.epochClock());
            countersPath = context.countersFile();
            countersFile = countersPath == null ? null : CountersFile.create(
                countersPath, context.countersFilePermissions(), ClientKind.PUBLISHER, "", clock);
            final CounterWriter writer = countersFile == null ? new CounterWriter() : countersFile.counters();
            counters = new PublisherCounters(writer, countersFile);
            callbacks = new SafeCallbacks(
                countersFile == null ? context.errorHandler() : countersFile.logged(context.errorHandler()), writer);
            final ClientListener listener = new SafeListener(context.listener(), callbacks);
            budget = new MemoryBudget(
                context.memoryBudget(), (bytes) -> writer.add(ClientCounters.BUDGET_EXCEEDED_BYTES, bytes),
                JvmMemory::directLeft, (bytes) ->
                {
                    writer.add(ClientCounters.ERRORS, 1);
                    callbacks.onError(JvmMemory.shortage(bytes));
                });
            final BrokerAddress[] bootstrap = BootstrapServers.resolve(
                settings.bootstrapServers, settings.nameResolver, clock, writer);
            poller = TlsPoller.over(Pollers.open(context.poller(), context.transport(), releases),
                context.security().tls(), budget, writer, listener, releases);
            final ClientEnvironment environment = new PlainEnvironment(settings, context.security(), poller, clock,
                budget, writer, listener, callbacks, new ClusterIdentity());
            final RecordMemory memory = budget.allocateRecords(publishing.bufferMemory());
            releases.push(() ->
            {
                memory.free();
                budget.release(publishing.bufferMemory());
            });
            pool = new BatchPool(memory, publishing.batchLength(), openCompressor(publishing));
            events = new PublisherEvents(context.listener(), callbacks, counters);
            engine = new PublishEngine(publishing, pool, events, bootstrap, environment);
            releases.push(engine::free);
            // Another client that waits on the same poller must not look at what is being freed.
            releases.push(() -> clock.nextDeadline(null));
            if (countersFile != null)
            {
                releases.push(countersFile::end);
                countersFile.begin();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            free();
            throw ex;
        }
    }

    private Compressor openCompressor(final PublisherSettings publishing)
    {
        if (publishing.compression() == Compression.NONE)
        {
            return null;
        }
        final Compressor compressor = new Compressor(
            publishing.compression().codec, publishing.compressionLevel(), publishing.batchLength());
        final int length = Compressor.maxOutputLength(publishing.batchLength()) + Compressor.stateLength(
            publishing.compression().codec, publishing.compressionLevel(), publishing.batchLength());
        budget.hold(length);
        releases.push(() ->
        {
            compressor.close();
            budget.release(length);
        });
        return compressor;
    }

    /** Notes in the counters file that the publisher works. */
    void noteWork()
    {
        if (countersFile != null)
        {
            countersFile.onWork(clock.nowNs());
        }
    }

    void free()
    {
        releases.free();
    }

    String describe()
    {
        final StringBuilder text = new StringBuilder("transport ").append(poller.description())
            .append(", memory ").append(budget.heldBytes()).append(" of a budget of ").append(budget.budgetBytes())
            .append(" bytes, ").append(pool.freeCount()).append(" of ").append(pool.capacity())
            .append(" batches free").append(countersPath == null ? "" : ", counters in " + countersPath).append('\n');
        engine.describe(text);
        return text.append(counters).toString();
    }
}
