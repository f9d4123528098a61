/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import java.time.Duration;
import java.util.List;
import java.util.Properties;

/**
 * The stock client, assigned by hand, values as byte arrays: once with the settings of the other arms and more
 * records per poll, once with all its own defaults.
 */
final class StockConsumer implements Arm
{
    /** More does not help it: a whole fetch of small records in one poll falls out of the CPU's cache. */
    static final int MAX_POLL_RECORDS = 1_000;

    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);
    private static final int DEFAULT_FETCH_MAX_WAIT_MS = 500;
    private static final int REST_BEYOND_WAIT_MS = 200;

    private final Duration rest;
    private final long endOffset;
    private final TopicPartition partition;
    private final KafkaConsumer<byte[], byte[]> consumer;

    private StockConsumer(final ArmSettings settings, final Properties properties, final int fetchMaxWaitMs)
    {
        rest = Duration.ofMillis(fetchMaxWaitMs + REST_BEYOND_WAIT_MS);
        endOffset = settings.records();
        partition = new TopicPartition(settings.topic(), 0);
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrap());
        consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(List.of(partition));
        consumer.pause(consumer.assignment());
    }

    static StockConsumer withEqualSettings(final ArmSettings settings)
    {
        final Properties properties = new Properties();
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, ArmSettings.FETCH_MAX_BYTES);
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, ArmSettings.PARTITION_MAX_BYTES);
        properties.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, ArmSettings.FETCH_MIN_BYTES);
        properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, ArmSettings.FETCH_MAX_WAIT_MS);
        properties.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1);
        properties.put(ConsumerConfig.CHECK_CRCS_CONFIG, true);
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
        return new StockConsumer(settings, properties, ArmSettings.FETCH_MAX_WAIT_MS);
    }

    static StockConsumer withItsDefaults(final ArmSettings settings)
    {
        return new StockConsumer(settings, new Properties(), DEFAULT_FETCH_MAX_WAIT_MS);
    }

    @Override
    public void pass(final Tally tally)
    {
        consumer.seek(partition, 0);
        consumer.resume(consumer.assignment());
        long nextOffset = 0;
        while (nextOffset < endOffset)
        {
            for (final ConsumerRecord<byte[], byte[]> next : consumer.poll(POLL_TIMEOUT))
            {
                final byte[] value = next.value();
                tally.add(value.length, ThreeLongs.sum(value));
                nextOffset = next.offset() + 1;
            }
        }
    }

    /** Paused, it sends no new fetch, and the one that waits at the end of the log runs out. */
    @Override
    public void rest()
    {
        consumer.pause(consumer.assignment());
        consumer.poll(rest);
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
