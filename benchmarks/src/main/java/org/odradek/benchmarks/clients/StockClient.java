// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.ClientTask;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.Sink;
import org.odradek.benchmarks.rig.ThreeLongs;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * The stock consumer as a user of {@code assign} without a group writes it, values as byte arrays. Its settings are
 * those of the other clients; with {@code defaults=true} all its own defaults; {@code groupProtocol} chooses the new
 * consumer (KIP-848), which has a thread of its own for the network; {@code parkUs} is how long it parks after a poll.
 */
public final class StockClient implements Client
{
    private static final Duration READY_TIMEOUT = Duration.ofMinutes(5);
    private static final int REST_BEYOND_WAIT_MS = 200;

    private final Sink sink;
    private final Duration pollTimeout;
    private final long parkNs;
    private final Duration rest;
    private final List<TopicPartition> partitions;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Metric fetchTotal;

    public StockClient(final Settings settings, final Sink sink)
    {
        this.sink = sink;
        pollTimeout = Duration.ofMillis(settings.number("pollTimeoutMs"));
        parkNs = TimeUnit.MICROSECONDS.toNanos(settings.number("parkUs", 0));
        rest = Duration.ofMillis(REST_BEYOND_WAIT_MS + (settings.is("defaults") ?
            ConsumerConfig.DEFAULT_FETCH_MAX_WAIT_MS : settings.number("fetchMaxWaitMs")));
        partitions = IntStream.of(settings.numbers("partitions"))
            .mapToObj((partition) -> new TopicPartition(settings.text("topic"), partition)).toList();
        consumer = new KafkaConsumer<>(properties(settings), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(partitions);
        if (settings.has(ClientTask.FROM_START))
        {
            consumer.seekToBeginning(partitions);
        }
        else if (sink.isLive())
        {
            consumer.seekToEnd(partitions);
            // seekToEnd is lazy; this asks.
            partitions.forEach((partition) -> consumer.position(partition, READY_TIMEOUT));
        }
        else
        {
            consumer.pause(partitions);
        }
        fetchTotal = consumer.metrics().values().stream().filter((metric) ->
            metric.metricName().name().equals("fetch-total") &&
            metric.metricName().group().equals("consumer-fetch-manager-metrics")).findFirst().orElseThrow();
    }

    /** @return the properties of the consumer, for others that have one inside. */
    public static Properties properties(final Settings given)
    {
        final Settings settings = Arms.held(given);
        final Properties properties = settings.connection();
        if (!settings.is("defaults"))
        {
            properties.putAll(Arms.fetchProperties(settings));
            properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
            properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                (int)settings.number("stockRecordLimit", settings.number("recordLimit")));
            // As ours, which leaves the socket's buffer to the kernel.
            properties.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1);
        }
        if (settings.has("groupProtocol"))
        {
            properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, settings.text("groupProtocol"));
        }
        return properties;
    }

    @Override
    public void poll()
    {
        for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(pollTimeout))
        {
            final byte[] value = record.value();
            sink.onValue(record.partition(), record.offset(), value.length, ThreeLongs.first(value),
                ThreeLongs.others(value));
        }
        if (parkNs > 0)
        {
            LockSupport.parkNanos(parkNs);
        }
    }

    @Override
    public void rewind()
    {
        partitions.forEach((partition) -> consumer.seek(partition, 0));
        consumer.resume(partitions);
    }

    /** Paused, it sends no new fetch, and the one that waits at the end of the log ends. */
    @Override
    public void rest()
    {
        consumer.pause(partitions);
        consumer.poll(rest);
    }

    @Override
    public long fetches()
    {
        return ((Number)fetchTotal.metricValue()).longValue();
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
