// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * The stock client, values as byte arrays: assigned by hand with the settings of the other arms and more records per
 * poll, the same with all its own defaults, and its new consumer with the settings of the other arms. The new consumer
 * takes partitions only from a group, so it subscribes and is measured once it has them.
 */
final class StockConsumer implements Arm
{
    /** More does not help it: a whole fetch of small records in one poll falls out of the CPU's cache. */
    static final int MAX_POLL_RECORDS = 1_000;

    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration JOIN_POLL_TIMEOUT = Duration.ofMillis(100);
    private static final long JOIN_TIMEOUT_NS = TimeUnit.MINUTES.toNanos(2);
    private static final int MAX_POLL_INTERVAL_MS = (int)TimeUnit.HOURS.toMillis(1);
    private static final int DEFAULT_FETCH_MAX_WAIT_MS = 500;
    private static final int REST_BEYOND_WAIT_MS = 200;

    private final List<TopicPartition> partitions = new ArrayList<>();
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Duration rest;
    private final long lastOffset;

    private StockConsumer(final ArmSettings settings, final Properties properties, final int fetchMaxWaitMs)
    {
        rest = Duration.ofMillis(fetchMaxWaitMs + REST_BEYOND_WAIT_MS);
        lastOffset = settings.recordsPerPartition() - 1;
        for (int partition = 0; partition < settings.partitions(); partition++)
        {
            partitions.add(new TopicPartition(settings.topic(), partition));
        }
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrap());
        properties.put(ConsumerConfig.CHECK_CRCS_CONFIG, settings.isCheckingCrcs());
        consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    static StockConsumer withEqualSettings(final ArmSettings settings)
    {
        return new StockConsumer(settings, equalSettings(), ArmSettings.FETCH_MAX_WAIT_MS).assigned();
    }

    static StockConsumer withItsDefaults(final ArmSettings settings)
    {
        return new StockConsumer(settings, new Properties(), DEFAULT_FETCH_MAX_WAIT_MS).assigned();
    }

    static StockConsumer withNewProtocol(final ArmSettings settings)
    {
        final Properties properties = equalSettings();
        properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer");
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, "odradek-catchup-" + UUID.randomUUID());
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        // It must not lose its partitions while others have their turn.
        properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, MAX_POLL_INTERVAL_MS);
        return new StockConsumer(settings, properties, ArmSettings.FETCH_MAX_WAIT_MS).joined(settings.topic());
    }

    private static Properties equalSettings()
    {
        final Properties properties = new Properties();
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, ArmSettings.FETCH_MAX_BYTES);
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, ArmSettings.PARTITION_MAX_BYTES);
        properties.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, ArmSettings.FETCH_MIN_BYTES);
        properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, ArmSettings.FETCH_MAX_WAIT_MS);
        properties.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1);
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
        return properties;
    }

    @Override
    public void pass(final Tally tally)
    {
        partitions.forEach(partition -> consumer.seek(partition, 0));
        consumer.resume(partitions);
        int unfinished = partitions.size();
        while (unfinished > 0)
        {
            for (final ConsumerRecord<byte[], byte[]> next : consumer.poll(POLL_TIMEOUT))
            {
                final byte[] value = next.value();
                tally.add(value.length, ThreeLongs.sum(value));
                if (next.offset() == lastOffset)
                {
                    unfinished--;
                }
            }
        }
    }

    /** Paused, it sends no new fetch, and the one that waits at the end of the log runs out. */
    @Override
    public void rest()
    {
        consumer.pause(partitions);
        consumer.poll(rest);
    }

    @Override
    public void close()
    {
        consumer.close();
    }

    private StockConsumer assigned()
    {
        consumer.assign(partitions);
        consumer.pause(partitions);
        return this;
    }

    private StockConsumer joined(final String topic)
    {
        consumer.subscribe(List.of(topic));
        final long startNs = System.nanoTime();
        while (consumer.assignment().size() < partitions.size())
        {
            if (System.nanoTime() - startNs > JOIN_TIMEOUT_NS)
            {
                throw new IllegalStateException("the group gave it " + consumer.assignment() + " of " + topic +
                    " within 2 minutes, not every partition");
            }
            consumer.poll(JOIN_POLL_TIMEOUT);
        }
        rest();
        return this;
    }
}
