// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.testkit.BrokerCluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Publishes to three brokers while leaders move and one is killed: each record is in the log once, in order. */
@Tag("slow")
class PublisherLeaderMovesIT
{
    private static final int PARTITIONS = 3;
    private static final String TOPIC = "moved";

    // Behaviour Q219.
    @Test
    void shouldLoseAndDuplicateNothingWhileLeadersMove() throws InterruptedException
    {
        try (BrokerCluster cluster = BrokerCluster.start(3))
        {
            cluster.client().createTopic(TOPIC, PARTITIONS, Map.of("min.insync.replicas", "2"));
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final AtomicBoolean isEnded = new AtomicBoolean();
            final Thread mover = new Thread(() -> move(cluster, isEnded, failure), "mover");
            final List<Integer> counts;
            try (Publishing client = Publishing.start(
                Publishing.context(cluster.bootstrapServers()).sendIntervalUs(1_000).requestTimeoutMs(10_000), TOPIC))
            {
                mover.start();
                counts = publish(client, isEnded);
                assertTrue(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS), client.publisher::describe);
                assertEquals(0, client.counter(PublisherCounters.RECORDS_FAILED));
                assertTrue(client.counter(PublisherCounters.BATCHES_RESENT) > 0, client.publisher::describe);
                System.out.println(client.publisher.counters());
            }
            mover.join();
            assertNull(failure.get());

            assertEquals(expected(counts), read(cluster, counts));
        }
    }

    private static void move(
        final BrokerCluster cluster, final AtomicBoolean isEnded, final AtomicReference<Throwable> failure)
    {
        try
        {
            for (int p = 0; p < PARTITIONS; p++)
            {
                cluster.moveLeader(TOPIC, p, cluster.leaderOf(TOPIC, p) % 3 + 1);
            }
            final int killed = cluster.leaderOf(TOPIC, 0);
            cluster.broker(killed).kill();
            cluster.awaitLeaderOtherThan(TOPIC, 0, killed);
            cluster.broker(killed).restart();
            cluster.awaitIsr(TOPIC, 0, 3);
        }
        catch (final RuntimeException | Error ex)
        {
            failure.set(ex);
        }
        isEnded.set(true);
    }

    private static List<Integer> publish(final Publishing client, final AtomicBoolean isEnded)
    {
        final int[] counts = new int[PARTITIONS];
        final TopicPublisher topic = client.publisher.topic(TOPIC);
        while (!isEnded.get())
        {
            for (int p = 0; p < PARTITIONS; p++)
            {
                if (client.tryOfferTo(topic, p, p + "-" + counts[p]) > 0)
                {
                    counts[p]++;
                }
            }
            client.publisher.doWork();
            // All records are kept in memory, however long the moves take.
            LockSupport.parkNanos(1_000_000);
        }
        return List.of(counts[0], counts[1], counts[2]);
    }

    private static List<List<String>> expected(final List<Integer> counts)
    {
        final List<List<String>> expected = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++)
        {
            final List<String> values = new ArrayList<>();
            for (int i = 0; i < counts.get(p); i++)
            {
                values.add(p + "-" + i);
            }
            expected.add(values);
        }
        return expected;
    }

    private static List<List<String>> read(final BrokerCluster cluster, final List<Integer> counts)
    {
        final List<List<String>> read = new ArrayList<>();
        final int total = counts.stream().mapToInt(Integer::intValue).sum();
        for (int p = 0; p < PARTITIONS; p++)
        {
            read.add(new ArrayList<>());
        }
        try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(cluster.bootstrapServers()).topic(TOPIC).startPosition(StartPosition.earliest())))
        {
            int count = 0;
            int found = 1;
            // Beyond the last expected record, for duplicates.
            while (count < total || found > 0)
            {
                found = consumer.poll((record) -> read.get(record.partition()).add(
                    record.buffer().getStringWithoutLengthUtf8(record.valueIndex(), record.valueLength())), 10_000,
                    1_000_000_000L);
                count += found;
            }
        }
        return read;
    }
}
