// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.Events;
import org.odradek.consumer.support.SharedBroker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.Deliveries.pollSomeMore;
import static org.odradek.consumer.support.Deliveries.pollUntil;

/**
 * Reads batches that are larger than the requested length, the receive buffer, or the maximum of the buffer.
 */
@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class LargeBatchIT
{
    private static final int RECORDS = 30;
    private static final int LARGE = 3_000_000;
    private static final int MEDIUM = 200_000;

    private final TransportType transport;
    private final Deliveries deliveries = new Deliveries();
    private final Events events = new Events();
    private final List<String> errors = new ArrayList<>();
    private int largeCount;

    LargeBatchIT(final TransportType transport)
    {
        this.transport = transport;
    }

    /** Writes RECORDS to each partition, and after them a large record and one more to one partition. */
    private static String topic(final int partitions, final int largePartition, final int length)
    {
        final String topic = SharedBroker.topic(partitions, RECORDS);
        try (Producer<byte[], byte[]> producer = SharedBroker.client().producer(Map.of(
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 20_000_000)))
        {
            producer.send(new ProducerRecord<>(topic, largePartition, null, new byte[length]));
        }
        SharedBroker.append(topic, largePartition, RECORDS + 1, RECORDS + 2);
        return topic;
    }

    private ConsumerContext context(final String topic)
    {
        return SharedBroker.context(transport, topic)
            .listener(events)
            .errorHandler((error) -> errors.add(error.getMessage()));
    }

    /** Checks the large record by its length only, and all others as usual. */
    private void read(final TopicConsumer consumer, final int length, final int count)
    {
        pollUntil(consumer,
            (record) ->
            {
                if (record.valueLength() == length)
                {
                    assertEquals(RECORDS, record.offset());
                    deliveries.expect(record.partition(), RECORDS + 1);
                    largeCount++;
                }
                else
                {
                    deliveries.onRecord(record);
                }
            }, 1_000, () -> deliveries.count() + largeCount >= count);
        assertEquals(count, deliveries.count() + largeCount);
    }

    // Behaviour E59, tried 2026-11-29: A record larger than the limits is delivered.
    // Behaviour B26.
    @Test
    void shouldGrowTheBufferForABatchThatIsLargerThanIt()
    {
        final ConsumerContext context = context(topic(2, 1, LARGE)).fetchMaxBytes(100_000);
        final int before = context.settings.receiveBufferLength(context.fetchMaxBytes());
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            read(consumer, LARGE, 2 * RECORDS + 2);

            assertEquals(1, largeCount);
            assertEquals(1, consumer.counters().get(ConsumerCounters.BUFFERS_GROWN));
            assertEquals(1, events.of("grown").size());
            final String grown = events.of("grown").get(0);
            assertTrue(grown.startsWith("grown from " + before + " to "), grown);
            assertEquals(List.of(), errors);
            assertEquals(List.of(), events.of("lost"));
        }
    }

    @Test
    void shouldStopOnlyThePartitionWhoseBatchIsLargerThanTheBufferMayBe()
    {
        final String topic = topic(3, 1, LARGE);
        final ConsumerContext context = context(topic).fetchMaxBytes(100_000).receiveBufferMaxLength(2_000_000);
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            pollUntil(consumer, deliveries, 1_000, () -> !errors.isEmpty() && deliveries.count() == 3 * RECORDS);

            assertEquals(List.of("stopped 1 at " + RECORDS + " for TOO_LARGE error 0"), events.of("stopped"));
            final String error = errors.get(0);
            for (final String part : new String[] {
                "Partition 1 of topic " + topic, "at offset " + RECORDS, "receiveBufferMaxLength", "seek past it"})
            {
                assertTrue(error.contains(part), error);
            }
            final String size = error.replaceAll(".*its record set of (\\d+) bytes.*", "$1");
            assertTrue(Integer.parseInt(size) >= LARGE, error);
            assertEquals(1, consumer.counters().get(ConsumerCounters.PARTITIONS_STOPPED));
            assertTrue(consumer.describe().contains("partition 1 stopped"), consumer::describe);

            SharedBroker.append(topic, 0, RECORDS, RECORDS + 4);
            SharedBroker.append(topic, 2, RECORDS, RECORDS + 4);
            deliveries.pollUntilCount(consumer, 3 * RECORDS + 8);
            consumer.seek(1, RECORDS + 1);
            deliveries.expect(1, RECORDS + 1).pollUntilCount(consumer, 3 * RECORDS + 9);
            pollSomeMore(consumer, deliveries);
            assertEquals(1, events.of("stopped").size());
        }
    }

    // Behaviour E57, tried 2026-11-29: Every partition advances, also with small limits of a fetch.
    // Behaviour E58, tried 2026-12-01: In requests that list all partitions, those with records in the last response
    // come last, as in a session, so that a partition with a large batch or few records gets its turn.
    // Behaviour E60, tried 2026-11-29: A large record that is not the first one in a response is delivered later, once.
    // Behaviour N162, tried 2026-11-29: Neither with small limits of bytes nor with thousands of partitions, most of
    // them empty, does a partition starve. A broker whose responses are bad is asked again only after a growing
    // backoff.
    @Test
    void shouldAdvanceEveryPartitionWhenLimitsAreSmall()
    {
        final int partitions = 20;
        final ConsumerContext context = context(topic(partitions, 13, MEDIUM))
            .fetchMaxBytes(2_000).partitionMaxBytes(600);
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            read(consumer, MEDIUM, partitions * RECORDS + 2);
            for (int p = 0; p < partitions; p++)
            {
                assertEquals(p == 13 ? RECORDS + 1 : RECORDS, deliveries.count(p));
            }
            assertEquals(List.of(), errors);
        }
    }
}
