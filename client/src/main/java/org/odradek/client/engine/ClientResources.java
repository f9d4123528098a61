// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.engine;

import org.agrona.ErrorHandler;
import org.odradek.client.AuthenticationException;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientKind;
import org.odradek.client.ClientListener;
import org.odradek.client.Poller;
import org.odradek.client.context.ClientContext;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.core.Releases;
import org.odradek.client.core.SafeCallbacks;
import org.odradek.client.net.BootstrapServers;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.Pollers;
import org.odradek.client.tls.TlsPoller;

import java.nio.file.Path;
import java.util.function.Function;

/** Holds the resources that each client has, such as the counters file and the poller, until {@link #free()}. */
public abstract class ClientResources<L extends ClientListener>
{
    public final DutyClock clock;
    /** This path is null if there is no counters file. */
    public final Path countersPath;
    public final CountersFile countersFile;
    public final CounterWriter writer;
    public final SafeCallbacks callbacks;
    public final MemoryBudget budget;
    public final Poller poller;
    protected final L listener;
    protected final BrokerAddress[] bootstrap;
    protected final Releases releases = new Releases();
    private final int socketReceiveBufferLength;

    /**
     * Opens the resources, and looks up the names of the bootstrap servers, which may block.
     *
     * @param topic name of the topic that a consumer reads; empty for a publisher.
     */
    protected ClientResources(
        final ClientContext<?> context,
        final ClientSettings settings,
        final ClientKind kind,
        final String topic,
        final Function<SafeCallbacks, L> safe)
    {
        clock = new DutyClock(context.nanoClock(), context.epochClock());
        socketReceiveBufferLength = settings.socketReceiveBufferLength;
        countersPath = context.countersFile();
        countersFile = countersPath == null ? null :
            CountersFile.create(countersPath, context.countersFilePermissions(), kind, topic, clock);
        if (countersFile != null)
        {
            releases.push(countersFile::end);
        }
        writer = countersFile == null ? new CounterWriter() : countersFile.counters();
        final ErrorHandler errorHandler = context.errorHandler();
        callbacks = new SafeCallbacks(countersFile == null ? errorHandler : countersFile.logged(errorHandler), writer);
        listener = safe.apply(callbacks);
        budget = new MemoryBudget(
            context.memoryBudget(), this::onBudgetExceeded, JvmMemory::directLeft, this::onShortage);
        try
        {
            bootstrap = BootstrapServers.resolve(settings.bootstrapServers, settings.nameResolver, clock, writer);
            poller = TlsPoller.over(Pollers.open(context.poller(), context.transport(), releases),
                context.security().tls(), budget, writer, listener, releases);
        }
        catch (final RuntimeException | Error ex)
        {
            free();
            throw ex;
        }
    }

    private void onBudgetExceeded(final long bytes)
    {
        writer.add(ClientCounters.BUDGET_EXCEEDED_BYTES, bytes);
    }

    private void onShortage(final long bytes)
    {
        writer.add(ClientCounters.ERRORS, 1);
        callbacks.onError(JvmMemory.shortage(bytes));
    }

    public final long refusals()
    {
        return writer.get(ClientCounters.AUTHENTICATION_FAILURES);
    }

    /**
     * Returns the last reported refusal of the client's credentials, or null if there is none or if no broker has
     * refused them since {@link #refusals()} returned {@code earlierRefusals}.
     */
    public final AuthenticationException refusalSince(final long earlierRefusals)
    {
        return refusals() == earlierRefusals ? null : callbacks.lastRefusal();
    }

    /**
     * The deadline of this client is removed before the engine is freed, so that another client on the same poller does
     * not read it from an engine that is being freed.
     */
    protected final void releaseEngine(final Runnable free)
    {
        releases.push(free);
        releases.push(() -> clock.nextDeadline(null));
    }

    protected final void begin()
    {
        if (countersFile != null)
        {
            countersFile.begin();
        }
    }

    public final void free()
    {
        releases.free();
    }

    protected final void describeClient(final StringBuilder text)
    {
        text.append("transport ").append(poller.description())
            .append(", memory ").append(budget.heldBytes()).append(" of a budget of ").append(budget.budgetBytes())
            .append(" bytes, ").append(budget.reservedBytes()).append(" reserved")
            .append(countersPath == null ? "" : ", counters in " + countersPath)
            .append(socketReceiveBufferLength == 0 ? "" :
            ", socket receive buffers fixed at " + socketReceiveBufferLength + " bytes");
    }
}
