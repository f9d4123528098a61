// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.Events;
import org.odradek.consumer.support.SharedBroker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests a topic that is deleted and created again with the same name: its partitions stop, and continue at the
 * offsets that they are sought to.
 */
@ExtendWith(SharedBroker.class)
final class RecreatedTopicIT
{
    private static final int RECORDS = 20;

    // Behaviour D48, tried 2026-11-29: If a topic was deleted and created again, its partitions stop (in a group, see
    // 190), and an error reports this.
    // Behaviour D38.
    @ParameterizedTest
    @EnumSource(names = {"ON", "OFF"})
    void shouldStopAtARecreatedTopic(final FetchSessionMode mode)
    {
        final String topic = SharedBroker.topic(2, RECORDS);
        final List<String> errors = new ArrayList<>();
        final Events events = new Events();
        final long[] count = new long[1];
        final RecordHandler counting = (record) -> count[0]++;
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(TransportType.AUTO, topic)
            .startPosition(StartPosition.earliest()).fetchSession(mode).listener(events)
            .errorHandler((error) -> errors.add(error.getMessage()))))
        {
            Deliveries.pollUntil(consumer, counting, 1_000, () -> count[0] >= 2 * RECORDS);
            SharedBroker.client().deleteTopic(topic);
            SharedBroker.client().createTopic(topic, 2, Map.of());
            SharedBroker.append(topic, 0, 0, RECORDS + 5);
            SharedBroker.append(topic, 1, 0, RECORDS + 5);

            Deliveries.pollUntil(consumer, counting, 1_000,
                () -> consumer.counters().get(ConsumerCounters.PARTITIONS_STOPPED) >= 2);
            assertEquals(2 * RECORDS, count[0]);
            assertEquals(2, consumer.counters().get(ConsumerCounters.PARTITIONS_STOPPED));
            assertEquals(RECORDS, consumer.nextOffset(0));
            assertEquals(RECORDS, consumer.nextOffset(1));
            assertTrue(errors.get(errors.size() - 1).contains("was deleted and created again"), errors::toString);
            assertEquals(List.of("stopped 0 at " + RECORDS + " for TOPIC_RECREATED error 0",
                "stopped 1 at " + RECORDS + " for TOPIC_RECREATED error 0"), events.of("stopped"));

            consumer.seek(0, 0);
            consumer.seek(1, 0);
            final int all = 2 * (RECORDS + RECORDS + 5);
            Deliveries.pollUntil(consumer, counting, 1_000, () -> count[0] >= all);
            assertEquals(all, count[0], consumer::describe);
        }
    }
}
