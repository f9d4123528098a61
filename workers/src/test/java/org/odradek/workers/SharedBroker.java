// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.testkit.EmbeddedBroker;

import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** One broker for all test classes of a JVM that need it, whose groups change fast, with a topic for each test. */
public final class SharedBroker implements BeforeAllCallback
{
    static final int KEYS = 50;

    private static final int FENCE_MS = 30_000;
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(SharedBroker.class);
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static volatile EmbeddedBroker broker;

    @Override
    public void beforeAll(final ExtensionContext context)
    {
        broker = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
            .computeIfAbsent("broker", (key) -> EmbeddedBroker.start(Map.of(
            "group.consumer.min.heartbeat.interval.ms", "100",
            "group.consumer.heartbeat.interval.ms", "100",
            "group.consumer.assignment.interval.ms", "0",
            "group.min.session.timeout.ms", "100",
            "group.initial.rebalance.delay.ms", "0")), EmbeddedBroker.class);
    }

    static EmbeddedBroker broker()
    {
        return broker;
    }

    static String topic(final int partitions)
    {
        final String topic = "worked-" + TOPICS.incrementAndGet();
        broker.createTopic(topic, partitions);
        return topic;
    }

    /** A member of a group whose name is that of the topic. Its session and its fence exceed a pause of the machine. */
    static ConsumerContext context(final String servers, final String topic, final GroupProtocol protocol)
    {
        return new ConsumerContext().bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest())
            .fetchMaxWaitMs(20).reconnectBackoffMs(5, 50).retryBackoffMs(20, 100)
            .group(new GroupSettings(topic).protocol(protocol).heartbeatIntervalMs(100).fenceAfterMs(FENCE_MS)
                .commitPolicy(CommitPolicy.acknowledged(20)));
    }

    /** Writes records whose keys have a partition each, and whose values count the records of their key. */
    static void write(final String topic, final int partitions, final int from, final int to)
    {
        final Producer<byte[], byte[]> producer = broker.producer(0, "1");
        for (int number = from; number < to; number++)
        {
            for (int key = 0; key < KEYS; key++)
            {
                producer.send(new ProducerRecord<>(
                    topic, key % partitions, ("key-" + key).getBytes(US_ASCII), ("" + number).getBytes(US_ASCII)));
            }
        }
        producer.flush();
    }

    static long committed(final String topic, final int partition) throws ExecutionException, InterruptedException
    {
        final var offsets = broker.admin().listConsumerGroupOffsets(topic).partitionsToOffsetAndMetadata().get();
        final var committed = offsets.get(new TopicPartition(topic, partition));
        return committed == null ? 0 : committed.offset();
    }

    /** Returns the sum of the committed offsets of all partitions. */
    static long committedRecords(final String topic, final int partitions)
        throws ExecutionException, InterruptedException
    {
        long sum = 0;
        for (int p = 0; p < partitions; p++)
        {
            sum += committed(topic, p);
        }
        return sum;
    }
}
