// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.odradek.testkit.Await;
import org.odradek.verification.chaos.GroupHistory.Commit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads all commits of a group from the topic in which the coordinator stores them.
 */
final class CommitLog
{
    static final String TOPIC = "__consumer_offsets";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(50);
    /** Keys of commits have version 0 or 1. */
    private static final int MAX_KEY_VERSION = 1;

    private CommitLog()
    {
    }

    /** Reads the commits; the topic must have one partition, and its clean-up must not have begun. */
    static List<Commit> read(
        final String bootstrapServers, final String group, final String topic, final WallClock clock)
    {
        final List<Commit> commits = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
            Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers),
            new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            final long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
            Await.until("the commits to be read", () ->
            {
                for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT))
                {
                    add(record, group, topic, clock, commits);
                }
                return consumer.position(PARTITION) >= end;
            });
        }
        return commits;
    }

    private static void add(
        final ConsumerRecord<byte[], byte[]> record,
        final String group,
        final String topic,
        final WallClock clock,
        final List<Commit> commits)
    {
        final ByteBuffer key = ByteBuffer.wrap(record.key());
        if (key.getShort() <= MAX_KEY_VERSION && record.value() != null &&
            string(key).equals(group) && string(key).equals(topic))
        {
            // The offset follows the version.
            commits.add(new Commit(key.getInt(), ByteBuffer.wrap(record.value()).getLong(Short.BYTES),
                clock.toNanoTime(record.timestamp())));
        }
    }

    private static String string(final ByteBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.getShort()];
        buffer.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
