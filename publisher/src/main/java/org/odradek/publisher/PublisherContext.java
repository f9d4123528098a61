// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.context.ClientContext;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.tls.TlsPoller;
import org.odradek.protocol.TopicName;
import org.odradek.protocol.compression.Compressor;

import java.util.concurrent.TimeUnit;

/**
 * The settings of one {@link Publisher}. Each setter returns this object and has a getter of the same name. Sizes are
 * in bytes, and the name of a time contains its unit. {@link #conclude()} checks all settings once.
 */
public final class PublisherContext extends ClientContext<PublisherContext>
{
    /** The default of {@link #batchLength(int)}. */
    public static final int BATCH_LENGTH_DEFAULT = 64 * 1024;
    /** The default of {@link #bufferMemory(long)}. */
    public static final long BUFFER_MEMORY_DEFAULT = 16 * 1024 * 1024;
    /** The default of {@link #requestMaxLength(int)}. */
    public static final int REQUEST_MAX_LENGTH_DEFAULT = 1024 * 1024;
    /** The default of {@link #sendIntervalUs(int)}. */
    public static final int SEND_INTERVAL_US_DEFAULT = 1_000;
    /** The default of {@link #deliveryTimeoutMs(int)}. */
    public static final int DELIVERY_TIMEOUT_MS_DEFAULT = 120_000;

    private static final int LEAST_BATCH_LENGTH = 1024;
    private static final int SMALL_BUFFERS = 4 * 1024;
    private static final int RECEIVE_BUFFER_MAX_LENGTH = 64 * 1024 * 1024;

    final ClientSettings settings;
    private Acks acks = Acks.ALL;
    private int sendIntervalUs = SEND_INTERVAL_US_DEFAULT;
    private int batchLength = BATCH_LENGTH_DEFAULT;
    private long bufferMemory = BUFFER_MEMORY_DEFAULT;
    private int requestMaxLength = REQUEST_MAX_LENGTH_DEFAULT;
    private int deliveryTimeoutMs = DELIVERY_TIMEOUT_MS_DEFAULT;
    private Compression compression = Compression.NONE;
    private int compressionLevel = Compressor.DEFAULT_LEVEL;
    private String roleName = "odradek-publisher";
    private PublisherListener listener = PublisherListener.NONE;

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

    /** Determines when a batch counts as acknowledged; the default is {@link Acks#ALL}. */
    public PublisherContext acks(final Acks newAcks)
    {
        acks = newAcks;
        return this;
    }

    /** Returns the value of {@link #acks(Acks)}. */
    public Acks acks()
    {
        return acks;
    }

    /**
     * Sets the interval in microseconds at which batches that are not full are sent to a broker; the default is 1,000.
     * A longer interval costs latency, and saves CPU time of the publisher and of the broker. Full batches do not wait
     * for the interval. While all {@link #bufferMemory(long)} is in use, no batch waits for the interval. The sum of
     * the interval and the request timeout must not exceed the delivery timeout.
     */
    public PublisherContext sendIntervalUs(final int intervalUs)
    {
        sendIntervalUs = intervalUs;
        return this;
    }

    /** Returns the value of {@link #sendIntervalUs(int)}. */
    public int sendIntervalUs()
    {
        return sendIntervalUs;
    }

    /**
     * Sets the length in bytes of the longest batch before compression; the default is 64 KiB. The key, the value and
     * the headers of a record together must be at least 97 bytes shorter. Brokers refuse a batch that is longer than
     * {@code max.message.bytes} of its topic, by default 1,048,588 bytes.
     */
    public PublisherContext batchLength(final int length)
    {
        batchLength = length;
        return this;
    }

    /** Returns the value of {@link #batchLength(int)}. */
    public int batchLength()
    {
        return batchLength;
    }

    /**
     * Sets the memory in bytes for all batches that are not acknowledged yet, which all partitions share; the default
     * is 16 MiB. While all of it is in use, offers that need a new batch return {@link OfferResult#BACK_PRESSURED}.
     * Each partition with records takes the memory of at least one batch. The value must be from {@link #batchLength()}
     * to 2,147,483,639.
     */
    public PublisherContext bufferMemory(final long length)
    {
        bufferMemory = length;
        return this;
    }

    /** Returns the value of {@link #bufferMemory(long)}. */
    public long bufferMemory()
    {
        return bufferMemory;
    }

    /**
     * Sets the length in bytes of the longest Produce request; the default is 1 MiB. Each connection to a leader has a
     * buffer of this length. The longest batch and its framing must fit into a request.
     */
    public PublisherContext requestMaxLength(final int length)
    {
        requestMaxLength = length;
        return this;
    }

    /** Returns the value of {@link #requestMaxLength(int)}. */
    public int requestMaxLength()
    {
        return requestMaxLength;
    }

    /**
     * Sets the time in milliseconds after which a batch is given up if it is not acknowledged; the default is 120,000.
     * The time is counted from the first record of the batch, and must not be less than the request timeout. A batch in
     * flight is not given up before its request has ended with an answer, a timeout or a lost connection.
     */
    public PublisherContext deliveryTimeoutMs(final int timeoutMs)
    {
        deliveryTimeoutMs = timeoutMs;
        return this;
    }

    /** Returns the value of {@link #deliveryTimeoutMs(int)}. */
    public int deliveryTimeoutMs()
    {
        return deliveryTimeoutMs;
    }

    /** Determines how batches are compressed before they are sent; the default is {@link Compression#NONE}. */
    public PublisherContext compression(final Compression newCompression)
    {
        compression = newCompression;
        return this;
    }

    /** Returns the value of {@link #compression(Compression)}. */
    public Compression compression()
    {
        return compression;
    }

    /**
     * Sets the level of the compression: a higher level takes more time, and usually makes batches shorter. If no level
     * is set, the codec uses its default, which {@link Compression} states.
     *
     * @param level the level, in the range that {@link Compression} states for the codec.
     */
    public PublisherContext compressionLevel(final int level)
    {
        compressionLevel = level;
        return this;
    }

    /** Returns the value of {@link #compressionLevel(int)}, or {@link Integer#MIN_VALUE} if no level was set. */
    public int compressionLevel()
    {
        return compressionLevel;
    }

    /**
     * Sets the listener that receives events, on the thread of the publisher; the default is
     * {@link PublisherListener#NONE}.
     */
    public PublisherContext listener(final PublisherListener newListener)
    {
        listener = newListener;
        return this;
    }

    /** Returns the value of {@link #listener(PublisherListener)}. */
    public PublisherListener listener()
    {
        return listener;
    }

    /** Sets the name of the publisher as an agent; the default is {@code odradek-publisher}. */
    public PublisherContext roleName(final String name)
    {
        roleName = name;
        return this;
    }

    /** Returns the value of {@link #roleName(String)}. */
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

    private int poolLength()
    {
        return (int)(bufferMemory / batchLength * batchLength);
    }

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
