// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
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
import static org.odradek.consumer.support.Deliveries.pollWithoutFetches;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;

@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class StartPositionIT
{
    private static final int RECORDS = 60;
    private static final long FIRST_TIMESTAMP_MS = 1_000_000;

    private final TransportType transport;
    private final Deliveries deliveries = new Deliveries();

    StartPositionIT(final TransportType transport)
    {
        this.transport = transport;
    }

    private TopicConsumer connect(final String topic, final StartPosition position)
    {
        return connect(SharedBroker.context(transport, topic).startPosition(position));
    }

    private static TopicConsumer connect(final ConsumerContext context)
    {
        final TopicConsumer consumer = TopicConsumer.connect(context);
        assertTrue(consumer.awaitReady(60 * SECOND_NS), consumer::describe);
        return consumer;
    }

    /** Record i has the timestamp FIRST_TIMESTAMP_MS + 10 * i. */
    private static String topicOverTime(final int partitions)
    {
        final String topic = SharedBroker.topic(partitions, 0);
        try (Producer<byte[], byte[]> producer = SharedBroker.client().producer(0, "all"))
        {
            for (int i = 0; i < RECORDS; i++)
            {
                for (int p = 0; p < partitions; p++)
                {
                    producer.send(new ProducerRecord<>(
                        topic, p, FIRST_TIMESTAMP_MS + 10 * i, null, SharedBroker.value(p, i)));
                }
            }
        }
        return topic;
    }

    // Behaviour K130, P206.
    @Test
    void shouldBeginWithTheFirstRecord()
    {
        try (TopicConsumer consumer = connect(SharedBroker.topic(2, RECORDS), StartPosition.earliest()))
        {
            assertEquals(0, consumer.nextOffset(0));
            deliveries.pollUntilCount(consumer, 2 * RECORDS);
        }
    }

    // Behaviour J127, tried 2026-11-29: A log is read to its end, and then records that are appended later are read.
    @Test
    void shouldBeginAfterTheLastRecord()
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        try (TopicConsumer consumer = connect(topic, StartPosition.latest()))
        {
            assertEquals(RECORDS, consumer.nextOffset(0));
            deliveries.expect(0, RECORDS);
            pollSomeMore(consumer, deliveries);
            assertEquals(0, deliveries.count());

            SharedBroker.append(topic, 0, RECORDS, RECORDS + 5);
            deliveries.pollUntilCount(consumer, 5);

            consumer.seek(0, 0);
            deliveries.expect(0, 0).pollUntilCount(consumer, 5 + RECORDS + 5);
            SharedBroker.append(topic, 0, RECORDS + 5, RECORDS + 8);
            deliveries.pollUntilCount(consumer, 5 + RECORDS + 8);
        }
    }

    @Test
    void shouldBeginAtAnOffset()
    {
        try (TopicConsumer consumer = connect(SharedBroker.topic(1, RECORDS), StartPosition.offset(33)))
        {
            deliveries.expect(0, 33).pollUntilCount(consumer, RECORDS - 33);
        }
    }

    // Behaviour K135.
    @Test
    void shouldBeginAtTheFirstRecordThatIsNotBeforeATime()
    {
        final String topic = topicOverTime(1);
        try (TopicConsumer consumer = connect(topic, StartPosition.timestamp(FIRST_TIMESTAMP_MS + 191)))
        {
            deliveries.expect(0, 20).pollUntilCount(consumer, RECORDS - 20);
        }
    }

    // Behaviour K137, tried 2026-11-29: A negative offset in a response is not used as an offset.
    @Test
    void shouldBeginAfterTheLastRecordWhenAllAreBeforeTheTime()
    {
        final String topic = topicOverTime(1);
        try (TopicConsumer consumer = connect(topic, StartPosition.timestamp(FIRST_TIMESTAMP_MS + 10_000)))
        {
            assertEquals(RECORDS, consumer.nextOffset(0));
            SharedBroker.append(topic, 0, RECORDS, RECORDS + 3);
            deliveries.expect(0, RECORDS).pollUntilCount(consumer, 3);
        }
    }

    @Test
    void shouldStayPausedWhenAllRecordsAreBeforeTheTime()
    {
        final String topic = topicOverTime(1);
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(transport, topic)
            .partitions(0).startPosition(StartPosition.timestamp(FIRST_TIMESTAMP_MS + 10_000))))
        {
            consumer.pause(0);
            assertTrue(consumer.awaitReady(60 * SECOND_NS), consumer::describe);
            assertTrue(consumer.isPaused(0));

            SharedBroker.append(topic, 0, RECORDS, RECORDS + 3);
            pollWithoutFetches(consumer, deliveries);
            consumer.resume(0);
            deliveries.expect(0, RECORDS).pollUntilCount(consumer, 3);
        }
    }

    @Test
    void shouldBeginEachPartitionAtItsOwnOffset()
    {
        final ConsumerContext context = SharedBroker.context(transport, topicOverTime(5))
            .startPosition(StartPosition.offset(50))
            .startPosition(1, StartPosition.earliest())
            .startPosition(2, StartPosition.latest())
            .startPosition(3, StartPosition.timestamp(FIRST_TIMESTAMP_MS + 10 * 59))
            .startPosition(4, StartPosition.offset(10));
        try (TopicConsumer consumer = connect(context))
        {
            deliveries.expect(0, 50).expect(2, RECORDS).expect(3, 59).expect(4, 10)
                .pollUntilCount(consumer, 10 + 60 + 1 + 50);
            for (int p = 0; p < 5; p++)
            {
                assertEquals(RECORDS, consumer.nextOffset(p));
            }
        }
    }

    @Test
    void shouldReadNamedPartitionsOnly()
    {
        final ConsumerContext context = SharedBroker.context(transport, SharedBroker.topic(4, RECORDS))
            .partitions(2, 0).startPosition(2, StartPosition.offset(RECORDS - 1));
        try (TopicConsumer consumer = connect(context))
        {
            deliveries.expect(2, RECORDS - 1).pollUntilCount(consumer, RECORDS + 1);
            pollSomeMore(consumer, deliveries);
            assertEquals(RECORDS, deliveries.count(0));
            assertFalse(consumer.isAssigned(1));
            assertEquals(4, consumer.partitionCount());
        }
    }

    // Behaviour P207, tried 2026-11-29: With `noPartitions` nothing is read until a partition is assigned.
    // Behaviour P206.
    @Test
    void shouldReadNothingUntilAssigned()
    {
        final ConsumerContext context =
            SharedBroker.context(transport, SharedBroker.topic(2, RECORDS)).noPartitions();
        try (TopicConsumer consumer = connect(context))
        {
            pollWithoutFetches(consumer, deliveries);
            assertEquals(0, deliveries.count());

            consumer.assign(1, StartPosition.offset(4));
            assertTrue(consumer.awaitReady(60 * SECOND_NS), consumer::describe);
            deliveries.expect(1, 4).pollUntilCount(consumer, RECORDS - 4);
        }
    }

    // Behaviour K131, tried 2026-11-30: Without a reset policy, an event and an error name the partition and the
    // offset, the offset does not change, and other partitions continue.
    @Test
    void shouldStopAPartitionWhoseOffsetIsOutOfRange()
    {
        final List<String> errors = new ArrayList<>();
        final Events events = new Events();
        final String topic = SharedBroker.topic(2, RECORDS);
        final ConsumerContext context = SharedBroker.context(transport, topic)
            .startPosition(1, StartPosition.offset(RECORDS + 1))
            .listener(events)
            .errorHandler((error) -> errors.add(error.getMessage()));
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            pollUntil(consumer, deliveries, 10, () -> !errors.isEmpty());
            assertEquals(1, errors.size());
            assertTrue(errors.get(0).contains("Partition 1 of topic ") &&
                errors.get(0).contains(" at offset 61, from broker ") &&
                errors.get(0).contains("OFFSET_OUT_OF_RANGE"), errors.get(0));
            assertEquals(List.of("stopped 1 at 61 for OUT_OF_RANGE error 1"), events.of("stopped"));
            SharedBroker.append(topic, 0, RECORDS, RECORDS + 3);
            deliveries.pollUntilCount(consumer, RECORDS + 3);
            assertTrue(consumer.isStopped(1));
            assertEquals(61, consumer.nextOffset(1));

            consumer.seek(1, 58);
            deliveries.expect(1, 58).pollUntilCount(consumer, RECORDS + 3 + 2);
        }
    }
}
