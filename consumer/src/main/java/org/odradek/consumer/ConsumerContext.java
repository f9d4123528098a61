// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.context.ClientContext;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.tls.TlsPoller;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.properties.KafkaProperties;

import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The settings of one {@link TopicConsumer}. Each setter returns this and has a getter of the same name, except {@link
 * #partitionIds()}. Sizes are in bytes, and the name of a time says its unit. {@link #conclude()} checks all settings
 * once. {@link ConsumerConfiguration} has the defaults. {@link ClientContext} has what a publisher has, too.
 */
public final class ConsumerContext extends ClientContext<ConsumerContext>
{
    final ConsumerSettings settings;
    private PartitionShard shard;
    private GroupSettings group;
    private FetchSessionMode fetchSession = FetchSessionMode.AUTO;
    private CorruptBatchPolicy corruptBatchPolicy = CorruptBatchPolicy.STOP;
    private StatusSettings status = new StatusSettings();
    private FetchFrameHandler frameHandler;
    private ConsumerListener listener = ConsumerListener.NONE;
    /** Null unless they were given. */
    private KafkaProperties properties;

    /** Creates a context with the defaults of {@link ConsumerConfiguration}. */
    public ConsumerContext()
    {
        this(ConsumerConfiguration.defaults());
    }

    private ConsumerContext(final ConsumerSettings settings)
    {
        super(settings);
        this.settings = settings;
    }

    /** As {@link #from(Map, Consumer)}, with notes on the standard error stream. */
    public static ConsumerContext from(final Map<?, ?> properties)
    {
        return from(properties, (note) -> System.err.println("odradek: " + note));
    }

    /**
     * Creates a context with the settings that correspond to the properties of a kafka-clients consumer; {@link #topic}
     * must be set as well. A value has the key's type or is a string, as in Kafka. A null value counts as not set, and
     * settings without a property keep their own defaults. The consumer joins no group unless {@link
     * #joinGroup()} is called, too, or {@link #group(GroupSettings)}. docs/kafka-properties.md lists all keys.
     *
     * @param properties a map with keys of Kafka's ConsumerConfig, or Properties, whose defaults count too.
     * @param notes      receives a sentence for each key that is ignored, and for a misspelt one; for keys of groups
     *                   when the settings are concluded without a group.
     * @throws IllegalArgumentException with one sentence that names the key, its value and the expected one, if Kafka
     *                                  refuses the value, or this consumer does not support it.
     * @throws IllegalStateException    if the JVM lacks a flag.
     */
    public static ConsumerContext from(final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        JvmMemory.checkAccess();
        final ConsumerContext context = new ConsumerContext();
        context.properties = KafkaProperties.read(context.settings, properties, notes);
        return context.security(context.properties.takeSecurity());
    }

    /** The topic to read. */
    public ConsumerContext topic(final String name)
    {
        settings.topic = name;
        return this;
    }

    /** The topic, or null if it is not set. */
    public String topic()
    {
        return settings.topic;
    }

    /**
     * The partitions to read, at least one. If this is not set, all partitions are read, and those that are added
     * later, too, from their first record.
     *
     * @param first  id of a partition, 0 or more.
     * @param others ids of further ones.
     */
    public ConsumerContext partitions(final int first, final int... others)
    {
        settings.partitions = IntStream.concat(IntStream.of(first), IntStream.of(others)).toArray();
        return this;
    }

    /**
     * The partitions to read, as an array.
     *
     * @param ids of partitions, at least one, each 0 or more.
     * @throws IllegalArgumentException if the array is empty: {@link #noPartitions()} reads none.
     */
    public ConsumerContext partitions(final int[] ids)
    {
        if (ids.length == 0)
        {
            throw new IllegalArgumentException("partitions is []: it must name one or more; noPartitions reads none");
        }
        settings.partitions = ids.clone();
        return this;
    }

    /** Reads no partition at first; {@link TopicConsumer#assign} adds partitions later. */
    public ConsumerContext noPartitions()
    {
        settings.partitions = new int[0];
        return this;
    }

    /** The partitions to read: empty for none at first, or null if all or a share of all are read. */
    public int[] partitionIds()
    {
        return settings.partitions == null ? null : settings.partitions.clone();
    }

    /**
     * The share of all partitions that this process reads. Partitions of the share that are added later are read from
     * their first record.
     */
    public ConsumerContext shard(final PartitionShard share)
    {
        shard = share;
        settings.share = share == null ? null : share::holds;
        return this;
    }

    /** The share that is read, or null without one. */
    public PartitionShard shard()
    {
        return shard;
    }

    /**
     * The consumer group to join, whose members share the partitions; null, the default, to join none. A partition
     * begins at the offset that the group has committed, or else at its start position. A partition that is added to
     * the topic while this consumer runs begins at its first record unless a start position is set for it.
     */
    public ConsumerContext group(final GroupSettings newGroup)
    {
        group = newGroup;
        settings.group = newGroup == null ? null : newGroup.values;
        return this;
    }

    /** The group that is joined, or null without one. */
    public GroupSettings group()
    {
        return group;
    }

    /**
     * Joins the consumer group that group.id names in the properties of {@link #from}, with the settings that their
     * keys of groups correspond to. {@link #group()} returns these settings, which can be changed until {@link
     * #conclude()}. Notes go to where those of {@code from} went.
     *
     * @throws IllegalArgumentException with one sentence if group.id is not set, or the value of a key of groups is
     *                                  refused.
     * @throws IllegalStateException    if the context was not made from properties.
     */
    public ConsumerContext joinGroup()
    {
        if (properties == null)
        {
            throw new IllegalStateException("joinGroup reads the properties that from was given, and there are none: " +
                "set the group with group(new GroupSettings(groupId))");
        }
        return group(GroupSettings.of(properties.readGroup()));
    }

    /** Where each partition without a position of its own begins; {@link StartPosition#latest()} unless set. */
    public ConsumerContext startPosition(final StartPosition position)
    {
        settings.startPosition = StartPosition.start(position);
        return this;
    }

    /** Where partitions without a position of their own begin. */
    public StartPosition startPosition()
    {
        return StartPosition.of(settings.startPosition);
    }

    /** Where one partition begins. */
    public ConsumerContext startPosition(final int partition, final StartPosition position)
    {
        settings.startPositions.put(partition, StartPosition.start(position));
        return this;
    }

    /** Where a partition begins. */
    public StartPosition startPosition(final int partition)
    {
        return StartPosition.of(settings.startPosition(partition));
    }

    /** What happens when the log does not hold the requested offset; {@link OffsetResetPolicy#fail()} unless set. */
    public ConsumerContext offsetResetPolicy(final OffsetResetPolicy policy)
    {
        settings.offsetResetPolicy = policy;
        return this;
    }

    /** The value of {@link #offsetResetPolicy(OffsetResetPolicy)}. */
    public OffsetResetPolicy offsetResetPolicy()
    {
        return settings.offsetResetPolicy;
    }

    /**
     * The rack of this client, as in the brokers' broker.rack. The consumer reads from a replica in the rack if the
     * brokers' replica.selector.class selects it (KIP-392). With the empty string, the default, it reads from the
     * leaders.
     */
    public ConsumerContext clientRack(final String rack)
    {
        settings.clientRack = rack;
        return this;
    }

    /** The value of {@link #clientRack(String)}. */
    public String clientRack()
    {
        return settings.clientRack;
    }

    /** Sets whether fetches use fetch sessions; {@link FetchSessionMode#AUTO} unless set. */
    public ConsumerContext fetchSession(final FetchSessionMode mode)
    {
        fetchSession = mode;
        return this;
    }

    /** The value of {@link #fetchSession(FetchSessionMode)}. */
    public FetchSessionMode fetchSession()
    {
        return fetchSession;
    }

    /**
     * The largest response to request, in bytes of records; 16 MiB unless set. Only the first batch of a response may
     * exceed it. The first fetch from a broker asks for up to 1 MiB, which stays in the caches of a processor. The
     * maximum doubles while responses are full and the thread waits for them, as over a network; near the broker it
     * doubles up to a {@code partitionMaxBytes} of more whatever the thread does. It is 1 MiB again at the end of the
     * logs.
     */
    public ConsumerContext fetchMaxBytes(final int bytes)
    {
        settings.fetchMaxBytes = bytes;
        return this;
    }

    /** The value of {@link #fetchMaxBytes(int)}. */
    public int fetchMaxBytes()
    {
        return settings.fetchMaxBytes;
    }

    /**
     * The most bytes of records of one partition in a response. Unless set, or with 0, it is 1 MiB, and where fetches
     * ask for more than that of each partition that lags, as over a network with few partitions, an equal part.
     */
    public ConsumerContext partitionMaxBytes(final int bytes)
    {
        settings.partitionMaxBytes = bytes;
        return this;
    }

    /** The value of {@link #partitionMaxBytes(int)}; 0 unless set. */
    public int partitionMaxBytes()
    {
        return settings.partitionMaxBytes;
    }

    /**
     * The direct memory in bytes for responses of one broker. Fetches and connections grow only as far as it holds
     * their buffers together. Unless set, it is what {@code fetchMaxBytes} or the first buffers of {@code
     * fetchConnections} need, whatever is more; but beyond those first buffers no more than half of the direct
     * memory that the JVM has left, for all {@code expectedLeaders} together.
     */
    public ConsumerContext fetchMemory(final int bytes)
    {
        settings.fetchMemory = bytes;
        return this;
    }

    /** The value of {@link #fetchMemory(int)}; 0 before {@link #conclude()} unless it was set. */
    public int fetchMemory()
    {
        return settings.fetchMemory;
    }

    /**
     * The number of connections over which partitions of one broker are fetched while they lag, from 1 to 8. 0, which
     * is the default, lets it follow the distance: over a distance each connection carries about as much per round
     * trip as the send buffer of the broker holds, so more of them read faster there. On the same host or network they
     * bring nothing, and 0 means 1. Partitions that are read to the ends of their logs share the first connection, and
     * the others are closed when they were not used for 30 s.
     */
    public ConsumerContext fetchConnections(final int count)
    {
        settings.fetchConnections = count;
        return this;
    }

    /** The value of {@link #fetchConnections(int)}. */
    public int fetchConnections()
    {
        return settings.fetchConnections;
    }

    /** The broker answers when it has this many bytes of records, or after {@code fetchMaxWaitMs}. */
    public ConsumerContext fetchMinBytes(final int bytes)
    {
        settings.fetchMinBytes = bytes;
        return this;
    }

    /** The value of {@link #fetchMinBytes(int)}. */
    public int fetchMinBytes()
    {
        return settings.fetchMinBytes;
    }

    /** How long the broker may hold a fetch for which it has too few records, in milliseconds; 500 unless set. */
    public ConsumerContext fetchMaxWaitMs(final int waitMs)
    {
        settings.fetchMaxWaitMs = waitMs;
        return this;
    }

    /** The value of {@link #fetchMaxWaitMs(int)}. */
    public int fetchMaxWaitMs()
    {
        return settings.fetchMaxWaitMs;
    }

    /**
     * The milliseconds by which a record may be delivered later, to save wake-ups: 0 unless set, at most {@code
     * fetchMaxWaitMs}. While batches arrive from a broker within 0.8 budgets of each other on average, it is asked to
     * hold a fetch for the budget, or until half of the lesser of {@code fetchMaxBytes} and the partition limit has
     * arrived. One response, and one wake-up of the thread, then contains the records of that time.
     * <p>
     * No fetch is held while batches are further apart, after a time without records, before the end of the log, or
     * after an error, throttling, a seek, an assignment, a resume or a change of the leader. A fetch that is held is
     * not cancelled: a new partition or a seek waits for it. {@code fetchMinBytes} above 1 cannot be combined with a
     * budget.
     */
    public ConsumerContext latencyBudgetMs(final int budgetMs)
    {
        settings.latencyBudgetMs = budgetMs;
        return this;
    }

    /** The value of {@link #latencyBudgetMs(int)}. */
    public int latencyBudgetMs()
    {
        return settings.latencyBudgetMs;
    }

    /**
     * Sets whether the checksum of each batch is verified; true unless set.
     */
    public ConsumerContext checkCrcs(final boolean isOn)
    {
        settings.checkCrcs = isOn;
        return this;
    }

    /** The value of {@link #checkCrcs(boolean)}. */
    public boolean checkCrcs()
    {
        return settings.checkCrcs;
    }

    /** What happens to a batch with impossible contents; its partition stops unless set otherwise. */
    public ConsumerContext corruptBatchPolicy(final CorruptBatchPolicy policy)
    {
        corruptBatchPolicy = policy;
        return this;
    }

    /** The value of {@link #corruptBatchPolicy(CorruptBatchPolicy)}. */
    public CorruptBatchPolicy corruptBatchPolicy()
    {
        return corruptBatchPolicy;
    }

    /**
     * What happens to a partition when the handler throws an exception; {@link HandlerErrorPolicy#STOP} unless set: it
     * stops at the record, which is delivered again after {@link TopicConsumer#resume}.
     */
    public ConsumerContext handlerErrorPolicy(final HandlerErrorPolicy policy)
    {
        settings.handlerErrorPolicy = policy;
        return this;
    }

    /** The value of {@link #handlerErrorPolicy(HandlerErrorPolicy)}. */
    public HandlerErrorPolicy handlerErrorPolicy()
    {
        return settings.handlerErrorPolicy;
    }

    /** Sets whether records of open and aborted transactions are delivered; they are unless set. */
    public ConsumerContext isolationLevel(final IsolationLevel level)
    {
        ConsumerSettings.checkSet("isolationLevel", level);
        settings.isReadCommitted = level == IsolationLevel.READ_COMMITTED;
        return this;
    }

    /** The value of {@link #isolationLevel(IsolationLevel)}. */
    public IsolationLevel isolationLevel()
    {
        return settings.isReadCommitted ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED;
    }

    /**
     * The length in bytes to which the receive buffer of a connection may grow for a batch that is larger than {@code
     * fetchMaxBytes}.
     */
    public ConsumerContext receiveBufferMaxLength(final int length)
    {
        settings.receiveBufferMaxLength = length;
        return this;
    }

    /** The value of {@link #receiveBufferMaxLength(int)}. */
    public int receiveBufferMaxLength()
    {
        return settings.receiveBufferMaxLength;
    }

    /** The most bytes that a batch may decompress to; 64 MiB unless set. A larger one stops its partition. */
    public ConsumerContext decompressionBufferMaxLength(final int length)
    {
        settings.decompressionBufferMaxLength = length;
        return this;
    }

    /** The value of {@link #decompressionBufferMaxLength(int)}. */
    public int decompressionBufferMaxLength()
    {
        return settings.decompressionBufferMaxLength;
    }

    /**
     * SO_RCVBUF in bytes. With 0, the default, the kernel tunes it. With a small fixed length the broker cannot send
     * while records are handled.
     */
    public ConsumerContext socketReceiveBufferLength(final int length)
    {
        settings.socketReceiveBufferLength = length;
        return this;
    }

    /** The value of {@link #socketReceiveBufferLength(int)}. */
    public int socketReceiveBufferLength()
    {
        return settings.socketReceiveBufferLength;
    }

    /**
     * The time in milliseconds without a response to a metadata request after which the consumer returns to the
     * bootstrap servers; 300,000 unless set. Only time in which it is polled counts. It is Kafka's
     * metadata.recovery.rebootstrap.trigger.ms.
     */
    public ConsumerContext rebootstrapTriggerMs(final int triggerMs)
    {
        settings.rebootstrapTriggerMs = triggerMs;
        return this;
    }

    /** The value of {@link #rebootstrapTriggerMs(int)}. */
    public int rebootstrapTriggerMs()
    {
        return settings.rebootstrapTriggerMs;
    }

    /** What the consumer measures about itself, and where other processes can read it; see {@link StatusSettings}. */
    public ConsumerContext status(final StatusSettings newStatus)
    {
        status = newStatus;
        return this;
    }

    /** The value of {@link #status(StatusSettings)}. */
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

    /** The handler of responses, or null without one. */
    public FetchFrameHandler frameHandler()
    {
        return frameHandler;
    }

    /** Receives events, on the polling thread; {@link ConsumerListener#NONE} unless set. */
    public ConsumerContext listener(final ConsumerListener newListener)
    {
        listener = newListener;
        return this;
    }

    /** The value of {@link #listener(ConsumerListener)}. */
    public ConsumerListener listener()
    {
        return listener;
    }

    @Override
    protected long concludeOwn()
    {
        PartitionShard.checkAlone(settings.partitions, shard, group);
        ClientSettings.checkSet("fetchSession", fetchSession);
        ClientSettings.checkSet("corruptBatchPolicy", corruptBatchPolicy);
        ClientSettings.checkSet("listener", listener);
        ClientSettings.checkSet("status", status);
        status.check();
        settings.sessionMinPartitions = fetchSession.minPartitions();
        settings.isSkippingCorrupt = corruptBatchPolicy == CorruptBatchPolicy.SKIP;
        settings.stallThresholdNs = status.stallThresholdNs;
        // After a failure the values that were derived are forgotten: the next call derives them from other ones.
        final ConsumerSettings concluded = settings.concluded(JvmMemory.directLeft());
        final long length = JvmMemory.check(
            concluded.memoryBudget(security().tls() == null ? 0 : TlsPoller.LENGTH_PER_SOCKET),
            "fetchMaxBytes, fetchMemory or expectedLeaders");
        settings.takeDerived(concluded);
        if (group == null && properties != null)
        {
            properties.noteNoGroup();
        }
        return length;
    }

    /** Concludes this context if that has not been done, and refuses a second consumer. */
    ConsumerContext use()
    {
        useOnce();
        return this;
    }
}
