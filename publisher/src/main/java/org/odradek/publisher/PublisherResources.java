// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.ClientKind;
import org.odradek.client.ClientListener;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.ClusterIdentity;
import org.odradek.client.core.SafeListener;
import org.odradek.client.engine.ClientResources;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.client.net.PlainEnvironment;
import org.odradek.protocol.compression.Compressor;
import org.odradek.protocol.record.RecordMemory;

/** The resources of a publisher in addition to those that each client has, until {@link #free()}. */
final class PublisherResources extends ClientResources<ClientListener>
{
    final PublisherCounters counters;
    final PublisherEvents events;
    final BatchPool pool;
    final PublishEngine engine;

    PublisherResources(final PublisherContext context)
    {
        this(context, context.settings.copy());
    }

    private PublisherResources(final PublisherContext context, final ClientSettings settings)
    {
        super(context, settings, ClientKind.PUBLISHER, "",
            (callbacks) -> new SafeListener(context.listener(), callbacks));
        final PublisherSettings publishing = context.publishing();
        counters = new PublisherCounters(writer, countersFile);
        try
        {
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
            releaseEngine(engine::free);
            begin();
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

    void noteWork()
    {
        if (countersFile != null)
        {
            countersFile.onWork(clock.nowNs());
        }
    }

    String describe()
    {
        final StringBuilder text = new StringBuilder();
        describeClient(text);
        text.append(", ").append(pool.freeCount()).append(" of ").append(pool.capacity()).append(" batches free\n");
        engine.describe(text);
        return text.append(counters).toString();
    }
}
