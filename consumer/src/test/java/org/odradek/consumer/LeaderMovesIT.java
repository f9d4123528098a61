// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.SharedCluster;
import org.odradek.testkit.BrokerCluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads from three brokers while a producer writes and leaders move, are killed and restart: each record is delivered
 * once, in order.
 */
@ExtendWith(SharedCluster.class)
public class LeaderMovesIT
{
    private static final int PARTITION_COUNT = 3;
    /** Without pauses the brokers would spend more on records than on the moves. */
    private static final long PAUSE_NS = 10_000_000;
    /** So many are read before a fault that the leader as it is then is connected to. */
    private static final int RECORDS_BETWEEN_FAULTS = 200;
    private static final List<BiConsumer<BrokerCluster, String>> MOVE_AND_KILL =
        List.of(LeaderMovesIT::moveAll, LeaderMovesIT::killLeader);

    /** Writes to all partitions in turn until it is stopped, and keeps what was written. */
    private static final class Writer implements Runnable, AutoCloseable
    {
        private final List<List<String>> written = new ArrayList<>();
        private final AtomicBoolean isStopped = new AtomicBoolean();
        private final AtomicReference<Exception> failure = new AtomicReference<>();
        private final String topic;
        private final Producer<byte[], byte[]> producer;
        private final Thread thread = new Thread(this, "writer");

        Writer(final BrokerCluster cluster, final String topic)
        {
            this.topic = topic;
            // Without idempotence the producer itself writes a record twice if it misses the acknowledgement.
            producer = cluster.client().producer(Map.of(ProducerConfig.LINGER_MS_CONFIG, 5,
                ProducerConfig.ACKS_CONFIG, "all", ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true));
            for (int p = 0; p < PARTITION_COUNT; p++)
            {
                written.add(new ArrayList<>());
            }
            thread.start();
        }

        @Override
        public void run()
        {
            for (int i = 0; !isStopped.get(); i++)
            {
                final String value = "value " + i;
                written.get(i % PARTITION_COUNT).add(value);
                producer.send(new ProducerRecord<>(topic, i % PARTITION_COUNT, null, value.getBytes()),
                    (metadata, ex) -> failure.compareAndSet(null, ex));
                if (i % 20 == 0)
                {
                    producer.flush();
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
        }

        @Override
        public void close()
        {
            isStopped.set(true);
            try
            {
                thread.join();
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
            producer.close();
        }

        List<List<String>> stop()
        {
            close();
            assertNull(failure.get());
            return written;
        }
    }

    // Behaviour N160, tried 2026-11-29: During rolling restarts of all brokers under load, each record is delivered
    // once.
    @Test
    void shouldDeliverEachRecordOnceWhenLeadersMove() throws Exception
    {
        read(MOVE_AND_KILL, FetchSessionMode.OFF, "", "lost");
    }

    // Behaviour N160.
    @Tag("slow")
    @Test
    void shouldDeliverEachRecordOnceInARollingRestart() throws Exception
    {
        // A broker that is stopped passes its leaders on before it closes the connections, which are idle then.
        read(List.of(LeaderMovesIT::restartAll), FetchSessionMode.ON, "", "leader of 0");
    }

    /** Reads from the broker in our own rack, unless it is the one that is killed. */
    @Tag("slow")
    @Test
    void shouldDeliverEachRecordOnceWhenReadingFromReplicasInASession() throws Exception
    {
        // A consumer that reads from a replica may have no connection to the leader that was killed.
        read(MOVE_AND_KILL, FetchSessionMode.ON, "rack 2", "leader of 0");
    }

    /** Commits the faults one after the other, and reads some records of partition 0 after each. */
    private void read(
        final List<BiConsumer<BrokerCluster, String>> faults,
        final FetchSessionMode mode,
        final String rack,
        final String event) throws Exception
    {
        final BrokerCluster cluster = SharedCluster.cluster();
        final String topic = SharedCluster.newTopic();
        cluster.createTopic(topic, PARTITION_COUNT, Map.of("min.insync.replicas", "2"));
        try (Writer writer = new Writer(cluster, topic);
            Reading reading = Reading.start(Reading.context(cluster.bootstrapServers(), topic)
                .fetchSession(mode).clientRack(rack)))
        {
            for (final BiConsumer<BrokerCluster, String> fault : faults)
            {
                reading.untilCount(0, reading.values(0).size() + RECORDS_BETWEEN_FAULTS);
                commit(fault, cluster, topic, reading);
            }
            final List<List<String>> written = writer.stop();
            for (int p = 0; p < PARTITION_COUNT; p++)
            {
                reading.untilCount(p, written.get(p).size());
                assertEquals(written.get(p), reading.values(p));
                assertEquals(written.get(p).size() - 1, reading.offsets(p).get(written.get(p).size() - 1));
            }
            assertTrue(reading.hasEvent("leader of 0"), () -> reading.events().toString());
            assertTrue(reading.hasEvent(event), () -> reading.events().toString());
            assertFalse(reading.hasEvent("stopped"), () -> reading.errors().toString());
            assertEquals(mode == FetchSessionMode.ON,
                reading.consumer().counters().get(ConsumerCounters.INCREMENTAL_FETCHES) > 0);
            if (!rack.isEmpty())
            {
                reading.until("a replica to be read from", () -> isReadingFromReplica(reading));
            }
        }
    }

    /** Reads until the fault, in a thread of its own, has ended. */
    private static void commit(
        final BiConsumer<BrokerCluster, String> fault,
        final BrokerCluster cluster,
        final String topic,
        final Reading reading) throws Exception
    {
        final FutureTask<Void> upheaval = new FutureTask<>(() -> fault.accept(cluster, topic), null);
        new Thread(upheaval, "upheaval").start();
        while (!upheaval.isDone())
        {
            reading.consumer().poll(reading, 1_000, 5_000_000);
        }
        upheaval.get();
    }

    /** Returns whether at least one partition is read from broker 2 while another broker leads it. */
    private static boolean isReadingFromReplica(final Reading reading)
    {
        final String text = reading.consumer().describe();
        return text.contains("readFrom=2") && text.lines().anyMatch((line) ->
            line.contains("readFrom=2") && !line.contains("leader=2 "));
    }

    private static void moveAll(final BrokerCluster cluster, final String topic)
    {
        for (int p = 0; p < PARTITION_COUNT; p++)
        {
            cluster.moveLeader(topic, p, cluster.leaderOf(topic, p) % 3 + 1);
        }
    }

    private static void killLeader(final BrokerCluster cluster, final String topic)
    {
        final int leader = cluster.leaderOf(topic, 0);
        cluster.broker(leader).kill();
        cluster.awaitLeaderOtherThan(topic, 0, leader);
        cluster.broker(leader).restart();
        cluster.awaitIsr(topic, 0, 3);
        cluster.moveLeader(topic, 0, leader);
    }

    private static void restartAll(final BrokerCluster cluster, final String topic)
    {
        for (int id = 1; id <= cluster.brokerCount(); id++)
        {
            cluster.broker(id).restart();
            for (int p = 0; p < PARTITION_COUNT; p++)
            {
                cluster.awaitIsr(topic, p, cluster.brokerCount());
            }
        }
    }
}
