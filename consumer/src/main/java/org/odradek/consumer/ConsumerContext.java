// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.TransportType;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The settings of one {@link TopicConsumer}. Each setter returns this and has a getter of the same name, except {@link
 * #partitionIds()}. Sizes are in bytes, and the name of a time says its unit. {@link #conclude()} checks all settings
 * once. {@link ConsumerConfiguration} has the defaults.
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
    boolean checkCrcs = true;
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
    NameResolver nameResolver = NameResolver.SYSTEM;
    NanoClock nanoClock;
    StatusSettings status = new StatusSettings();
    FetchFrameHandler frameHandler;
    ConsumerListener listener = ConsumerListener.NONE;
    ErrorHandler errorHandler;

    private boolean isConcluded;
    private boolean isUsed;
    private long memoryBudget;

    /** The brokers to ask first for the cluster: host:port, several separated by commas. */
    public ConsumerContext bootstrapServers(final String servers)
    {
        bootstrapServers = servers;
        return this;
    }

    public String bootstrapServers()
    {
        return bootstrapServers;
    }

    /** The topic to read. */
    public ConsumerContext topic(final String name)
    {
        topic = name;
        return this;
    }

    public String topic()
    {
        return topic;
    }

    /**
     * The partitions to read, possibly none at first. Without this all partitions are read, and those that are added
     * later, too, from their first record.
     */
    public ConsumerContext partitions(final int... ids)
    {
        partitions = ids.clone();
        return this;
    }

    /** The partitions to read, or null if all or a share of all are read. */
    public int[] partitionIds()
    {
        return partitions == null ? null : partitions.clone();
    }

    /**
     * The share of all partitions that this process reads. Partitions of the share that are added later are read from
     * their first record.
     */
    public ConsumerContext shard(final PartitionShard share)
    {
        shard = share;
        return this;
    }

    public PartitionShard shard()
    {
        return shard;
    }

    /** Where each partition without a position of its own begins; {@link StartPosition#latest()} unless set. */
    public ConsumerContext startPosition(final StartPosition position)
    {
        startPosition = position;
        return this;
    }

    public StartPosition startPosition()
    {
        return startPosition;
    }

    /** Where one partition begins. */
    public ConsumerContext startPosition(final int partition, final StartPosition position)
    {
        startPositions.put(partition, position);
        return this;
    }

    /** Where a partition begins. */
    public StartPosition startPosition(final int partition)
    {
        return startPositions.getOrDefault(partition, startPosition);
    }

    /** What happens when the log does not hold the offset wanted; {@link OffsetResetPolicy#fail()} unless set. */
    public ConsumerContext offsetResetPolicy(final OffsetResetPolicy policy)
    {
        offsetResetPolicy = policy;
        return this;
    }

    public OffsetResetPolicy offsetResetPolicy()
    {
        return offsetResetPolicy;
    }

    /** The name of this client in the broker's logs and quotas. */
    public ConsumerContext clientId(final String id)
    {
        clientId = id;
        return this;
    }

    public String clientId()
    {
        return clientId;
    }

    /**
     * The rack of this client, as in the brokers' broker.rack. A replica in the rack is read from if the brokers'
     * replica.selector.class selects it (KIP-392). The empty string unless set: the leaders are read from.
     */
    public ConsumerContext clientRack(final String rack)
    {
        clientRack = rack;
        return this;
    }

    public String clientRack()
    {
        return clientRack;
    }

    /** Whether fetches use fetch sessions; {@link FetchSessionMode#AUTO} unless set. */
    public ConsumerContext fetchSession(final FetchSessionMode mode)
    {
        fetchSession = mode;
        return this;
    }

    public FetchSessionMode fetchSession()
    {
        return fetchSession;
    }

    /** The largest response to request, in bytes of records. Only the first batch of a response may exceed it. */
    public ConsumerContext fetchMaxBytes(final int bytes)
    {
        fetchMaxBytes = bytes;
        return this;
    }

    public int fetchMaxBytes()
    {
        return fetchMaxBytes;
    }

    /** The most bytes of records of one partition in a response; as many as {@code fetchMaxBytes} unless set. */
    public ConsumerContext partitionMaxBytes(final int bytes)
    {
        partitionMaxBytes = bytes;
        return this;
    }

    public int partitionMaxBytes()
    {
        return partitionMaxBytes;
    }

    /** The broker answers when it has this many bytes of records, or after {@code fetchMaxWaitMs}. */
    public ConsumerContext fetchMinBytes(final int bytes)
    {
        fetchMinBytes = bytes;
        return this;
    }

    public int fetchMinBytes()
    {
        return fetchMinBytes;
    }

    /** How long the broker may hold a fetch for which it has too few records, in milliseconds. */
    public ConsumerContext fetchMaxWaitMs(final int waitMs)
    {
        fetchMaxWaitMs = waitMs;
        return this;
    }

    public int fetchMaxWaitMs()
    {
        return fetchMaxWaitMs;
    }

    /**
     * The shortest time between two fetches from one broker if the first brought few records and left none in the log:
     * 0 unless set, at most a second. At low rates each fetch then brings the records of an interval, for one response
     * and one wake-up of the thread. A record arrives later by at most the interval; over NIO, which waits whole
     * milliseconds, by up to one millisecond more. There is no delay after larger responses, while a log is not read to
     * its end, or after a seek, an assignment or a resume.
     * <p>
     * No data can arrive and end a wait while a fetch is held back: it is sent by the first poll, or wait of a poll,
     * after its time. A thread that waits elsewhere, as with {@link PollerIdleStrategy} or a shared poller, should not
     * wait longer than the interval.
     */
    public ConsumerContext fetchMinIntervalUs(final int intervalUs)
    {
        fetchMinIntervalUs = intervalUs;
        return this;
    }

    public int fetchMinIntervalUs()
    {
        return fetchMinIntervalUs;
    }

    /** Whether each batch is compared with its checksum; true unless set. False trusts the network and the disks. */
    public ConsumerContext checkCrcs(final boolean isOn)
    {
        checkCrcs = isOn;
        return this;
    }

    public boolean checkCrcs()
    {
        return checkCrcs;
    }

    /** What happens to a batch with impossible contents; its partition stops unless set otherwise. */
    public ConsumerContext corruptBatchPolicy(final CorruptBatchPolicy policy)
    {
        corruptBatchPolicy = policy;
        return this;
    }

    public CorruptBatchPolicy corruptBatchPolicy()
    {
        return corruptBatchPolicy;
    }

    /** Whether records of open and aborted transactions are delivered; they are unless set. */
    public ConsumerContext isolationLevel(final IsolationLevel level)
    {
        isolationLevel = level;
        return this;
    }

    public IsolationLevel isolationLevel()
    {
        return isolationLevel;
    }

    /**
     * The length in bytes to which the receive buffer of a connection may grow for a batch that is larger than {@code
     * fetchMaxBytes}.
     */
    public ConsumerContext receiveBufferMaxLength(final int length)
    {
        receiveBufferMaxLength = length;
        return this;
    }

    public int receiveBufferMaxLength()
    {
        return receiveBufferMaxLength;
    }

    /** The most bytes that a batch may decompress to. A larger one is refused and stops its partition. */
    public ConsumerContext decompressionBufferMaxLength(final int length)
    {
        decompressionBufferMaxLength = length;
        return this;
    }

    public int decompressionBufferMaxLength()
    {
        return decompressionBufferMaxLength;
    }

    /**
     * SO_RCVBUF in bytes. 0, as unless set, lets the kernel tune it: a small fixed length keeps the broker from sending
     * while records are handled.
     */
    public ConsumerContext socketReceiveBufferLength(final int length)
    {
        socketReceiveBufferLength = length;
        return this;
    }

    public int socketReceiveBufferLength()
    {
        return socketReceiveBufferLength;
    }

    /** How long connecting may take, in milliseconds; up to three times as long after several failures in a row. */
    public ConsumerContext connectTimeoutMs(final int timeoutMs)
    {
        connectTimeoutMs = timeoutMs;
        return this;
    }

    public int connectTimeoutMs()
    {
        return connectTimeoutMs;
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

    public int requestTimeoutMs()
    {
        return requestTimeoutMs;
    }

    /**
     * How long to wait before a broker is connected to again, in milliseconds. The time doubles with each failure and
     * varies at random by 20 percent.
     *
     * @param firstMs after the first failure.
     * @param maxMs   the longest time.
     */
    public ConsumerContext reconnectBackoffMs(final int firstMs, final int maxMs)
    {
        reconnectBackoffMs = firstMs;
        reconnectBackoffMaxMs = maxMs;
        return this;
    }

    public int reconnectBackoffMs()
    {
        return reconnectBackoffMs;
    }

    public int reconnectBackoffMaxMs()
    {
        return reconnectBackoffMaxMs;
    }

    /**
     * How long to wait before a request that failed is sent again, in milliseconds. The time doubles with each failure.
     *
     * @param firstMs after the first failure.
     * @param maxMs   the longest time.
     */
    public ConsumerContext retryBackoffMs(final int firstMs, final int maxMs)
    {
        retryBackoffMs = firstMs;
        retryBackoffMaxMs = maxMs;
        return this;
    }

    public int retryBackoffMs()
    {
        return retryBackoffMs;
    }

    public int retryBackoffMaxMs()
    {
        return retryBackoffMaxMs;
    }

    /** The age in milliseconds at which metadata is requested again although no leader is in doubt. */
    public ConsumerContext metadataMaxAgeMs(final int ageMs)
    {
        metadataMaxAgeMs = ageMs;
        return this;
    }

    public int metadataMaxAgeMs()
    {
        return metadataMaxAgeMs;
    }

    /**
     * The time without an answer to a metadata request after which the consumer returns to the bootstrap servers, in
     * milliseconds in which it is polled; Kafka's metadata.recovery.rebootstrap.trigger.ms.
     */
    public ConsumerContext rebootstrapTriggerMs(final int triggerMs)
    {
        rebootstrapTriggerMs = triggerMs;
        return this;
    }

    public int rebootstrapTriggerMs()
    {
        return rebootstrapTriggerMs;
    }

    /**
     * The number of brokers that lead partitions of the topic, for the memory budget. More are served as well, and the
     * memory for them is counted.
     */
    public ConsumerContext expectedLeaders(final int count)
    {
        expectedLeaders = count;
        return this;
    }

    public int expectedLeaders()
    {
        return expectedLeaders;
    }

    /** How the thread waits for sockets; {@link TransportType#AUTO} unless set. */
    public ConsumerContext transport(final TransportType type)
    {
        transport = type;
        return this;
    }

    public TransportType transport()
    {
        return transport;
    }

    /** A poller to share with other consumers of the same thread. It is not closed with the consumer. */
    public ConsumerContext poller(final Poller shared)
    {
        poller = shared;
        return this;
    }

    public Poller poller()
    {
        return poller;
    }

    /** Resolves host names. */
    public ConsumerContext nameResolver(final NameResolver resolver)
    {
        nameResolver = resolver;
        return this;
    }

    public NameResolver nameResolver()
    {
        return nameResolver;
    }

    /** The clock of the duty cycle. */
    public ConsumerContext nanoClock(final NanoClock clock)
    {
        nanoClock = clock;
        return this;
    }

    public NanoClock nanoClock()
    {
        return nanoClock;
    }

    /** What the consumer measures of itself, and where other processes can see it. */
    public ConsumerContext status(final StatusSettings settings)
    {
        status = settings;
        return this;
    }

    public StatusSettings status()
    {
        return status;
    }

    /**
     * Receives every fetch response as the broker sent it; none unless set. {@code FrameCapture} of the artifact
     * odradek-replay writes them to a file. The handler belongs to this consumer, which closes it.
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

    /** Receives events, on the polling thread. */
    public ConsumerContext listener(final ConsumerListener newListener)
    {
        listener = newListener;
        return this;
    }

    public ConsumerListener listener()
    {
        return listener;
    }

    /**
     * Receives errors, on the polling thread; the standard error stream unless set. What it throws is thrown by the
     * poll after it has done its work, and the next poll continues.
     */
    public ConsumerContext errorHandler(final ErrorHandler handler)
    {
        errorHandler = handler;
        return this;
    }

    public ErrorHandler errorHandler()
    {
        return errorHandler;
    }

    /**
     * Checks every setting, fills in those that are not set, and computes the memory budget. {@link
     * TopicConsumer#connect} does this if it has not been done.
     *
     * @throws IllegalArgumentException with one sentence that names the setting, its value and what it must be.
     * @throws IllegalStateException    if called again, or if the JVM lacks a flag or memory.
     */
    public ConsumerContext conclude()
    {
        SettingsCheck.isFirstUse(!isConcluded);
        check();
        transport = transport == null && poller == null ? ConsumerConfiguration.transport() : transport;
        partitionMaxBytes = partitionMaxBytes == 0 ? fetchMaxBytes : partitionMaxBytes;
        nanoClock = nanoClock == null ? SystemNanoClock.INSTANCE : nanoClock;
        errorHandler = errorHandler == null ?
            (error) -> System.err.println("odradek: " + error.getMessage()) : errorHandler;
        JvmMemory.checkAccess();
        memoryBudget = BufferLengths.budget(fetchMaxBytes, partitionCount(), expectedLeaders, groupCount());
        JvmMemory.checkBudget(memoryBudget);
        isConcluded = true;
        return this;
    }

    /** Concludes this context if that has not been done, and refuses a second consumer. */
    ConsumerContext use()
    {
        SettingsCheck.isFirstUse(!isUsed);
        if (!isConcluded)
        {
            conclude();
        }
        isUsed = true;
        return this;
    }

    private void check()
    {
        BootstrapServers.check("bootstrapServers", bootstrapServers);
        SettingsCheck.topic(topic);
        SettingsCheck.partitions(partitions, shard, startPositions);
        SettingsCheck.fetches(
            fetchMaxBytes, partitionMaxBytes, fetchMinBytes, requestTimeoutMs, fetchMaxWaitMs, fetchMinIntervalUs);
        SettingsCheck.buffers(
            BufferLengths.receive(fetchMaxBytes, partitionCount()), receiveBufferMaxLength,
            decompressionBufferMaxLength, socketReceiveBufferLength);
        SettingsCheck.isPositive("connectTimeoutMs", connectTimeoutMs);
        SettingsCheck.backoff("reconnectBackoffMs", reconnectBackoffMs, reconnectBackoffMaxMs);
        SettingsCheck.backoff("retryBackoffMs", retryBackoffMs, retryBackoffMaxMs);
        SettingsCheck.isPositive("metadataMaxAgeMs", metadataMaxAgeMs);
        SettingsCheck.isPositive("rebootstrapTriggerMs", rebootstrapTriggerMs);
        SettingsCheck.isInRange("expectedLeaders", expectedLeaders, 1, 100_000);
        SettingsCheck.isSet("startPosition", startPosition);
        SettingsCheck.isSet("offsetResetPolicy", offsetResetPolicy);
        SettingsCheck.isSet("clientId", clientId);
        SettingsCheck.isSet("clientRack", clientRack);
        SettingsCheck.isSet("fetchSession", fetchSession);
        SettingsCheck.isSet("isolationLevel", isolationLevel);
        SettingsCheck.isSet("corruptBatchPolicy", corruptBatchPolicy);
        SettingsCheck.isSet("nameResolver", nameResolver);
        SettingsCheck.isSet("listener", listener);
        SettingsCheck.transport(transport, poller);
        SettingsCheck.isSet("status", status);
        status.check();
    }

    boolean isReadCommitted()
    {
        return isolationLevel == IsolationLevel.READ_COMMITTED;
    }

    /** The number of partitions, as far as it is known before the cluster has answered. */
    int partitionCount()
    {
        return partitions == null ? 0 : partitions.length;
    }

    /** The number of groups whose committed offsets partitions begin at; each has a connection of its own. */
    private int groupCount()
    {
        final Set<String> groupIds = new HashSet<>();
        startPosition.addGroupsTo(groupIds);
        startPositions.values().forEach((position) -> position.addGroupsTo(groupIds));
        return groupIds.size();
    }

    /** The direct memory in bytes that a consumer holds for {@code expectedLeaders}; 0 before {@link #conclude()}. */
    public long memoryBudget()
    {
        return memoryBudget;
    }
}
