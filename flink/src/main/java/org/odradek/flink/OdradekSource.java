// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;

/**
 * A source of Flink that reads one topic. Each of its readers is a consumer on the thread of its task: there is no
 * fetcher thread, no queue, and no object for a record. Its README lists the requirements of TaskManagers.
 * <pre>{@code
 * final OdradekSource<String> source = OdradekSource.<String>builder()
 *     .bootstrapServers("10.0.0.1:9092")
 *     .topic("metrics")
 *     .groupId("ingest")
 *     .startingOffsets(SourceOffsets.committed(SourceOffsets.earliest()))
 *     .valueOnlyDeserializer(new SimpleStringSchema())
 *     .build();
 * environment.fromSource(source, WatermarkStrategy.noWatermarks(), "metrics");
 * }</pre>
 *
 * @param <T> the type of the elements.
 */
public final class OdradekSource<T> implements Source<T, PartitionSplit, EnumeratorState>, ResultTypeQueryable<T>
{
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(OdradekSource.class);
    private static final int LATENCY_BUDGET_MS = 1;

    private final String topic;
    private final String groupId;
    private final boolean isCommitting;
    private final long discoveryIntervalMs;
    private final SourceOffsets startingOffsets;
    private final SourceOffsets stoppingOffsets;
    private final HashMap<String, String> properties;
    private final OdradekSourceBuilder.ContextCustomizer customizer;
    private final RecordDeserializer<T> deserializer;

    OdradekSource(final OdradekSourceBuilder<T> builder)
    {
        topic = builder.topic;
        groupId = builder.groupId;
        isCommitting = builder.isCommitting && groupId != null;
        discoveryIntervalMs = builder.discoveryIntervalMs;
        startingOffsets = builder.startingOffsets;
        stoppingOffsets = builder.stoppingOffsets;
        properties = new HashMap<>(builder.properties);
        customizer = builder.customizer;
        deserializer = builder.deserializer;
    }

    /** Begins to describe a source. */
    public static <T> OdradekSourceBuilder<T> builder()
    {
        return new OdradekSourceBuilder<>();
    }

    @Override
    public Boundedness getBoundedness()
    {
        return isBounded() ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SplitEnumerator<PartitionSplit, EnumeratorState> createEnumerator(
        final SplitEnumeratorContext<PartitionSplit> context)
    {
        return restoreEnumerator(context, EnumeratorState.EMPTY);
    }

    @Override
    public SplitEnumerator<PartitionSplit, EnumeratorState> restoreEnumerator(
        final SplitEnumeratorContext<PartitionSplit> context, final EnumeratorState state)
    {
        return new PartitionEnumerator(this, context, state);
    }

    @Override
    public SourceReader<T, PartitionSplit> createReader(final SourceReaderContext context) throws Exception
    {
        return PartitionReader.open(this, context);
    }

    @Override
    public SimpleVersionedSerializer<PartitionSplit> getSplitSerializer()
    {
        return new PartitionSplit.Serializer();
    }

    @Override
    public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer()
    {
        return new EnumeratorState.Serializer();
    }

    @Override
    public TypeInformation<T> getProducedType()
    {
        return deserializer.getProducedType();
    }

    /**
     * The settings of a consumer without assigned partitions. By default, the broker may hold a fetch for a millisecond
     * while records arrive densely, so that one wake-up of the task delivers several batches. The default does not
     * apply to settings that a latency budget contradicts, whether they come from a property or from the customizer.
     * A budget of a millisecond that the customizer sets is taken for the default.
     *
     * @param name of the reader or the enumerator, which becomes the end of the client id.
     */
    ConsumerContext newContext(final String name)
    {
        final ConsumerContext context = ConsumerContext
            .from(properties, (note) -> LOG.info("topic {}: {}", topic, note))
            .topic(topic)
            .noPartitions();
        // It is not used, because each split names its offset. But a consumer needs one, also with offset reset "none".
        context.startPosition(StartPosition.earliest());
        context.clientId(context.clientId() + "-" + name);
        if (mayHaveBudget(context))
        {
            context.latencyBudgetMs(LATENCY_BUDGET_MS);
        }
        if (customizer != null)
        {
            customizer.accept(context);
        }
        if (context.latencyBudgetMs() == LATENCY_BUDGET_MS && !mayHaveBudget(context))
        {
            context.latencyBudgetMs(0);
        }
        return context;
    }

    private static boolean mayHaveBudget(final ConsumerContext context)
    {
        return context.fetchMinBytes() <= 1 && context.fetchMaxWaitMs() >= LATENCY_BUDGET_MS;
    }

    String topic()
    {
        return topic;
    }

    String bootstrapServers()
    {
        return properties.get(OdradekSourceBuilder.BOOTSTRAP_SERVERS);
    }

    /** Null if there is none. */
    String groupId()
    {
        return groupId;
    }

    /** Returns whether offsets are committed when a checkpoint is complete. */
    boolean isCommitting()
    {
        return isCommitting;
    }

    boolean isBounded()
    {
        return stoppingOffsets != null;
    }

    /** 0 or less for one discovery only. */
    long discoveryIntervalMs()
    {
        return discoveryIntervalMs;
    }

    SourceOffsets startingOffsets()
    {
        return startingOffsets;
    }

    /** Null for an unbounded source. */
    SourceOffsets stoppingOffsets()
    {
        return stoppingOffsets;
    }

    RecordDeserializer<T> deserializer()
    {
        return deserializer;
    }

    @Override
    public String toString()
    {
        return "OdradekSource{topic=" + topic + ", from=" + startingOffsets + ", to=" + stoppingOffsets + ", group=" +
            groupId + "}";
    }
}
