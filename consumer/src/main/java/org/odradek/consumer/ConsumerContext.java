// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.TransportType;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The settings of a {@link TopicConsumer}. {@link #conclude()} checks them once, and a context serves one consumer.
 * Each setter returns this. Sizes are in bytes, times have their unit in the name; defaults come from {@link
 * ConsumerConfiguration}.
 */
public final class ConsumerContext
{
    String bootstrapServers;
    String topic;
    int[] partitions;
    PartitionShard shard;
    StartPosition startPosition = StartPosition.latest();
    final Map<Integer, StartPosition> startPositions = new HashMap<>();
    OffsetResetPolicy offsetResetPolicy = OffsetResetPolicy.fail();
    String clientId = "odradek";
    String clientRack = "";
    FetchSessionMode fetchSession = FetchSessionMode.AUTO;
    int fetchMaxBytes = ConsumerConfiguration.fetchMaxBytes();
    int partitionMaxBytes;
    int fetchMinBytes = ConsumerConfiguration.fetchMinBytes();
    int fetchMaxWaitMs = ConsumerConfiguration.fetchMaxWaitMs();
    int fetchMinIntervalUs;
    boolean isCheckingCrcs = true;
    CorruptBatchPolicy corruptBatchPolicy = CorruptBatchPolicy.STOP;
    IsolationLevel isolationLevel = IsolationLevel.READ_UNCOMMITTED;
    int receiveBufferMaxLength = ConsumerConfiguration.receiveBufferMaxLength();
    int decompressionBufferMaxLength = ConsumerConfiguration.DECOMPRESSION_BUFFER_MAX_LENGTH_DEFAULT;
    int socketReceiveBufferLength;
    int connectTimeoutMs = ConsumerConfiguration.CONNECT_TIMEOUT_MS_DEFAULT;
    int requestTimeoutMs = ConsumerConfiguration.REQUEST_TIMEOUT_MS_DEFAULT;
    int reconnectBackoffMs = ConsumerConfiguration.RECONNECT_BACKOFF_MS_DEFAULT;
    int reconnectBackoffMaxMs = ConsumerConfiguration.RECONNECT_BACKOFF_MAX_MS_DEFAULT;
    int retryBackoffMs = ConsumerConfiguration.RETRY_BACKOFF_MS_DEFAULT;
    int retryBackoffMaxMs = ConsumerConfiguration.RETRY_BACKOFF_MAX_MS_DEFAULT;
    int metadataMaxAgeMs = ConsumerConfiguration.METADATA_MAX_AGE_MS_DEFAULT;
    int rebootstrapTriggerMs = ConsumerConfiguration.REBOOTSTRAP_TRIGGER_MS_DEFAULT;
    int expectedLeaders = ConsumerConfiguration.EXPECTED_LEADERS_DEFAULT;
    TransportType transport;
    Poller poller;
    FetchFrameHandler frameHandler;
    NameResolver nameResolver = NameResolver.SYSTEM;
    NanoClock nanoClock;
    StatusSettings status = new StatusSettings();
    ConsumerListener listener = ConsumerListener.NONE;
    ErrorHandler errorHandler;

    private boolean isConcluded;
    private boolean isUsed;
    private long memoryBudget;

    /** As {@link #from(Map, Consumer)}, with notes on the standard error stream. */
    public static ConsumerContext from(final Map<?, ?> properties)
    {
        return from(properties, (note) -> System.err.println("odradek: " + note));
    }

    /**
     * A context with the settings that the properties of a kafka-clients consumer stand for, to which at least a
     * {@link #topic} is to be added. A value may be of the key's type or a string, as Kafka takes it, null is as if it
     * were left out, and what is not given keeps the default it has here. What becomes of which key is told in
     * docs/kafka-properties.md.
     *
     * @param properties a map with keys of Kafka's ConsumerConfig, or Properties, whose defaults count too.
     * @param notes      is told of each key that is ignored, and why; of a misspelt one, which may be meant.
     * @throws IllegalArgumentException with one sentence that names the key, its value and what would be right, where
     *                                  Kafka would refuse it, or would do with it what is not done here.
     */
    public static ConsumerContext from(final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        return KafkaProperties.read(properties, notes);
    }

    /** Where to begin asking for the cluster: host:port, several separated by commas. */
    public ConsumerContext bootstrapServers(final String servers)
    {
        bootstrapServers = servers;
        return this;
    }

    /** The topic to read. */
    public ConsumerContext topic(final String name)
    {
        topic = name;
        return this;
    }

    /**
     * Read these partitions, possibly none at first; without this, all, and those that are added later, from their
     * beginning.
     */
    public ConsumerContext partitions(final int... ids)
    {
        partitions = ids.clone();
        return this;
    }

    /** Read this process's share of all partitions, those among them that are added later from their beginning. */
    public ConsumerContext shard(final PartitionShard share)
    {
        shard = share;
        return this;
    }

    /** Where to begin with every partition without a position of its own; {@link StartPosition#latest()} unless set. */
    public ConsumerContext startPosition(final StartPosition position)
    {
        startPosition = position;
        return this;
    }

    /** Where to begin with one partition. */
    public ConsumerContext startPosition(final int partition, final StartPosition position)
    {
        startPositions.put(partition, position);
        return this;
    }

    /** What to do where the log does not hold the offset wanted; {@link OffsetResetPolicy#fail()} unless set. */
    public ConsumerContext offsetResetPolicy(final OffsetResetPolicy policy)
    {
        offsetResetPolicy = policy;
        return this;
    }

    /** Name of this client in the broker's logs and quotas. */
    public ConsumerContext clientId(final String id)
    {
        clientId = id;
        return this;
    }

    /**
     * Where this client stands, as brokers name their racks (broker.rack): a replica there is read from if the broker's
     * replica.selector.class is for it (KIP-392). The empty string unless set: leaders are read from.
     */
    public ConsumerContext clientRack(final String rack)
    {
        clientRack = rack;
        return this;
    }

    /** Whether fetches go through fetch sessions; {@link FetchSessionMode#AUTO} unless set. */
    public ConsumerContext fetchSession(final FetchSessionMode mode)
    {
        fetchSession = mode;
        return this;
    }

    /** Largest response to ask for, in bytes of records; only its first batch may exceed it. */
    public ConsumerContext fetchMaxBytes(final int bytes)
    {
        fetchMaxBytes = bytes;
        return this;
    }

    /** Most of one partition in a response, in bytes of records; as much as {@code fetchMaxBytes} unless set. */
    public ConsumerContext partitionMaxBytes(final int bytes)
    {
        partitionMaxBytes = bytes;
        return this;
    }

    /** The broker answers when it has so many bytes of records, or when {@code fetchMaxWaitMs} is over. */
    public ConsumerContext fetchMinBytes(final int bytes)
    {
        fetchMinBytes = bytes;
        return this;
    }

    /** How long the broker may hold a fetch back, in milliseconds. */
    public ConsumerContext fetchMaxWaitMs(final int waitMs)
    {
        fetchMaxWaitMs = waitMs;
        return this;
    }

    /**
     * Let so many microseconds pass between two fetches to one broker, where the first brought little and left nothing
     * behind: 0 unless set, at most a second. At a trickle each fetch then brings the records of an interval, for one
     * answer and one wake-up of the thread, and a record comes later by at most the interval, and over NIO,
     * which waits whole milliseconds, by up to one more. Larger answers, logs that are not read to their end, and what
     * is sought, assigned or resumed wait for nothing.
     * <p>
     * While a fetch is held back no data can arrive that would end a wait: it goes out in the first poll, or wait of a
     * poll, after its time. Who waits elsewhere, as with {@link PollerIdleStrategy} or a shared poller, should not wait
     * for longer than the interval.
     */
    public ConsumerContext fetchMinIntervalUs(final int intervalUs)
    {
        fetchMinIntervalUs = intervalUs;
        return this;
    }

    /** Compare each batch with its checksum; on unless set. Off is to trust the network and the disks. */
    public ConsumerContext checkCrcs(final boolean isOn)
    {
        isCheckingCrcs = isOn;
        return this;
    }

    /** What is done with a batch whose bytes cannot be what they claim; its partition stops unless set otherwise. */
    public ConsumerContext corruptBatchPolicy(final CorruptBatchPolicy policy)
    {
        corruptBatchPolicy = policy;
        return this;
    }

    /** Whether records of open and aborted transactions are delivered; they are unless set. */
    public ConsumerContext isolationLevel(final IsolationLevel level)
    {
        isolationLevel = level;
        return this;
    }

    /**
     * How large the receive buffer of a connection may grow for a batch that is larger than {@code fetchMaxBytes}, in
     * bytes.
     */
    public ConsumerContext receiveBufferMaxLength(final int length)
    {
        receiveBufferMaxLength = length;
        return this;
    }

    /** To how many bytes a batch may decompress: what claims to be more is refused, and its partition stops. */
    public ConsumerContext decompressionBufferMaxLength(final int length)
    {
        decompressionBufferMaxLength = length;
        return this;
    }

    /**
     * SO_RCVBUF in bytes. 0 leaves it to the kernel, as it is unless set, because a fixed small one keeps the broker
     * from sending while records are handled.
     */
    public ConsumerContext socketReceiveBufferLength(final int length)
    {
        socketReceiveBufferLength = length;
        return this;
    }

    /**
     * How long a connection may take to be made, in milliseconds; after failures in a row up to three times as long.
     */
    public ConsumerContext connectTimeoutMs(final int timeoutMs)
    {
        connectTimeoutMs = timeoutMs;
        return this;
    }

    /**
     * How long a broker may take to answer, in milliseconds; {@code fetchMaxWaitMs} must be less. Time in which the
     * consumer is not polled does not count.
     */
    public ConsumerContext requestTimeoutMs(final int timeoutMs)
    {
        requestTimeoutMs = timeoutMs;
        return this;
    }

    /**
     * How long to wait before a connection is tried again: doubled with each failure, give or take 20 percent.
     *
     * @param firstMs after the first failure.
     * @param maxMs   at most.
     */
    public ConsumerContext reconnectBackoffMs(final int firstMs, final int maxMs)
    {
        reconnectBackoffMs = firstMs;
        reconnectBackoffMaxMs = maxMs;
        return this;
    }

    /**
     * How long to wait before a question is asked again after an error.
     *
     * @param firstMs after the first.
     * @param maxMs   at most.
     */
    public ConsumerContext retryBackoffMs(final int firstMs, final int maxMs)
    {
        retryBackoffMs = firstMs;
        retryBackoffMaxMs = maxMs;
        return this;
    }

    /** After what time leaders are asked for although nothing is in doubt, in milliseconds. */
    public ConsumerContext metadataMaxAgeMs(final int ageMs)
    {
        metadataMaxAgeMs = ageMs;
        return this;
    }

    /**
     * How long no broker may answer for metadata before all is asked anew from the bootstrap servers, in milliseconds
     * that are polled; Kafka's metadata.recovery.rebootstrap.trigger.ms.
     */
    public ConsumerContext rebootstrapTriggerMs(final int triggerMs)
    {
        rebootstrapTriggerMs = triggerMs;
        return this;
    }

    /**
     * For how many brokers that lead partitions of the topic the memory budget is. More are served, and what that takes
     * is counted.
     */
    public ConsumerContext expectedLeaders(final int count)
    {
        expectedLeaders = count;
        return this;
    }

    /** How sockets are waited for; {@link TransportType#AUTO} unless set. */
    public ConsumerContext transport(final TransportType type)
    {
        transport = type;
        return this;
    }

    /**
     * Pass every fetch response to a handler as the broker sent it; none unless set. {@code FrameCapture} of the
     * artifact odradek-replay writes them to a file.
     *
     * @param handler of this consumer alone, which closes it; or null.
     */
    public ConsumerContext frameHandler(final FetchFrameHandler handler)
    {
        frameHandler = handler;
        return this;
    }

    public FetchFrameHandler frameHandler()
    {
        return frameHandler;
    }

    /** Share a poller with other consumers of the same thread. It is not closed with the consumer. */
    public ConsumerContext poller(final Poller shared)
    {
        poller = shared;
        return this;
    }

    /** How host names become addresses. */
    public ConsumerContext nameResolver(final NameResolver resolver)
    {
        nameResolver = resolver;
        return this;
    }

    /** The clock of the duty cycle. */
    public ConsumerContext nanoClock(final NanoClock clock)
    {
        nanoClock = clock;
        return this;
    }

    /** What is measured, and where it can be seen from outside. */
    public ConsumerContext status(final StatusSettings settings)
    {
        status = settings;
        return this;
    }

    /** Who hears of events, on the polling thread. */
    public ConsumerContext listener(final ConsumerListener newListener)
    {
        listener = newListener;
        return this;
    }

    /**
     * Who hears of errors, on the polling thread; the standard error stream unless set. What it throws comes out of the
     * poll, once that has done its work; the next goes on.
     */
    public ConsumerContext errorHandler(final ErrorHandler handler)
    {
        errorHandler = handler;
        return this;
    }

    /**
     * Check every setting, fill in what was left open, and compute the memory budget. Done once, by
     * {@link TopicConsumer#connect} if not before.
     *
     * @throws IllegalArgumentException with one sentence that names the setting, its value and what would be right.
     * @throws IllegalStateException    if done before, or if the JVM lacks a flag or memory.
     */
    public ConsumerContext conclude()
    {
        if (isConcluded)
        {
            throw new IllegalStateException("a ConsumerContext serves one consumer: make another");
        }
        new SettingsCheck(this).check();
        DerivedSettings.fillIn(this);
        JvmMemory.checkAccess();
        memoryBudget = DerivedSettings.memoryBudget(this);
        JvmMemory.checkBudget(memoryBudget);
        isConcluded = true;
        return this;
    }

    /** Concluded if it is not yet, and used from now on: a second consumer needs another context. */
    ConsumerContext use()
    {
        if (isUsed)
        {
            throw new IllegalStateException("a ConsumerContext serves one consumer: make another");
        }
        if (!isConcluded)
        {
            conclude();
        }
        isUsed = true;
        return this;
    }

    boolean isReadCommitted()
    {
        return isolationLevel == IsolationLevel.READ_COMMITTED;
    }

    /** Direct memory in bytes that the consumer will hold for {@code expectedLeaders}, known once concluded. */
    public long memoryBudget()
    {
        return memoryBudget;
    }
}
