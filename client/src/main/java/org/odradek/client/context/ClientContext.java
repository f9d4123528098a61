// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.context;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;
import org.odradek.client.CountersFileReader;
import org.odradek.client.NameResolver;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.core.StandardErrorHandler;
import org.odradek.client.files.WrittenFile;
import org.odradek.client.net.BootstrapServers;
import org.odradek.client.net.Pollers;
import org.odradek.client.security.SecuritySettings;

import java.nio.file.Path;
import java.util.random.RandomGenerator;

/**
 * Contains the settings that every client has. Each setter returns this object and has a getter of the same name. Sizes
 * are in bytes, and the name of a time contains its unit. The setters do not check values; {@link #conclude()} does.
 *
 * @param <C> type of the context, which the setters return.
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
    private Path countersFile;
    private String countersFilePermissions = WrittenFile.defaultPermissions();
    private long memoryBudget;
    private boolean isConcluded;
    private boolean isUsed;

    /**
     * Creates a context with the defaults.
     *
     * @param settings object that the setters write to.
     */
    @SuppressWarnings("exports") // only contexts of Odradek extend this class
    protected ClientContext(final ClientSettings settings)
    {
        this.settings = settings;
    }

    /**
     * Opens a poller that several clients of one thread can share ({@link #poller(Poller)}). The caller closes the
     * poller after the clients.
     *
     * @param type the transport; {@link TransportType#AUTO} uses epoll if it works on this machine, otherwise NIO.
     * @throws IllegalStateException if {@link TransportType#EPOLL} is requested and does not work on this machine.
     */
    public static Poller openPoller(final TransportType type)
    {
        return Pollers.open(type);
    }

    @SuppressWarnings("unchecked")
    private C self()
    {
        return (C)this;
    }

    /**
     * Sets the brokers from which metadata is requested first: one or more host:port, separated by commas. The setting
     * has no default.
     */
    public final C bootstrapServers(final String servers)
    {
        settings.bootstrapServers = servers;
        return self();
    }

    /** Returns the bootstrap servers, or null if they are not set. */
    public final String bootstrapServers()
    {
        return settings.bootstrapServers;
    }

    /** Sets the name of this client in the brokers' logs and quotas. The default is {@code odradek}. */
    public final C clientId(final String id)
    {
        settings.clientId = id;
        return self();
    }

    /** Returns the name of this client in the brokers' logs and quotas. */
    public final String clientId()
    {
        return settings.clientId;
    }

    /**
     * Sets the timeout of a connect, in milliseconds; the default is 10,000. After one failure of the connection the
     * next connect may take twice as long, and after two or more failures in a row three times as long.
     */
    public final C connectTimeoutMs(final int timeoutMs)
    {
        settings.connectTimeoutMs = timeoutMs;
        return self();
    }

    /** Returns the timeout of a connect without earlier failures, in milliseconds. */
    public final int connectTimeoutMs()
    {
        return settings.connectTimeoutMs;
    }

    /**
     * Sets how long to wait for a response of a broker, in milliseconds; the default is 30,000. A consumer's {@code
     * fetchMaxWaitMs} must be less than this timeout, and a publisher's {@code deliveryTimeoutMs} must not be less.
     * Each 64 KiB of a response renews the timeout, up to ten times its length in total. A response that has arrived
     * while the client was not polled is read before the timeout is checked.
     */
    public final C requestTimeoutMs(final int timeoutMs)
    {
        settings.requestTimeoutMs = timeoutMs;
        return self();
    }

    /** Returns how long to wait for a response of a broker, in milliseconds. */
    public final int requestTimeoutMs()
    {
        return settings.requestTimeoutMs;
    }

    /**
     * Sets how long to wait before connecting to a broker again, in milliseconds; the defaults are 50 and 1,000. The
     * time doubles with each failure in a row, up to {@code maxMs}, and is then varied at random by up to 20 percent.
     *
     * @param firstMs wait after the first failure, 1 or more.
     * @param maxMs   longest wait, {@code firstMs} or more.
     */
    public final C reconnectBackoffMs(final int firstMs, final int maxMs)
    {
        settings.reconnectBackoffMs = firstMs;
        settings.reconnectBackoffMaxMs = maxMs;
        return self();
    }

    /** Returns the wait after the first failure of a connection, in milliseconds, without the random variation. */
    public final int reconnectBackoffMs()
    {
        return settings.reconnectBackoffMs;
    }

    /** Returns the longest wait before a connect, in milliseconds, without the random variation. */
    public final int reconnectBackoffMaxMs()
    {
        return settings.reconnectBackoffMaxMs;
    }

    /**
     * Sets how long to wait before sending a request, or a batch of a publisher, again after a failure, in
     * milliseconds; the defaults are 100 and 1,000. The time doubles with each failure in a row, up to {@code maxMs},
     * and is then varied at random by up to 20 percent.
     *
     * @param firstMs wait after the first failure, 1 or more.
     * @param maxMs   longest wait, {@code firstMs} or more.
     */
    public final C retryBackoffMs(final int firstMs, final int maxMs)
    {
        settings.retryBackoffMs = firstMs;
        settings.retryBackoffMaxMs = maxMs;
        return self();
    }

    /** Returns the wait before the first retry of a request, in milliseconds, without the random variation. */
    public final int retryBackoffMs()
    {
        return settings.retryBackoffMs;
    }

    /** Returns the longest wait before a retry of a request, in milliseconds, without the random variation. */
    public final int retryBackoffMaxMs()
    {
        return settings.retryBackoffMaxMs;
    }

    /**
     * Sets the age at which metadata is requested again even if no leader has changed, in milliseconds; the default is
     * 300,000.
     */
    public final C metadataMaxAgeMs(final int ageMs)
    {
        settings.metadataMaxAgeMs = ageMs;
        return self();
    }

    /** Returns the age at which metadata is requested again, in milliseconds. */
    public final int metadataMaxAgeMs()
    {
        return settings.metadataMaxAgeMs;
    }

    /**
     * Sets the time in milliseconds without a response to a metadata request after which the client returns to the
     * bootstrap servers; the default is 300,000. Only time in which the client is polled counts. The setting
     * corresponds to Kafka's metadata.recovery.rebootstrap.trigger.ms.
     */
    public final C rebootstrapTriggerMs(final int triggerMs)
    {
        settings.rebootstrapTriggerMs = triggerMs;
        return self();
    }

    /**
     * Returns the time in milliseconds without a metadata response after which the client returns to the bootstrap
     * servers.
     */
    public final int rebootstrapTriggerMs()
    {
        return settings.rebootstrapTriggerMs;
    }

    /**
     * Sets the length of the receive buffer of each socket (SO_RCVBUF) in bytes. With 0, the default, the kernel tunes
     * the length.
     */
    public final C socketReceiveBufferLength(final int length)
    {
        settings.socketReceiveBufferLength = length;
        return self();
    }

    /** Returns the length of the receive buffer of each socket in bytes; 0 if the kernel tunes the length. */
    public final int socketReceiveBufferLength()
    {
        return settings.socketReceiveBufferLength;
    }

    /**
     * Sets the expected number of brokers that lead partitions of the topics; the default is 3. The memory budget is
     * computed from this number. If there are more leaders, the client also connects to them as long as the JVM has
     * direct memory, and counts the memory beyond the budget.
     */
    public final C expectedLeaders(final int count)
    {
        settings.expectedLeaders = count;
        return self();
    }

    /** Returns the expected number of brokers that lead partitions of the topics. */
    public final int expectedLeaders()
    {
        return settings.expectedLeaders;
    }

    /** Sets how connections are encrypted and authenticated. The default is {@link SecuritySettings#plaintext()}. */
    public final C security(final SecuritySettings newSecurity)
    {
        security = newSecurity;
        return self();
    }

    /** Returns how connections are encrypted and authenticated. */
    public final SecuritySettings security()
    {
        return security;
    }

    /**
     * Sets the transport with which the client waits for its sockets. The default is the value of the system property
     * {@code org.odradek.transport}, for publishers as well as for consumers. Without the property the default is
     * {@link TransportType#AUTO}.
     */
    public final C transport(final TransportType type)
    {
        transport = type;
        return self();
    }

    /**
     * Returns the transport; null if a shared {@link #poller()} is set, or before {@link #conclude()} if no transport
     * was set.
     */
    public final TransportType transport()
    {
        return transport;
    }

    /**
     * Sets a poller that this client shares with other clients of the same thread, and does not close. A wait of one
     * client also ends when a socket of another client is ready, or when another client has something to do, such as a
     * retry, a metadata refresh or a heartbeat. The thread must call all clients in turn. By default, or with null, the
     * client opens its own poller.
     */
    public final C poller(final Poller shared)
    {
        poller = shared;
        return self();
    }

    /** Returns the shared poller, or null if the client opens its own. */
    public final Poller poller()
    {
        return poller;
    }

    /** Sets the resolver of host names. The default is {@link NameResolver#SYSTEM}. */
    public final C nameResolver(final NameResolver resolver)
    {
        settings.nameResolver = resolver;
        return self();
    }

    /** Returns the resolver of host names. */
    public final NameResolver nameResolver()
    {
        return settings.nameResolver;
    }

    /**
     * Sets the clock that measures timeouts and backoffs. The default is the system's clock. The clock should advance
     * like real time, also during a wait. While the clock does not advance, no new retry and no new timeout becomes
     * due, and a call that waits returns after about a second.
     */
    public final C nanoClock(final NanoClock clock)
    {
        nanoClock = clock;
        return self();
    }

    /** Returns the clock, which is null before {@link #conclude()} if it was not set. */
    public final NanoClock nanoClock()
    {
        return nanoClock;
    }

    /**
     * Sets the clock for the time of day. The default is the system's clock. A client uses the clock for the times in
     * its files. A consumer also uses the clock for the ages of records, and for start times that are given as a
     * duration before now, such as that of the reset policy. A publisher also uses the clock for the timestamps of
     * records.
     */
    public final C epochClock(final EpochClock clock)
    {
        epochClock = clock;
        return self();
    }

    /** Returns the clock for the time of day. */
    public final EpochClock epochClock()
    {
        return epochClock;
    }

    /**
     * Sets the generator of random numbers, which vary the backoffs, for example. Only the thread of the client uses
     * the generator. The default is a new generator for each context.
     */
    public final C random(final RandomGenerator generator)
    {
        settings.random = generator;
        return self();
    }

    /** Returns the generator of random numbers. */
    public final RandomGenerator random()
    {
        return settings.random;
    }

    /**
     * Sets the handler of errors, which is called on the thread of the client. By default errors are written to the
     * standard error stream. An exception of the handler is thrown at the end of the call in which it occurred, such as
     * a poll; the next call continues normally.
     */
    public final C errorHandler(final ErrorHandler handler)
    {
        errorHandler = handler;
        return self();
    }

    /** Returns the error handler, which is null before {@link #conclude()} if it was not set. */
    public final ErrorHandler errorHandler()
    {
        return errorHandler;
    }

    /**
     * Keeps counters and distinct errors in a mapped file, which {@link CountersFileReader} and the command line tool
     * read. Each client needs a file of its own. By default there is no file, and the counters are in memory.
     *
     * @param path path of the file, preferably in /dev/shm, or null for no file. An existing file is replaced; while
     *             the client that writes the file is running, creating another client throws an IllegalStateException
     *             instead.
     */
    public final C countersFile(final Path path)
    {
        countersFile = path;
        return self();
    }

    /** Returns the path at which the counters file is created, or null for no file. */
    public final Path countersFile()
    {
        return countersFile;
    }

    /**
     * Sets the permissions of the counters file. The file also contains the messages of errors.
     *
     * @param permissions {@code rw-------} (the owner only, the default), {@code rw-r-----} (also the group) or {@code
     *                    rw-r--r--} (all users). A stricter umask of the process prevails. The system property {@code
     *                    org.odradek.file.permissions} sets the default.
     */
    public final C countersFilePermissions(final String permissions)
    {
        countersFilePermissions = permissions;
        return self();
    }

    /** Returns the permissions of the counters file, such as {@code rw-------}. */
    public final String countersFilePermissions()
    {
        return countersFilePermissions;
    }

    /**
     * Checks the settings, fills in the defaults, and computes the memory budget. Creating a client calls this method
     * if it was not called before. Do not change a setting afterwards: the change is not checked, and may have no
     * effect.
     *
     * @throws IllegalArgumentException if a setting has a value that is not possible; the message names the setting or
     *                                  the certificate store.
     * @throws IllegalStateException    if this method was called before, or if the JVM lacks a flag or has too little
     *                                  direct memory.
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
        CountersFile.checkSettings(countersFile, countersFilePermissions);
        final TransportType chosen = ClientSettings.transport(transport, poller != null);
        memoryBudget = concludeOwn();
        transport = chosen;
        nanoClock = nanoClock == null ? SystemNanoClock.INSTANCE : nanoClock;
        errorHandler = errorHandler == null ? new StandardErrorHandler() : errorHandler;
        isConcluded = true;
        return self();
    }

    /**
     * Checks the settings of the subclass, and fills in their defaults.
     *
     * @return the direct memory that the client needs, in bytes.
     */
    protected abstract long concludeOwn();

    /**
     * Concludes this context if that was not done before, and refuses a second client.
     *
     * @throws IllegalStateException if a client was created with this context before.
     */
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
     * Returns the direct memory that the client needs with {@code expectedLeaders} leaders, in bytes; 0 before {@link
     * #conclude()}.
     */
    public final long memoryBudget()
    {
        return memoryBudget;
    }
}
