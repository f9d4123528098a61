// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

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
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.tls.TlsPoller;
import org.odradek.protocol.TopicName;
import org.odradek.protocol.compression.Compressor;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The settings of one {@link Publisher}. Each setter returns this. Sizes are in bytes, and the name of a time says its
 * unit. {@link #conclude()} checks all settings once.
 */
public final class PublisherContext
{
    /** The default of {@link #batchLength(int)}. */
    public static final int BATCH_LENGTH_DEFAULT = 64 * 1024;
    /** The default of {@link #bufferMemory(int)}. */
    public static final int BUFFER_MEMORY_DEFAULT = 16 * 1024 * 1024;
    /** The default of {@link #requestMaxLength(int)}. */
    public static final int REQUEST_MAX_LENGTH_DEFAULT = 1024 * 1024;
    /** The default of {@link #sendIntervalUs(int)}. */
    public static final int SEND_INTERVAL_US_DEFAULT = 1_000;
    /** The default of {@link #deliveryTimeoutMs(int)}. */
    public static final int DELIVERY_TIMEOUT_MS_DEFAULT = 120_000;

    private static final int LEAST_BATCH_LENGTH = 1024;
    /** What a connection holds besides its longest buffers. */
    private static final int SMALL_BUFFERS = 4 * 1024;
    /** A response of metadata may be so long. */
    private static final int RECEIVE_BUFFER_MAX_LENGTH = 64 * 1024 * 1024;

    final ClientSettings settings = new ClientSettings();
    private Acks acks = Acks.ALL;
    private int sendIntervalUs = SEND_INTERVAL_US_DEFAULT;
    private int batchLength = BATCH_LENGTH_DEFAULT;
    private int bufferMemory = BUFFER_MEMORY_DEFAULT;
    private int requestMaxLength = REQUEST_MAX_LENGTH_DEFAULT;
    private int deliveryTimeoutMs = DELIVERY_TIMEOUT_MS_DEFAULT;
    private Compression compression = Compression.NONE;
    private int compressionLevel = Compressor.DEFAULT_LEVEL;
    private String roleName = "odradek-publisher";
    private SecuritySettings security = SecuritySettings.plaintext();
    private TransportType transport;
    private Poller poller;
    private NanoClock nanoClock = SystemNanoClock.INSTANCE;
    private EpochClock epochClock = SystemEpochClock.INSTANCE;
    private PublisherListener listener = PublisherListener.NONE;
    private ErrorHandler errorHandler = new StandardErrorHandler();
    private Path countersFile;
    private String countersFilePermissions = WrittenFile.defaultPermissions();
    private long memoryBudget;
    private boolean isConcluded;
    private boolean isUsed;

    /** Creates a context with the defaults. */
    public PublisherContext()
    {
        settings.receiveBufferMaxLength = RECEIVE_BUFFER_MAX_LENGTH;
    }

    /** The brokers from which metadata is requested first: host:port, several separated by commas. */
    public PublisherContext bootstrapServers(final String servers)
    {
        settings.bootstrapServers = servers;
        return this;
    }

    /** The name that brokers know this client by, for quotas and logs; {@code odradek} unless set. */
    public PublisherContext clientId(final String id)
    {
        settings.clientId = id;
        return this;
    }

    /** When a batch counts as acknowledged; {@link Acks#ALL} unless set, with which the publisher is idempotent. */
    public PublisherContext acks(final Acks newAcks)
    {
        acks = newAcks;
        return this;
    }

    /**
     * The shortest time between two requests to a broker with batches that are not full, in microseconds; 1,000 unless
     * set. Meanwhile they fill: a longer time costs latency and saves CPU time here and at the broker. Full batches are
     * sent as soon as the request before is answered, and so is everything when {@link #bufferMemory(int)} is in use.
     * With 0 nothing else is waited for. Together with the request timeout it must fit into the delivery timeout.
     */
    public PublisherContext sendIntervalUs(final int intervalUs)
    {
        sendIntervalUs = intervalUs;
        return this;
    }

    /**
     * The length in bytes of each piece of memory that a batch is written into, and so the longest batch; 64 KiB unless
     * set. A record must fit into it with about 90 bytes more. Brokers refuse a batch that is longer than {@code
     * max.message.bytes} of its topic, 1 MiB by default.
     */
    public PublisherContext batchLength(final int length)
    {
        batchLength = length;
        return this;
    }

    /**
     * The memory in bytes for all batches that are not acknowledged yet, which all partitions share; 16 MiB unless set.
     * When it is in use, offers are answered with {@link OfferResult#BACK_PRESSURED}. Each partition with records takes
     * at least one batch.
     */
    public PublisherContext bufferMemory(final int length)
    {
        bufferMemory = length;
        return this;
    }

    /**
     * The longest request in bytes, for which each connection has a buffer; 1 MiB unless set. It must hold the longest
     * batch.
     */
    public PublisherContext requestMaxLength(final int length)
    {
        requestMaxLength = length;
        return this;
    }

    /**
     * The time in milliseconds after which a batch is given up that was not acknowledged, counted from its first
     * record; 120,000 unless set, and at least the request timeout. A batch in flight is not given up before its
     * request has ended: by an answer, a timeout or a lost connection. If it was sent, whether it was written is not
     * known.
     */
    public PublisherContext deliveryTimeoutMs(final int timeoutMs)
    {
        deliveryTimeoutMs = timeoutMs;
        return this;
    }

    /** How batches are compressed, just before they are sent; {@link Compression#NONE} unless set. */
    public PublisherContext compression(final Compression newCompression)
    {
        compression = newCompression;
        return this;
    }

    /**
     * The level of the compression: a higher one takes more time and makes batches shorter. Unless set, it is that of
     * Kafka's producer.
     *
     * @param level as {@link Compression} says.
     */
    public PublisherContext compressionLevel(final int level)
    {
        compressionLevel = level;
        return this;
    }

    /** The longest time until a broker responds, in milliseconds; 30,000 unless set. */
    public PublisherContext requestTimeoutMs(final int timeoutMs)
    {
        settings.requestTimeoutMs = timeoutMs;
        return this;
    }

    /** How long connecting may take, in milliseconds; 10,000 unless set. */
    public PublisherContext connectTimeoutMs(final int timeoutMs)
    {
        settings.connectTimeoutMs = timeoutMs;
        return this;
    }

    /**
     * How long to wait before a broker is connected to again, in milliseconds; 50 to 1,000 unless set. The time doubles
     * with each failure and varies at random by 20 percent.
     *
     * @param firstMs after the first failure.
     * @param maxMs   the longest time.
     */
    public PublisherContext reconnectBackoffMs(final int firstMs, final int maxMs)
    {
        settings.reconnectBackoffMs = firstMs;
        settings.reconnectBackoffMaxMs = maxMs;
        return this;
    }

    /**
     * How long to wait before a batch or a request is sent again, in milliseconds; 100 to 1,000 unless set. The time
     * doubles with each failure and varies at random by 20 percent.
     *
     * @param firstMs after the first failure.
     * @param maxMs   the longest time.
     */
    public PublisherContext retryBackoffMs(final int firstMs, final int maxMs)
    {
        settings.retryBackoffMs = firstMs;
        settings.retryBackoffMaxMs = maxMs;
        return this;
    }

    /** The age in ms at which metadata is requested again even if no leader has changed; 300,000 unless set. */
    public PublisherContext metadataMaxAgeMs(final int ageMs)
    {
        settings.metadataMaxAgeMs = ageMs;
        return this;
    }

    /** The number of brokers that lead partitions of the topics, for the memory budget; 3 unless set. */
    public PublisherContext expectedLeaders(final int count)
    {
        settings.expectedLeaders = count;
        return this;
    }

    /** How connections are encrypted and authenticated; {@link SecuritySettings#plaintext()} unless set. */
    public PublisherContext security(final SecuritySettings newSecurity)
    {
        security = newSecurity;
        return this;
    }

    /**
     * How the thread waits for sockets. Unless set, the system property {@code org.odradek.consumer.transport} decides,
     * as for a consumer, or else {@link TransportType#AUTO} does.
     */
    public PublisherContext transport(final TransportType type)
    {
        transport = type;
        return this;
    }

    /**
     * A poller to share with the consumers and publishers of the same thread. It is not closed with the publisher. A
     * consumer's poll that waits ends when a socket of the publisher is ready and at
     * {@link Publisher#nextDeadlineNs()}, so that {@link Publisher#doWork()} can be called.
     */
    public PublisherContext poller(final Poller shared)
    {
        poller = shared;
        return this;
    }

    /** Resolves host names; {@link NameResolver#SYSTEM} unless set. */
    public PublisherContext nameResolver(final NameResolver resolver)
    {
        settings.nameResolver = resolver;
        return this;
    }

    /**
     * The clock with which all times are measured; the system's unless set. It should advance as time does, also during
     * a wait. While it stands still no retry and no timeout is due, and a call that waits ends at the latest with the
     * wait in which it has stood still for a second.
     */
    public PublisherContext nanoClock(final NanoClock clock)
    {
        nanoClock = clock;
        return this;
    }

    /** The time of day, for the timestamps of records; the system's unless set. */
    public PublisherContext epochClock(final EpochClock clock)
    {
        epochClock = clock;
        return this;
    }

    /** Varies the backoffs at random. It is used by the thread of the publisher only. */
    public PublisherContext random(final RandomGenerator generator)
    {
        settings.random = generator;
        return this;
    }

    /** Receives events, on the thread of the publisher; {@link PublisherListener#NONE} unless set. */
    public PublisherContext listener(final PublisherListener newListener)
    {
        listener = newListener;
        return this;
    }

    /**
     * Receives errors, on the thread of the publisher; the standard error stream unless set. An exception that it
     * throws is thrown at the end of the work, and the next call continues.
     */
    public PublisherContext errorHandler(final ErrorHandler handler)
    {
        errorHandler = handler;
        return this;
    }

    /**
     * Keeps counters and distinct errors in a mapped file, which {@link CountersFileReader} and the commands read. Each
     * client needs a file of its own. Without one, the counters are in memory and only the error handler receives
     * errors.
     *
     * @param path of the file, preferably in /dev/shm, or null; an existing file is replaced unless its client runs.
     */
    public PublisherContext countersFile(final Path path)
    {
        countersFile = path;
        return this;
    }

    /**
     * Lets other users read the counters file, such as the user of a process that exports it to Prometheus. The file
     * also contains the messages of errors.
     *
     * @param permissions {@code rw-------} (the owner only, the default), {@code rw-r-----} (also the group) or {@code
     *                    rw-r--r--} (all users). A stricter umask of the process prevails. The system property {@code
     *                    org.odradek.consumer.file.permissions} sets the default, as for a consumer.
     */
    public PublisherContext countersFilePermissions(final String permissions)
    {
        countersFilePermissions = permissions;
        return this;
    }

    /** The name of the agent, which Agrona's runners name its thread after; {@code odradek-publisher} unless set. */
    public PublisherContext roleName(final String name)
    {
        roleName = name;
        return this;
    }

    /**
     * Checks every setting and computes the memory budget. {@link Publisher#connect} does this if it has not been done.
     *
     * @throws IllegalArgumentException with one sentence that names the setting, its value and the expected one.
     * @throws IllegalStateException    if called again, or if the JVM lacks a flag or memory.
     */
    public PublisherContext conclude()
    {
        checkFirst(isConcluded);
        JvmMemory.checkAccess();
        BootstrapServers.check("bootstrapServers", settings.bootstrapServers);
        settings.checkClient();
        ClientSettings.checkPositive("requestTimeoutMs", settings.requestTimeoutMs);
        ClientSettings.checkSet("acks", acks);
        ClientSettings.checkRange("batchLength", batchLength, LEAST_BATCH_LENGTH, 1 << 30);
        ClientSettings.checkRange("bufferMemory (must hold a batch of batchLength)",
            bufferMemory, batchLength, Integer.MAX_VALUE - 8);
        ClientSettings.checkRange("requestMaxLength (must hold a batch of batchLength and its framing)",
            requestMaxLength, ProduceRequest.leastLength(settings.clientId, batchLength, TopicName.MAX_LENGTH),
            Integer.MAX_VALUE - 8);
        ClientSettings.checkRange("deliveryTimeoutMs (must not be less than requestTimeoutMs)",
            deliveryTimeoutMs, settings.requestTimeoutMs, Integer.MAX_VALUE);
        ClientSettings.checkRange("sendIntervalUs (must fit into deliveryTimeoutMs beside requestTimeoutMs)",
            sendIntervalUs, 0, (int)Math.min(Integer.MAX_VALUE, TimeUnit.MILLISECONDS.toMicros(
            deliveryTimeoutMs - settings.requestTimeoutMs)));
        ClientSettings.checkSet("roleName", roleName);
        ClientSettings.checkSet("nanoClock", nanoClock);
        ClientSettings.checkSet("epochClock", epochClock);
        ClientSettings.checkSet("listener", listener);
        ClientSettings.checkSet("errorHandler", errorHandler);
        CountersFile.checkSettings(countersFile, countersFilePermissions);
        checkCompression();
        checkConnections();
        memoryBudget = JvmMemory.check(directMemory(), "bufferMemory, requestMaxLength or expectedLeaders") +
            (compression == Compression.NONE ? 0 :
            Compressor.stateLength(compression.codec, compressionLevel, batchLength));
        isConcluded = true;
        return this;
    }

    private void checkCompression()
    {
        ClientSettings.checkSet("compression", compression);
        if (compressionLevel != Compressor.DEFAULT_LEVEL)
        {
            if (!compression.hasLevels())
            {
                throw new IllegalArgumentException("compressionLevel is " + compressionLevel +
                    ": it must not be set with the compression " + compression + ", which has no levels");
            }
            ClientSettings.checkRange("compressionLevel (of " + compression + ")",
                compressionLevel, compression.minLevel, compression.maxLevel);
        }
    }

    private void checkConnections()
    {
        ClientSettings.checkSet("security", security);
        security.check();
        transport = ClientSettings.transport(transport, poller != null);
    }

    private long directMemory()
    {
        final long perConnection = settings.controlBufferLength() + SMALL_BUFFERS +
            (security.tls() == null ? 0 : TlsPoller.LENGTH_PER_SOCKET);
        final long compressorLength = compression == Compression.NONE ? 0 : Compressor.maxOutputLength(batchLength);
        return poolLength() + compressorLength +
            settings.expectedLeaders * (perConnection + requestMaxLength) + perConnection;
    }

    /** The memory of as many whole batches as fit. */
    private int poolLength()
    {
        return bufferMemory / batchLength * batchLength;
    }

    private static void checkFirst(final boolean isDone)
    {
        if (isDone)
        {
            throw new IllegalStateException("a PublisherContext serves one publisher: make another");
        }
    }

    /** Concludes this context if that has not been done, and refuses a second publisher. */
    PublisherContext use()
    {
        checkFirst(isUsed);
        final PublisherContext concluded = isConcluded ? this : conclude();
        isUsed = true;
        return concluded;
    }

    /**
     * The direct memory that a publisher holds for {@code expectedLeaders}, and the memory of the library that
     * compresses, in bytes; 0 before {@link #conclude()}.
     */
    public long memoryBudget()
    {
        return memoryBudget;
    }

    PublisherSettings publishing()
    {
        return new PublisherSettings(acks == Acks.ALL, TimeUnit.MICROSECONDS.toNanos(sendIntervalUs),
            TimeUnit.MILLISECONDS.toNanos(deliveryTimeoutMs), batchLength,
            poolLength(), requestMaxLength, compression, compressionLevel);
    }

    String roleName()
    {
        return roleName;
    }

    SecuritySettings security()
    {
        return security;
    }

    TransportType transport()
    {
        return transport;
    }

    Poller poller()
    {
        return poller;
    }

    NanoClock nanoClock()
    {
        return nanoClock;
    }

    EpochClock epochClock()
    {
        return epochClock;
    }

    PublisherListener listener()
    {
        return listener;
    }

    ErrorHandler errorHandler()
    {
        return errorHandler;
    }

    Path countersFile()
    {
        return countersFile;
    }

    String countersFilePermissions()
    {
        return countersFilePermissions;
    }
}
