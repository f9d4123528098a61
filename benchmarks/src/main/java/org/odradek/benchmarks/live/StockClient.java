// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The stock consumer as a user of {@code assign} without a group writes it: with the settings of the other clients,
 * with all its own defaults, and the new consumer (KIP-848), which has a thread of its own for the network.
 */
final class StockClient implements LiveClient
{
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final Duration READY_TIMEOUT = Duration.ofMinutes(5);

    private final ValueSink sink;
    private final Duration pollTimeout;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Metric fetchTotal;

    private StockClient(
        final ClientSettings settings, final ValueSink sink, final Map<String, Object> properties)
    {
        this.sink = sink;
        pollTimeout = Duration.ofMillis(settings.pollTimeoutMs());
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrap());
        consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        final List<TopicPartition> partitions = IntStream.of(settings.partitions())
            .mapToObj(partition -> new TopicPartition(settings.topic(), partition)).toList();
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        // seekToEnd is lazy; this asks.
        partitions.forEach(partition -> consumer.position(partition, READY_TIMEOUT));
        fetchTotal = fetchTotal(consumer.metrics());
    }

    static StockClient withEqualSettings(final ClientSettings settings, final ValueSink sink)
    {
        return new StockClient(settings, sink, equalSettings(settings));
    }

    static StockClient withItsDefaults(final ClientSettings settings, final ValueSink sink)
    {
        return new StockClient(settings, sink, new HashMap<>());
    }

    static StockClient withNewProtocol(final ClientSettings settings, final ValueSink sink)
    {
        final Map<String, Object> properties = equalSettings(settings);
        properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, GroupProtocol.CONSUMER.name());
        return new StockClient(settings, sink, properties);
    }

    private static Map<String, Object> equalSettings(final ClientSettings settings)
    {
        final Map<String, Object> properties = new HashMap<>();
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, ClientSettings.FETCH_MAX_BYTES);
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, ClientSettings.PARTITION_MAX_BYTES);
        properties.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, ClientSettings.FETCH_MIN_BYTES);
        properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, ClientSettings.FETCH_MAX_WAIT_MS);
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, ClientSettings.RECORD_LIMIT);
        properties.put(ConsumerConfig.CHECK_CRCS_CONFIG, true);
        // As ours, which leaves the socket's buffer to the kernel.
        properties.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1);
        return properties;
    }

    private static Metric fetchTotal(final Map<MetricName, ? extends Metric> metrics)
    {
        for (final Map.Entry<MetricName, ? extends Metric> entry : metrics.entrySet())
        {
            if (entry.getKey().name().equals("fetch-total") &&
                entry.getKey().group().equals("consumer-fetch-manager-metrics"))
            {
                return entry.getValue();
            }
        }
        throw new IllegalStateException("The stock client has no metric fetch-total.");
    }

    @Override
    public void poll()
    {
        for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(pollTimeout))
        {
            final byte[] value = record.value();
            sink.onValue(record.partition(), record.offset(), value.length, (long) LONG.get(value, 0),
                (long) LONG.get(value, value.length - Long.BYTES));
        }
    }

    @Override
    public long fetches()
    {
        return ((Number) fetchTotal.metricValue()).longValue();
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
