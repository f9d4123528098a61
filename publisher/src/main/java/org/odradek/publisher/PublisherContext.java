// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.CountersFileReader;
import org.odradek.client.context.ClientContext;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.files.WrittenFile;
import org.odradek.client.tls.TlsPoller;
import org.odradek.protocol.TopicName;
import org.odradek.protocol.compression.Compressor;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The settings of one {@link Publisher}. Each setter returns this and has a getter of the same name. Sizes are in
 * bytes, and the name of a time says its unit. {@link #conclude()} checks all settings once. {@link ClientContext} has
 * what a consumer has, too.
 */
public final class PublisherContext extends ClientContext<PublisherContext>
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

    final ClientSettings settings;
    private Acks acks = Acks.ALL;
    private int sendIntervalUs = SEND_INTERVAL_US_DEFAULT;
    private int batchLength = BATCH_LENGTH_DEFAULT;
    private int bufferMemory = BUFFER_MEMORY_DEFAULT;
    private int requestMaxLength = REQUEST_MAX_LENGTH_DEFAULT;
    private int deliveryTimeoutMs = DELIVERY_TIMEOUT_MS_DEFAULT;
    private Compression compression = Compression.NONE;
    private int compressionLevel = Compressor.DEFAULT_LEVEL;
    private String roleName = "odradek-publisher";
    private PublisherListener listener = PublisherListener.NONE;
    private Path countersFile;
    private String countersFilePermissions = WrittenFile.defaultPermissions();

    /** Creates a context with the defaults. */
    public PublisherContext()
    {
        this(new ClientSettings());
    }

    private PublisherContext(final ClientSettings settings)
    {
        super(settings);
        this.settings = settings;
        settings.receiveBufferMaxLength = RECEIVE_BUFFER_MAX_LENGTH;
    }

    /** When a batch counts as acknowledged; {@link Acks#ALL} unless set, with which the publisher is idempotent. */
    public PublisherContext acks(final Acks newAcks)
    {
        acks = newAcks;
        return this;
    }

    /** The value of {@link #acks(Acks)}. */
    public Acks acks()
    {
        return acks;
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

    /** The value of {@link #sendIntervalUs(int)}. */
    public int sendIntervalUs()
    {
        return sendIntervalUs;
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

    /** The value of {@link #batchLength(int)}. */
    public int batchLength()
    {
        return batchLength;
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

    /** The value of {@link #bufferMemory(int)}. */
    public int bufferMemory()
    {
        return bufferMemory;
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

    /** The value of {@link #requestMaxLength(int)}. */
    public int requestMaxLength()
    {
        return requestMaxLength;
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

    /** The value of {@link #deliveryTimeoutMs(int)}. */
    public int deliveryTimeoutMs()
    {
        return deliveryTimeoutMs;
    }

    /** How batches are compressed, just before they are sent; {@link Compression#NONE} unless set. */
    public PublisherContext compression(final Compression newCompression)
    {
        compression = newCompression;
        return this;
    }

    /** The value of {@link #compression(Compression)}. */
    public Compression compression()
    {
        return compression;
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

    /** The value of {@link #compressionLevel(int)}. */
    public int compressionLevel()
    {
        return compressionLevel;
    }

    /** Receives events, on the thread of the publisher; {@link PublisherListener#NONE} unless set. */
    public PublisherContext listener(final PublisherListener newListener)
    {
        listener = newListener;
        return this;
    }

    /** The value of {@link #listener(PublisherListener)}. */
    public PublisherListener listener()
    {
        return listener;
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

    /** The value of {@link #countersFile(Path)}. */
    public Path countersFile()
    {
        return countersFile;
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

    /** The value of {@link #countersFilePermissions(String)}. */
    public String countersFilePermissions()
    {
        return countersFilePermissions;
    }

    /** The name of the agent, which Agrona's runners name its thread after; {@code odradek-publisher} unless set. */
    public PublisherContext roleName(final String name)
    {
        roleName = name;
        return this;
    }

    /** The value of {@link #roleName(String)}. */
    public String roleName()
    {
        return roleName;
    }

    @Override
    protected long concludeOwn()
    {
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
        ClientSettings.checkSet("listener", listener);
        CountersFile.checkSettings(countersFile, countersFilePermissions);
        checkCompression();
        return JvmMemory.check(directMemory(), "bufferMemory, requestMaxLength or expectedLeaders") +
            (compression == Compression.NONE ? 0 :
            Compressor.stateLength(compression.codec, compressionLevel, batchLength));
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

    private long directMemory()
    {
        final long perConnection = settings.controlBufferLength() + SMALL_BUFFERS +
            (security().tls() == null ? 0 : TlsPoller.LENGTH_PER_SOCKET);
        final long compressorLength = compression == Compression.NONE ? 0 : Compressor.maxOutputLength(batchLength);
        return poolLength() + compressorLength +
            settings.expectedLeaders * (perConnection + requestMaxLength) + perConnection;
    }

    /** The memory of as many whole batches as fit. */
    private int poolLength()
    {
        return bufferMemory / batchLength * batchLength;
    }

    /** Concludes this context if that has not been done, and refuses a second publisher. */
    PublisherContext use()
    {
        useOnce();
        return this;
    }

    PublisherSettings publishing()
    {
        return new PublisherSettings(acks == Acks.ALL, TimeUnit.MICROSECONDS.toNanos(sendIntervalUs),
            TimeUnit.MILLISECONDS.toNanos(deliveryTimeoutMs), batchLength,
            poolLength(), requestMaxLength, compression, compressionLevel);
    }
}
