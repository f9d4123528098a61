// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.odradek.consumer.ConsumerContext;

import java.io.Serializable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * The settings of an {@link OdradekSource}, as those of Flink's KafkaSource. Each setter returns this.
 *
 * @param <T> the type of the elements.
 */
public final class OdradekSourceBuilder<T>
{
    static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    private static final String GROUP_ID = "group.id";
    private static final String AUTO_COMMIT = "enable.auto.commit";
    /** Keys of KafkaSource, which are no keys of Kafka. */
    private static final String CLIENT_ID_PREFIX = "client.id.prefix";
    private static final String DISCOVERY_INTERVAL = "partition.discovery.interval.ms";
    private static final String COMMIT_ON_CHECKPOINT = "commit.offsets.on.checkpoint";

    /**
     * Changes the settings of each consumer of the source: of the readers, whose client ids end with their numbers, and
     * of the enumerator. Poller, transport, partitions, group, listener and error handler are the source's own. It is
     * serialized with the source.
     */
    @FunctionalInterface
    public interface ContextCustomizer extends Consumer<ConsumerContext>, Serializable
    {
    }

    String topic;
    String groupId;
    boolean isCommitting = true;
    long discoveryIntervalMs = Duration.ofMinutes(5).toMillis();
    SourceOffsets startingOffsets = SourceOffsets.earliest();
    SourceOffsets stoppingOffsets;
    ContextCustomizer customizer;
    RecordDeserializer<T> deserializer;
    final Map<String, String> properties = new HashMap<>();

    OdradekSourceBuilder()
    {
    }

    /** The brokers from which metadata is requested first: host:port, several separated by commas. */
    public OdradekSourceBuilder<T> bootstrapServers(final String servers)
    {
        return property(BOOTSTRAP_SERVERS, servers);
    }

    /** The topic to read. */
    public OdradekSourceBuilder<T> topic(final String name)
    {
        topic = name;
        return this;
    }

    /**
     * The group id under which offsets are committed, and from which {@link SourceOffsets#committed} reads. The group
     * is not joined: Flink assigns the partitions.
     */
    public OdradekSourceBuilder<T> groupId(final String id)
    {
        groupId = id;
        return this;
    }

    /** Where the partitions begin when the job starts without state; {@link SourceOffsets#earliest()} unless set. */
    public OdradekSourceBuilder<T> startingOffsets(final SourceOffsets offsets)
    {
        startingOffsets = Objects.requireNonNull(offsets, "offsets");
        return this;
    }

    /** Ends the source when each partition has been read up to an offset; it is unbounded unless this is set. */
    public OdradekSourceBuilder<T> bounded(final SourceOffsets offsets)
    {
        stoppingOffsets = Objects.requireNonNull(offsets, "offsets");
        return this;
    }

    /** Converts records to the elements of the stream. */
    public OdradekSourceBuilder<T> deserializer(final RecordDeserializer<T> newDeserializer)
    {
        deserializer = newDeserializer;
        return this;
    }

    /** Converts a copy of each value to an element of the stream. */
    public OdradekSourceBuilder<T> valueOnlyDeserializer(final DeserializationSchema<T> schema)
    {
        return deserializer(RecordDeserializer.valueOnly(schema));
    }

    /** The beginning of the client ids; the readers add their number to it. */
    public OdradekSourceBuilder<T> clientIdPrefix(final String prefix)
    {
        return property(CLIENT_ID_PREFIX, prefix);
    }

    /** The interval between two discoveries of new partitions; 5 minutes unless set, 0 for never. */
    public OdradekSourceBuilder<T> partitionDiscoveryInterval(final Duration interval)
    {
        discoveryIntervalMs = interval.toMillis();
        return this;
    }

    /**
     * Sets whether offsets are committed under the group id when a checkpoint is complete; they are unless set to
     * false.
     */
    public OdradekSourceBuilder<T> commitOnCheckpoint(final boolean isOn)
    {
        isCommitting = isOn;
        return this;
    }

    /** As {@link #properties}, with one property. */
    public OdradekSourceBuilder<T> property(final String key, final String value)
    {
        switch (key)
        {
            case GROUP_ID:
                return groupId(value);
            case CLIENT_ID_PREFIX:
                properties.put("client.id", value);
                return this;
            case DISCOVERY_INTERVAL:
                return partitionDiscoveryInterval(Duration.ofMillis(Long.parseLong(value)));
            case COMMIT_ON_CHECKPOINT:
                return commitOnCheckpoint(Boolean.parseBoolean(value));
            default:
                properties.put(key, value);
                return this;
        }
    }

    /**
     * Properties of a kafka-clients consumer, such as those of TLS and SASL, which {@link ConsumerContext#from} reads
     * when the job starts. The keys {@code client.id.prefix}, {@code partition.discovery.interval.ms} and {@code
     * commit.offsets.on.checkpoint} of KafkaSource work, too.
     */
    public OdradekSourceBuilder<T> properties(final Properties newProperties)
    {
        newProperties.stringPropertyNames().forEach((key) -> property(key, newProperties.getProperty(key)));
        return this;
    }

    /** Changes settings for which Kafka has no property, such as {@link ConsumerContext#latencyBudgetMs(int)}. */
    public OdradekSourceBuilder<T> consumer(final ContextCustomizer newCustomizer)
    {
        customizer = newCustomizer;
        return this;
    }

    /**
     * Describes the source. It connects when the job starts.
     *
     * @throws IllegalArgumentException if a setting is missing.
     */
    public OdradekSource<T> build()
    {
        isSet("bootstrapServers", properties.get(BOOTSTRAP_SERVERS));
        isSet("topic", topic);
        isSet("deserializer", deserializer);
        if (groupId == null && (startingOffsets.isCommittedNeeded() ||
            stoppingOffsets != null && stoppingOffsets.isCommittedNeeded()))
        {
            throw new IllegalArgumentException(
                "groupId is null: it must be set, because the source begins or ends at committed offsets");
        }
        properties.putIfAbsent(AUTO_COMMIT, "false");
        return new OdradekSource<>(this);
    }

    private static void isSet(final String name, final Object value)
    {
        if (value == null)
        {
            throw new IllegalArgumentException(name + " is null: it must be set");
        }
    }
}
