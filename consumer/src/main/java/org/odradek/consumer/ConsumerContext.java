// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.context.ClientContext;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.tls.TlsPoller;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.properties.KafkaProperties;

import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The settings of one {@link TopicConsumer}. Sizes are in bytes, and the name of a time ends in its unit. System
 * properties can change some defaults; see {@link ConsumerConfiguration}. {@link ClientContext} has the settings that
 * consumers and publishers share.
 */
public final class ConsumerContext extends ClientContext<ConsumerContext>
{
    final ConsumerSettings settings;
    private PartitionShard shard;
    private GroupSettings group;
    private FetchSessionMode fetchSession = FetchSessionMode.AUTO;
    private CorruptBatchPolicy corruptBatchPolicy = CorruptBatchPolicy.STOP;
    private ConsumerHistograms histograms = ConsumerHistograms.OFF;
    private FetchFrameHandler frameHandler;
    private ConsumerListener listener = ConsumerListener.NONE;
    /** This field is null unless the context was created from properties. */
    private KafkaProperties properties;

    /** Creates a context in which every setting has its default. */
    public ConsumerContext()
    {
        this(ConsumerConfiguration.defaults());
    }

    private ConsumerContext(final ConsumerSettings settings)
    {
        super(settings);
        this.settings = settings;
    }

    /** Calls {@link #from(Map, Consumer)}, and prints the notes on the standard error stream. */
    public static ConsumerContext from(final Map<?, ?> properties)
    {
        return from(properties, (note) -> System.err.println("odradek: " + note));
    }

    /**
     * Creates a context with the settings that correspond to the properties of a kafka-clients consumer; {@link #topic}
     * must be set as well. A null value counts as not set. The consumer joins no group unless {@link #joinGroup()} or
     * {@link #group(GroupSettings)} is called as well. The page docs/kafka-properties.md lists all keys.
     *
     * @param properties a map with keys of Kafka's ConsumerConfig.
     * @param notes      receives notes of one sentence each, for example about an ignored or misspelt key.
     * @throws IllegalArgumentException if Kafka refuses a value, or this consumer does not support it.
     * @throws IllegalStateException    if the JVM was started without a required flag.
     */
    public static ConsumerContext from(final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        JvmMemory.checkAccess();
        final ConsumerContext context = new ConsumerContext();
        context.properties = KafkaProperties.read(context.settings, properties, notes);
        return context.security(context.properties.takeSecurity());
    }

    /** Sets the topic to read. */
    public ConsumerContext topic(final String name)
    {
        settings.topic = name;
        return this;
    }

    /** Returns the topic, or null if it is not set. */
    public String topic()
    {
        return settings.topic;
    }

    /**
     * Sets the partitions to read, at least one. If no partitions, no share and no group are set, the consumer reads
     * all partitions, also those that are added later.
     *
     * @param first  the id of a partition, from 0 to 99,999.
     * @param others the ids of further partitions, each from 0 to 99,999.
     */
    public ConsumerContext partitions(final int first, final int... others)
    {
        settings.partitions = IntStream.concat(IntStream.of(first), IntStream.of(others)).toArray();
        return this;
    }

    /**
     * Sets the partitions to read, as an array.
     *
     * @param ids the ids of the partitions, at least one, each from 0 to 99,999.
     * @throws IllegalArgumentException if the array is empty; use {@link #noPartitions()} to read no partition.
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

    /**
     * Returns the ids of the partitions to read. The array is empty after {@link #noPartitions()}, and null if the
     * consumer reads all partitions, a share of them, or those of a group.
     */
    public int[] partitions()
    {
        return settings.partitions == null ? null : settings.partitions.clone();
    }

    /** Sets the share of all partitions that this process reads; null, the default, for no share. */
    public ConsumerContext shard(final PartitionShard share)
    {
        shard = share;
        settings.share = share == null ? null : share::holds;
        return this;
    }

    /** Returns the share that this process reads, or null if none was set. */
    public PartitionShard shard()
    {
        return shard;
    }

    /**
     * Sets the consumer group to join, whose members share the partitions; null, the default, to join no group. The
     * consumer reads a partition from the offset that the group has committed, or else from the start position of the
     * partition. A partition that is added to the topic while the consumer runs begins at its first record, unless the
     * group has committed an offset or a start position is set for the partition.
     */
    public ConsumerContext group(final GroupSettings newGroup)
    {
        group = newGroup;
        settings.group = newGroup == null ? null : newGroup.values;
        return this;
    }

    /** Returns the settings of the group to join, or null to join no group. */
    public GroupSettings group()
    {
        return group;
    }

    /**
     * Joins the consumer group that {@code group.id} names in the properties of {@link #from}. Other keys of these
     * properties, such as {@code session.timeout.ms} and {@code enable.auto.commit}, determine the {@link
     * GroupSettings}. Without {@code group.protocol} the protocol is CLASSIC, as in Kafka.
     *
     * @throws IllegalArgumentException if {@code group.id} is not set, or the value of another key is refused.
     * @throws IllegalStateException    if the context was not created by {@link #from}.
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

    /**
     * Sets the start position of all partitions that have no position of their own; the default is {@link
     * StartPosition#latest()}.
     */
    public ConsumerContext startPosition(final StartPosition position)
    {
        settings.startPosition = StartPosition.start(position);
        return this;
    }

    /** Returns the start position of all partitions that have no position of their own. */
    public StartPosition startPosition()
    {
        return StartPosition.of(settings.startPosition);
    }

    /** Sets the start position of one partition, instead of that of all partitions. */
    public ConsumerContext startPosition(final int partition, final StartPosition position)
    {
        settings.startPositions.put(partition, StartPosition.start(position));
        return this;
    }

    /** Returns the start position of a partition: its own, or else that of all partitions. */
    public StartPosition startPosition(final int partition)
    {
        return StartPosition.of(settings.startPosition(partition));
    }

    /**
     * Determines what happens if the log does not hold the requested offset; the default is
     * {@link OffsetResetPolicy#fail()}.
     */
    public ConsumerContext offsetResetPolicy(final OffsetResetPolicy policy)
    {
        settings.offsetResetPolicy = policy;
        return this;
    }

    /** Returns the policy for a requested offset that the log does not hold. */
    public OffsetResetPolicy offsetResetPolicy()
    {
        return settings.offsetResetPolicy;
    }

    /**
     * Sets the rack of this client, named as in the brokers' setting {@code broker.rack}. The consumer reads from a
     * replica in this rack if the brokers' {@code replica.selector.class} selects one (KIP-392). With the empty string,
     * the default, no rack is sent, and the consumer reads from the leaders.
     */
    public ConsumerContext clientRack(final String rack)
    {
        settings.clientRack = rack;
        return this;
    }

    /** Returns the rack of this client; the empty string if no rack is set. */
    public String clientRack()
    {
        return settings.clientRack;
    }

    /** Sets whether fetches use fetch sessions; the default is {@link FetchSessionMode#AUTO}. */
    public ConsumerContext fetchSession(final FetchSessionMode mode)
    {
        fetchSession = mode;
        return this;
    }

    /** Returns the mode of fetch sessions, {@link FetchSessionMode#AUTO} by default. */
    public FetchSessionMode fetchSession()
    {
        return fetchSession;
    }

    /**
     * Sets the largest response to request, in bytes of records; the default is 16 MiB. A response is larger only if
     * its first batch is. The first fetches request up to 1 MiB, or {@code fetchMinBytes} if that is more; later
     * fetches request more only while responses are full.
     */
    public ConsumerContext fetchMaxBytes(final int bytes)
    {
        settings.fetchMaxBytes = bytes;
        return this;
    }

    /** Returns the largest response to request, in bytes of records. */
    public int fetchMaxBytes()
    {
        return settings.fetchMaxBytes;
    }

    /**
     * Sets the largest number of bytes of records of one partition in a response (Kafka's max.partition.fetch.bytes).
     * With 0, the default, this number is 1 MiB or, if that is more, the requested size divided by the number of
     * partitions that share the response.
     */
    public ConsumerContext partitionMaxBytes(final int bytes)
    {
        settings.partitionMaxBytes = bytes;
        return this;
    }

    /**
     * Returns the largest number of bytes of records of one partition in a response; 0 if the consumer determines the
     * number.
     */
    public int partitionMaxBytes()
    {
        return settings.partitionMaxBytes;
    }

    /**
     * Sets the direct memory in bytes for responses of one broker. The size of fetches and the number of connections
     * grow only as long as this memory holds all their buffers. The default has room for one buffer of {@code
     * fetchMaxBytes}, or for less if the JVM has little direct memory left. For a larger batch, the buffer of the first
     * connection may grow beyond this memory ({@link #receiveBufferMaxLength(int)}). The largest value is
     * 2,147,483,639.
     */
    public ConsumerContext fetchMemory(final long bytes)
    {
        settings.fetchMemory = bytes;
        return this;
    }

    /**
     * Returns the direct memory in bytes for responses of one broker; 0 before {@link #conclude()} unless it was set.
     */
    public long fetchMemory()
    {
        return settings.fetchMemory;
    }

    /**
     * Sets the largest number of connections over which lagging partitions of one broker are fetched, from 1 to 8. With
     * 0, the default, the consumer determines the number: 1 if the round trip to the broker takes less than 1 ms, and
     * otherwise up to 8, as far as {@code fetchMemory} allows and more connections increase the rate.
     */
    public ConsumerContext fetchConnections(final int count)
    {
        settings.fetchConnections = count;
        return this;
    }

    /**
     * Returns the largest number of connections for lagging partitions of one broker; 0 if the consumer determines the
     * number.
     */
    public int fetchConnections()
    {
        return settings.fetchConnections;
    }

    /**
     * Sets the number of bytes of records for which the broker waits before it answers a fetch, for at most
     * {@code fetchMaxWaitMs}; the default is 1.
     */
    public ConsumerContext fetchMinBytes(final int bytes)
    {
        settings.fetchMinBytes = bytes;
        return this;
    }

    /** Returns the number of bytes of records for which the broker waits before it answers a fetch. */
    public int fetchMinBytes()
    {
        return settings.fetchMinBytes;
    }

    /**
     * Sets the longest time for which the broker may hold a fetch because fewer bytes than {@code fetchMinBytes} are
     * available, in milliseconds; the default is 500.
     */
    public ConsumerContext fetchMaxWaitMs(final int waitMs)
    {
        settings.fetchMaxWaitMs = waitMs;
        return this;
    }

    /** Returns the longest time in milliseconds for which the broker may hold a fetch. */
    public int fetchMaxWaitMs()
    {
        return settings.fetchMaxWaitMs;
    }

    /**
     * Sets the time in milliseconds, at most {@code fetchMaxWaitMs}, by which the delivery of a record may be delayed
     * to save wake-ups; the default is 0.
     * <p>
     * The consumer asks the broker to hold a fetch for this time if the last response has reached the ends of the logs
     * and batches arrive frequently, on average every 0.8 budgets or more often. A held fetch is not cancelled: a newly
     * assigned partition or a seek waits until the fetch is answered. A {@code fetchMinBytes} above 1 cannot be
     * combined with a budget.
     */
    public ConsumerContext latencyBudgetMs(final int budgetMs)
    {
        settings.latencyBudgetMs = budgetMs;
        return this;
    }

    /** Returns the latency budget in milliseconds; 0 if there is none. */
    public int latencyBudgetMs()
    {
        return settings.latencyBudgetMs;
    }

    /**
     * Sets whether the checksum of each batch is verified; the default is true.
     */
    public ConsumerContext checkCrcs(final boolean isOn)
    {
        settings.checkCrcs = isOn;
        return this;
    }

    /** Returns true if the checksum of each batch is verified. */
    public boolean checkCrcs()
    {
        return settings.checkCrcs;
    }

    /** Determines what happens to a batch with impossible contents; the default is {@link CorruptBatchPolicy#STOP}. */
    public ConsumerContext corruptBatchPolicy(final CorruptBatchPolicy policy)
    {
        corruptBatchPolicy = policy;
        return this;
    }

    /** Returns the policy for batches with impossible contents. */
    public CorruptBatchPolicy corruptBatchPolicy()
    {
        return corruptBatchPolicy;
    }

    /**
     * Determines what happens to a partition when the handler throws an exception. The default is {@link
     * HandlerErrorPolicy#STOP}.
     */
    public ConsumerContext handlerErrorPolicy(final HandlerErrorPolicy policy)
    {
        settings.handlerErrorPolicy = policy;
        return this;
    }

    /** Returns the policy for exceptions of the handler. */
    public HandlerErrorPolicy handlerErrorPolicy()
    {
        return settings.handlerErrorPolicy;
    }

    /**
     * Sets whether records of open and aborted transactions are delivered; the default is
     * {@link IsolationLevel#READ_UNCOMMITTED}.
     */
    public ConsumerContext isolationLevel(final IsolationLevel level)
    {
        ConsumerSettings.checkSet("isolationLevel", level);
        settings.isReadCommitted = level == IsolationLevel.READ_COMMITTED;
        return this;
    }

    /** Returns the isolation level, {@link IsolationLevel#READ_UNCOMMITTED} by default. */
    public IsolationLevel isolationLevel()
    {
        return settings.isReadCommitted ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED;
    }

    /**
     * Sets the length in bytes to which the receive buffer of the first connection to a broker may grow for a large
     * batch; the default is 64 MiB.
     */
    public ConsumerContext receiveBufferMaxLength(final int length)
    {
        settings.receiveBufferMaxLength = length;
        return this;
    }

    /** Returns the length in bytes to which the receive buffer of the first connection to a broker may grow. */
    public int receiveBufferMaxLength()
    {
        return settings.receiveBufferMaxLength;
    }

    /**
     * Sets the largest decompressed length of a batch in bytes; the default is 64 MiB. The partition of a larger batch
     * stops.
     */
    public ConsumerContext decompressionBufferMaxLength(final int length)
    {
        settings.decompressionBufferMaxLength = length;
        return this;
    }

    /** Returns the largest decompressed length of a batch in bytes. */
    public int decompressionBufferMaxLength()
    {
        return settings.decompressionBufferMaxLength;
    }

    /**
     * Records the durations of fetches and the ages of records. Histograms need HdrHistogram on the class path.
     *
     * @param newHistograms the result of {@link ConsumerHistograms#create}; the default is {@link
     *                      ConsumerHistograms#OFF}.
     */
    public ConsumerContext histograms(final ConsumerHistograms newHistograms)
    {
        histograms = newHistograms;
        return this;
    }

    /** Returns the histograms, {@link ConsumerHistograms#OFF} by default. */
    public ConsumerHistograms histograms()
    {
        return histograms;
    }

    /**
     * Sets the time after which a stall is counted and reported ({@link ConsumerListener#onStall}). A duty cycle stalls
     * if it works for longer than this time, including handler calls. A wait stalls if it ends later than planned by
     * more than this time.
     *
     * @param thresholdNs the time in nanoseconds, 1 or more; the default is 1 second.
     */
    public ConsumerContext stallThresholdNs(final long thresholdNs)
    {
        settings.stallThresholdNs = thresholdNs;
        return this;
    }

    /** Returns the time in nanoseconds after which a stall is counted and reported. */
    public long stallThresholdNs()
    {
        return settings.stallThresholdNs;
    }

    /**
     * Sets the handler that receives the fetch responses as the brokers sent them; null, the default, for no handler.
     * The handler is closed with the consumer.
     */
    public ConsumerContext frameHandler(final FetchFrameHandler handler)
    {
        frameHandler = handler;
        return this;
    }

    /** Returns the handler of the fetch responses, or null if none was set. */
    public FetchFrameHandler frameHandler()
    {
        return frameHandler;
    }

    /** Sets the listener that receives events; the default is {@link ConsumerListener#NONE}. */
    public ConsumerContext listener(final ConsumerListener newListener)
    {
        listener = newListener;
        return this;
    }

    /** Returns the listener that receives events, {@link ConsumerListener#NONE} by default. */
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
        ClientSettings.checkSet("histograms", histograms);
        settings.sessionMinPartitions = fetchSession.minPartitions();
        settings.isSkippingCorrupt = corruptBatchPolicy == CorruptBatchPolicy.SKIP;
        // After a failure the derived values are dropped, and the next call derives them from the new settings.
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

    ConsumerContext use()
    {
        useOnce();
        return this;
    }
}
