// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Reads a topic from its beginning with the stock client, on a thread of its own and without a proxy.
 */
final class SoakOutput implements AutoCloseable
{
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(100);

    private final Map<String, Object> properties;
    private final List<TopicPartition> partitions;
    private final Consumer<byte[]> values;
    private final Thread thread;
    /** Set by the run, read by the thread. */
    private volatile boolean isClosed;
    /** Set by the thread, read by the run. */
    private volatile String failure;

    /** @param values gets the value of each record, on the thread. */
    SoakOutput(
        final String bootstrapServers, final String topic, final int partitionCount, final Consumer<byte[]> values)
    {
        this.values = values;
        properties = Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none",
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 50,
            ConsumerConfig.METADATA_MAX_AGE_CONFIG, 1_000,
            ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 200);
        partitions = IntStream.range(0, partitionCount).mapToObj((p) -> new TopicPartition(topic, p)).toList();
        thread = new Thread(this::run, "soak-output");
        thread.setDaemon(true);
        thread.start();
    }

    /** Why the thread has ended, or null. */
    String failure()
    {
        return failure;
    }

    private void run()
    {
        try (KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            consumer.assign(partitions);
            partitions.forEach((partition) -> consumer.seek(partition, 0));
            while (!isClosed)
            {
                consumer.poll(POLL_TIMEOUT).forEach((record) -> values.accept(record.value()));
            }
        }
        catch (final RuntimeException ex)
        {
            failure = ex.toString();
        }
    }

    @Override
    public void close()
    {
        isClosed = true;
        try
        {
            thread.join();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }
}
