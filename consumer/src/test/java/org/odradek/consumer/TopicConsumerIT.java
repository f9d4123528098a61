// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;

import java.util.Locale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;

/**
 * Tests reading a topic and the state that a consumer shows.
 */
@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class TopicConsumerIT
{
    private static final int RECORDS = 30_000;

    private final TransportType transport;
    private final Deliveries deliveries = new Deliveries();

    TopicConsumerIT(final TransportType transport)
    {
        this.transport = transport;
    }

    // Behaviour A16, tried 2026-11-29: The client's software name and version have the format that brokers require.
    @Test
    @Tag("smoke")
    void shouldReadAllRecordsOfATopicInOrder()
    {
        final String topic = SharedBroker.topic(2, RECORDS);
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(transport, topic)))
        {
            assertTrue(consumer.awaitReady(60 * SECOND_NS), consumer::describe);
            assertEquals(0, deliveries.count());
            deliveries.pollUntilCount(consumer, 2 * RECORDS);

            assertEquals(2, consumer.partitionCount());
            assertEquals(2 * RECORDS, consumer.counters().records());
            for (int p = 0; p < 2; p++)
            {
                assertEquals(RECORDS, consumer.nextOffset(p));
                assertEquals(RECORDS, consumer.highWatermark(p));
                assertEquals(0, consumer.lag(p));
            }
        }
    }

    // Behaviour H108.
    @Test
    void shouldReportTheLagOfAPartition()
    {
        final String topic = SharedBroker.topic(1, 300);
        final ConsumerContext context = SharedBroker.context(transport, topic).partitions(0);
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            assertEquals(-1, consumer.nextOffset(0));
            assertEquals(-1, consumer.highWatermark(0));
            assertEquals(-1, consumer.lag(0));

            Deliveries.pollUntil(consumer, deliveries, 10, () -> deliveries.count() == 10);
            assertEquals(10, consumer.nextOffset(0));
            assertEquals(300, consumer.highWatermark(0));
            assertEquals(290, consumer.lag(0));

            SharedBroker.append(topic, 0, 300, 305);
            deliveries.pollUntilCount(consumer, 305);
            assertEquals(305, consumer.highWatermark(0));
            assertEquals(0, consumer.lag(0));
        }
    }

    @Test
    void shouldDescribeTheWholeState()
    {
        final String topic = SharedBroker.topic(2, 300);
        final TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(transport, topic));
        deliveries.pollUntilCount(consumer, 600);
        consumer.pause(1);
        final String text = consumer.describe();

        for (final String part : new String[] {
            "topic " + topic, "transport " + transport.name().toLowerCase(Locale.ROOT), "of a budget of ",
            "brokers ", SharedBroker.bootstrapServers(), "fetcher: broker ", "ready",
            "partition 0 fetching: nextOffset=300 offsetEpoch=0 requestOffset=300 highWatermark=300",
            "partition 1 fetching (paused): nextOffset=300", "leaderEpoch=0", "records=600"})
        {
            assertTrue(text.contains(part), () -> "'" + part + "' is missing in: " + text);
        }
        assertEquals(transport.name().toLowerCase(Locale.ROOT), consumer.transportDescription());

        consumer.close();
        assertTrue(consumer.describe().contains(", memory 0 of a budget of "), consumer::describe);
        assertTrue(consumer.describe().contains(", closed"), consumer::describe);
    }

    @Test
    void shouldHoldNoMoreMemoryThanDeclared()
    {
        final ConsumerContext context =
            SharedBroker.context(transport, SharedBroker.topic(3, 3_000)).expectedLeaders(1).conclude();
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            deliveries.pollUntilCount(consumer, 9_000);
            assertTrue(consumer.describe().contains(" of a budget of " + context.memoryBudget()), consumer::describe);
            assertEquals(0, consumer.counters().get(ConsumerCounters.BUDGET_EXCEEDED_BYTES), consumer::describe);
        }
    }
}
