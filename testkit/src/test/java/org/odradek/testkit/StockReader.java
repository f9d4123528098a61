// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads one partition from its beginning with the stock consumer.
 */
public final class StockReader
{
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(100);

    private StockReader()
    {
    }

    public static Consumer<byte[], byte[]> open(final String bootstrapServers, final String topic, final int partition)
    {
        final Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 50,
                ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 100,
                ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, 20),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
        final TopicPartition topicPartition = new TopicPartition(topic, partition);
        consumer.assign(List.of(topicPartition));
        consumer.seekToBeginning(List.of(topicPartition));
        return consumer;
    }

    public static List<ConsumerRecord<byte[], byte[]>> read(
        final String bootstrapServers, final String topic, final int partition, final int count)
    {
        try (Consumer<byte[], byte[]> consumer = open(bootstrapServers, topic, partition))
        {
            return read(consumer, count);
        }
    }

    public static List<ConsumerRecord<byte[], byte[]>> read(final Consumer<byte[], byte[]> consumer, final int count)
    {
        return read(consumer, count, Await.DEFAULT_TIMEOUT_MS);
    }

    public static List<ConsumerRecord<byte[], byte[]>> read(
        final Consumer<byte[], byte[]> consumer, final int count, final long timeoutMs)
    {
        final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        Await.until(count + " records", timeoutMs, () ->
        {
            consumer.poll(POLL_TIMEOUT).forEach(records::add);
            return records.size() >= count;
        });
        return records;
    }
}
