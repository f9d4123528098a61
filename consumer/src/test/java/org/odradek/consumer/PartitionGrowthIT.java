// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.Events;
import org.odradek.consumer.support.SharedBroker;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.Deliveries.pollSomeMore;
import static org.odradek.consumer.support.Deliveries.pollUntil;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;

@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class PartitionGrowthIT
{
    private static final int RECORDS = 60;

    private final TransportType transport;
    private final Deliveries deliveries = new Deliveries();
    private final Events events = new Events();

    PartitionGrowthIT(final TransportType transport)
    {
        this.transport = transport;
    }

    private ConsumerContext context(final String topic)
    {
        return SharedBroker.context(transport, topic).metadataMaxAgeMs(50).listener(events);
    }

    private static void grow(final String topic, final int partitions)
    {
        SharedBroker.client().addPartitions(topic, partitions);
        for (int p = 1; p < partitions; p++)
        {
            SharedBroker.append(topic, p, 0, RECORDS);
        }
    }

    // Behaviour D45, tried 2026-11-29: New partitions are found, and existing ones keep their offsets.
    // Behaviour D41.
    @Test
    void shouldReadNewPartitionsFromTheirBeginning()
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        try (TopicConsumer consumer =
            TopicConsumer.connect(context(topic).startPosition(StartPosition.latest())))
        {
            assertTrue(consumer.awaitReady(40 * SECOND_NS), consumer::describe);
            assertEquals(List.of("added 0"), events.of("added"));

            // These records are written before the consumer knows their partitions.
            grow(topic, 3);
            deliveries.expect(0, RECORDS).pollUntilCount(consumer, 2 * RECORDS);
            assertEquals(List.of("added 0", "added 1", "added 2"), events.of("added"));
            assertEquals(3, consumer.partitionCount());

            SharedBroker.append(topic, 0, RECORDS, RECORDS + 2);
            deliveries.pollUntilCount(consumer, 2 * RECORDS + 2);
        }
    }

    // Behaviour D45.
    @Test
    void shouldContinueAPartlyDeliveredResponseWhileTheTopicGrows()
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        try (TopicConsumer consumer = TopicConsumer.connect(context(topic)))
        {
            pollUntil(consumer, deliveries, 1, () -> deliveries.count() == 1);
            grow(topic, 5);
            pollUntil(consumer, deliveries, 1, () -> deliveries.count() == 5 * RECORDS);
        }
    }

    @Test
    void shouldReadOnlyNamedPartitionsOfATopicThatGrows()
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        final List<String> errors = new ArrayList<>();
        try (TopicConsumer consumer = TopicConsumer.connect(context(topic).partitions(0, 2)
            .errorHandler((error) -> errors.add(error.getMessage()))))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            assertFalse(consumer.awaitReady(SECOND_NS / 10));
            assertEquals(
                List.of("Partition 2 of topic " + topic + " does not exist: the topic has 1; " +
                    "the metadata is requested again."), errors);

            grow(topic, 3);
            deliveries.pollUntilCount(consumer, 2 * RECORDS);
            pollSomeMore(consumer, deliveries);
            assertEquals(RECORDS, deliveries.count(2));
            assertEquals(List.of(), events.of("added"));
            assertEquals(1, errors.size());
        }
    }
}
