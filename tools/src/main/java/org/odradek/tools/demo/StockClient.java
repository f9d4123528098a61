// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.apache.kafka.clients.consumer.ConsumerRecord;
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
import java.util.Properties;

/**
 * A client with the stock consumer, as a user of {@code assign} without a group would write it.
 */
final class StockClient implements DemoClient
{
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(POLL_TIMEOUT_MS);

    private final ValueSink sink;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Metric fetchTotal;

    StockClient(final Properties connection, final String topic, final ValueSink sink)
    {
        this.sink = sink;
        consumer = new KafkaConsumer<>(settings(connection), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        final List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        fetchTotal = fetchTotal(consumer.metrics());
    }

    @Override
    public void poll()
    {
        for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT))
        {
            final byte[] value = record.value();
            if (value.length == VALUE_LENGTH)
            {
                sink.onValue(record.offset(), (long) LONG.get(value, 0), (long) LONG.get(value, 8),
                    (long) LONG.get(value, 15));
            }
            else
            {
                sink.onWrongLength();
            }
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

    private static Map<String, Object> settings(final Properties connection)
    {
        final Map<String, Object> settings = new HashMap<>();
        connection.stringPropertyNames().forEach((name) -> settings.put(name, connection.getProperty(name)));
        settings.put("enable.auto.commit", false);
        settings.put("fetch.max.bytes", MAX_BYTES);
        settings.put("max.partition.fetch.bytes", PARTITION_MAX_BYTES);
        settings.put("fetch.min.bytes", MIN_BYTES);
        settings.put("fetch.max.wait.ms", MAX_WAIT_MS);
        settings.put("check.crcs", CHECK_CRCS);
        settings.put("max.poll.records", MAX_POLL_RECORDS);
        // Like our consumer, which leaves the size of the socket buffer to the kernel.
        settings.put("receive.buffer.bytes", -1);
        return settings;
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
}
