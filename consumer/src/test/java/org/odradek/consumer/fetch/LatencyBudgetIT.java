// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.consumer.support.TrickleProbe;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.internal.JavaProcess;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads single records from a real broker with a latency budget: every record is delivered once and in order, and
 * nothing is allocated.
 */
@ExtendWith(SharedBroker.class)
final class LatencyBudgetIT
{
    private static final int PARTITIONS = 2;
    private static final int RECORDS = 100;
    private static final int LIMIT = 3;
    /** The producer waits for each record, and a slow machine still writes two of them in this time. */
    private static final int BUDGET_MS = 400;
    private static final long TIMEOUT_NS = 5_000_000;

    private final Deliveries deliveries = new Deliveries();

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldReadEveryRecordOfATrickle(final TransportType transport) throws Exception
    {
        final String topic = SharedBroker.topic(PARTITIONS, 0);
        final FutureTask<Void> producing = new FutureTask<>(() -> produce(topic), null);
        try (TopicConsumer consumer = TopicConsumer.connect(
            SharedBroker.context(transport, topic).fetchMaxWaitMs(BUDGET_MS)
                .latencyBudgetMs(BUDGET_MS)))
        {
            new Thread(producing, "producer").start();
            Deliveries.pollUntil(consumer, deliveries, LIMIT, () -> deliveries.count() > 0);
            while (!producing.isDone())
            {
                consumer.poll(deliveries, LIMIT, TIMEOUT_NS);
            }
            producing.get();
            deliveries.pollUntilCount(consumer, PARTITIONS * RECORDS);

            assertEquals(PARTITIONS * RECORDS, deliveries.count());
            assertTrue(consumer.counters().get(ConsumerCounters.BATCHED_FETCHES) > 0);
        }
    }

    @Tag("slow")
    @Tag("zero-allocation")
    @Tag("one-jdk")
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldAllocateNothingInBatchedFetches(final TransportType transport) throws Exception
    {
        final String topic = SharedBroker.topic(1, 0);
        try (KafkaProducer<byte[], byte[]> producer = producer())
        {
            assertAllocatesNothing(producer, topic, SharedBroker.bootstrapServers(), topic, transport.name());
        }
    }

    @Tag("slow")
    @Test
    void shouldAllocateNothingInBatchedFetchesOverTls() throws Exception
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start(new BrokerSettings().secured());
            Producer<byte[], byte[]> producer = broker.producer(0, "1"))
        {
            broker.createTopic("trickle", 1);
            assertAllocatesNothing(producer, "trickle", broker.bootstrapServers(SecureListener.SSL), "trickle",
                TransportType.EPOLL.name(),
                broker.security().writeClientProperties(SecureListener.SSL, null).toString());
        }
    }

    private static void assertAllocatesNothing(
        final Producer<byte[], byte[]> producer, final String topic, final String... args) throws Exception
    {
        final List<String> output = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess probe = JavaProcess.of(TrickleProbe.class).args(args)
            .flags("-XX:TieredStopAtLevel=1", "-Xmx64m").onStdout(output::add).start())
        {
            for (int offset = 0; probe.isAlive(); offset++)
            {
                producer.send(new ProducerRecord<>(topic, 0, null, SharedBroker.value(0, offset)));
                Thread.sleep(1);
            }
            assertEquals(0, probe.exitCode(1, TimeUnit.SECONDS), probe::outputTail);
        }

        assertEquals(2, output.size(), output::toString);
        assertTrue(output.get(0).startsWith("bytes in each round of warm-up: "), output::toString);
        assertEquals("bytes=0 records=true 1", output.get(1));
    }

    private static KafkaProducer<byte[], byte[]> producer()
    {
        return new KafkaProducer<>(Map.of("bootstrap.servers", SharedBroker.bootstrapServers(), "linger.ms", 0),
            new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void produce(final String topic)
    {
        try (KafkaProducer<byte[], byte[]> producer = producer())
        {
            for (int offset = 0; offset < RECORDS; offset++)
            {
                for (int p = 0; p < PARTITIONS; p++)
                {
                    producer.send(new ProducerRecord<>(topic, p, null, SharedBroker.value(p, offset)));
                }
                producer.flush();
            }
        }
    }
}
