// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.context;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;
import org.odradek.client.NameResolver;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.core.StandardErrorHandler;
import org.odradek.client.net.BootstrapServers;
import org.odradek.client.security.SecuritySettings;

import java.util.random.RandomGenerator;

/**
 * The settings that each client of a cluster has. Each setter returns this and has a getter of the same name. Sizes are
 * in bytes, and the name of a time says its unit. {@link #conclude()} checks all settings once.
 *
 * @param <C> the type of the context.
 */
public abstract class ClientContext<C extends ClientContext<C>>
{
    private final ClientSettings settings;
    private SecuritySettings security = SecuritySettings.plaintext();
    private TransportType transport;
    private Poller poller;
    private NanoClock nanoClock;
    private EpochClock epochClock = SystemEpochClock.INSTANCE;
    private ErrorHandler errorHandler;
    private long memoryBudget;
    private boolean isConcluded;
    private boolean isUsed;

    /**
     * Creates a context with the defaults.
     *
     * @param settings that the setters write.
     */
    @SuppressWarnings("exports") // only our own contexts extend this class
    protected ClientContext(final ClientSettings settings)
    {
        this.settings = settings;
    }

    @SuppressWarnings("unchecked")
    private C self()
    {
        return (C)this;
    }

    /** The brokers from which metadata is requested first: host:port, several separated by commas. */
    public final C bootstrapServers(final String servers)
    {
        settings.bootstrapServers = servers;
        return self();
    }

    /** The brokers, or null if they are not set. */
    public final String bootstrapServers()
    {
        return settings.bootstrapServers;
    }

    /** The name of this client in the brokers' logs and quotas; {@code odradek} unless set. */
    public final C clientId(final String id)
    {
        settings.clientId = id;
        return self();
    }

    /** The value of {@link #clientId(String)}. */
    public final String clientId()
    {
        return settings.clientId;
    }

    /**
     * How long connecting may take, in milliseconds; 10,000 unless set. After several failures in a row it may take up
     * to three times as long.
     */
    public final C connectTimeoutMs(final int timeoutMs)
    {
        settings.connectTimeoutMs = timeoutMs;
        return self();
    }

    /** The value of {@link #connectTimeoutMs(int)}. */
    public final int connectTimeoutMs()
    {
        return settings.connectTimeoutMs;
    }

    /**
     * The longest time until a broker responds, in milliseconds; 30,000 unless set. A consumer's {@code fetchMaxWaitMs}
     * must be less, and a publisher's {@code deliveryTimeoutMs} must not. Each 64 KiB of a response renews it, up to
     * ten times as long in all. A response that has arrived while the client was not polled is read first.
     */
    public final C requestTimeoutMs(final int timeoutMs)
    {
        settings.requestTimeoutMs = timeoutMs;
        return self();
    }

    /** The value of {@link #requestTimeoutMs(int)}. */
    public final int requestTimeoutMs()
    {
        return settings.requestTimeoutMs;
    }

    /**
     * How long to wait before a broker is connected to again, in milliseconds; 50 to 1,000 unless set. The time doubles
     * with each failure and varies at random by 20 percent.
     *
     * @param firstMs after the first failure.
     * @param maxMs   the longest time.
     */
    public final C reconnectBackoffMs(final int firstMs, final int maxMs)
    {
        settings.reconnectBackoffMs = firstMs;
        settings.reconnectBackoffMaxMs = maxMs;
        return self();
    }

    /** The time after the first failure, in milliseconds; 50 unless set. */
    public final int reconnectBackoffMs()
    {
        return settings.reconnectBackoffMs;
    }

    /** The longest time, in milliseconds; 1,000 unless set. */
    public final int reconnectBackoffMaxMs()
    {
        return settings.reconnectBackoffMaxMs;
    }

    /**
     * How long to wait before a request, or a batch of a publisher, is sent again after a failure, in milliseconds; 100
     * to 1,000 unless set. The time doubles with each failure and varies at random by 20 percent.
     *
     * @param firstMs after the first failure.
     * @param maxMs   the longest time.
     */
    public final C retryBackoffMs(final int firstMs, final int maxMs)
    {
        settings.retryBackoffMs = firstMs;
        settings.retryBackoffMaxMs = maxMs;
        return self();
    }

    /** The time after the first failure, in milliseconds; 100 unless set. */
    public final int retryBackoffMs()
    {
        return settings.retryBackoffMs;
    }

    /** The longest time, in milliseconds; 1,000 unless set. */
    public final int retryBackoffMaxMs()
    {
        return settings.retryBackoffMaxMs;
    }

    /** The age in ms at which metadata is requested again even if no leader has changed; 300,000 unless set. */
    public final C metadataMaxAgeMs(final int ageMs)
    {
        settings.metadataMaxAgeMs = ageMs;
        return self();
    }

    /** The value of {@link #metadataMaxAgeMs(int)}. */
    public final int metadataMaxAgeMs()
    {
        return settings.metadataMaxAgeMs;
    }

    /**
     * The number of brokers that lead partitions of the topics, for the memory budget; 3 unless set. The client uses
     * more brokers as well while the JVM has direct memory for them, and counts that memory.
     */
    public final C expectedLeaders(final int count)
    {
        settings.expectedLeaders = count;
        return self();
    }

    /** The value of {@link #expectedLeaders(int)}. */
    public final int expectedLeaders()
    {
        return settings.expectedLeaders;
    }

    /** How connections are encrypted and authenticated; {@link SecuritySettings#plaintext()} unless set. */
    public final C security(final SecuritySettings newSecurity)
    {
        security = newSecurity;
        return self();
    }

    /** The value of {@link #security(SecuritySettings)}. */
    public final SecuritySettings security()
    {
        return security;
    }

    /**
     * How the thread waits for sockets. Unless set, the system property {@code org.odradek.consumer.transport} decides,
     * for each kind of client, or else {@link TransportType#AUTO} does.
     */
    public final C transport(final TransportType type)
    {
        transport = type;
        return self();
    }

    /** The transport, or null: with a shared {@link #poller()}, and before {@link #conclude()} unless it was set. */
    public final TransportType transport()
    {
        return transport;
    }

    /**
     * A poller to share with the other clients of the same thread. It is not closed with the client. A wait of any of
     * them ends when a socket of any of them is ready, or any of them has something to do, such as a retry, a refresh
     * or a heartbeat: let all of them work in turn.
     */
    public final C poller(final Poller shared)
    {
        poller = shared;
        return self();
    }

    /** The shared poller, or null if the client opens its own. */
    public final Poller poller()
    {
        return poller;
    }

    /** Resolves host names; {@link NameResolver#SYSTEM} unless set. */
    public final C nameResolver(final NameResolver resolver)
    {
        settings.nameResolver = resolver;
        return self();
    }

    /** The value of {@link #nameResolver(NameResolver)}. */
    public final NameResolver nameResolver()
    {
        return settings.nameResolver;
    }

    /**
     * The clock with which all times are measured, also those of polls, waits and a close; the system's unless set. It
     * should advance as time does, also during a wait. While it stands still no retry and no timeout is due, and a call
     * that waits ends at the latest with the wait in which it has stood still for a second.
     */
    public final C nanoClock(final NanoClock clock)
    {
        nanoClock = clock;
        return self();
    }

    /** The clock, or null before {@link #conclude()} unless it was set. */
    public final NanoClock nanoClock()
    {
        return nanoClock;
    }

    /**
     * The time of day; the system's unless set: for times in files, for a consumer's durations that count back from now
     * and ages of records, and for the timestamps of a publisher's records.
     */
    public final C epochClock(final EpochClock clock)
    {
        epochClock = clock;
        return self();
    }

    /** The value of {@link #epochClock(EpochClock)}. */
    public final EpochClock epochClock()
    {
        return epochClock;
    }

    /** Varies the backoffs at random. It is used by the thread of the client only. */
    public final C random(final RandomGenerator generator)
    {
        settings.random = generator;
        return self();
    }

    /** The value of {@link #random(RandomGenerator)}. */
    public final RandomGenerator random()
    {
        return settings.random;
    }

    /**
     * Receives errors, on the thread of the client; the standard error stream unless set. An exception that it throws
     * is thrown at the end of the poll or work, and the next call continues.
     */
    public final C errorHandler(final ErrorHandler handler)
    {
        errorHandler = handler;
        return self();
    }

    /** The error handler, or null before {@link #conclude()} unless it was set. */
    public final ErrorHandler errorHandler()
    {
        return errorHandler;
    }

    /**
     * Checks every setting, fills in those that are not set, and computes the memory budget. Connecting does this if it
     * has not been done.
     *
     * @throws IllegalArgumentException with one sentence that names the setting, its value and the expected one.
     * @throws IllegalStateException    if called again, or if the JVM lacks a flag or memory.
     */
    public final C conclude()
    {
        checkFirst(isConcluded);
        JvmMemory.checkAccess();
        BootstrapServers.check("bootstrapServers", settings.bootstrapServers);
        settings.checkClient();
        ClientSettings.checkSet("epochClock", epochClock);
        ClientSettings.checkSet("security", security);
        security.check();
        final TransportType chosen = ClientSettings.transport(transport, poller != null);
        memoryBudget = concludeOwn();
        transport = chosen;
        nanoClock = nanoClock == null ? SystemNanoClock.INSTANCE : nanoClock;
        errorHandler = errorHandler == null ? new StandardErrorHandler() : errorHandler;
        isConcluded = true;
        return self();
    }

    /**
     * Checks the other settings, and fills in those of them that are not set. After an exception nothing has changed.
     *
     * @return the direct memory in bytes that the client needs.
     */
    protected abstract long concludeOwn();

    /** Concludes this context if that has not been done, and refuses a second client. */
    protected final void useOnce()
    {
        checkFirst(isUsed);
        if (!isConcluded)
        {
            conclude();
        }
        isUsed = true;
    }

    private void checkFirst(final boolean isDone)
    {
        if (isDone)
        {
            throw new IllegalStateException(
                "a " + getClass().getSimpleName() + " serves one client: make another");
        }
    }

    /**
     * The direct memory in bytes that the client holds for {@code expectedLeaders}, and that of the library that
     * compresses; 0 before {@link #conclude()}.
     */
    public final long memoryBudget()
    {
        return memoryBudget;
    }
}
