// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;

@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class OffsetQueryIT
{
    private static final int RECORDS = 30;
    private static final long FIRST_TIMESTAMP_MS = 5_000_000;

    private final TransportType transport;
    private final Deliveries deliveries = new Deliveries();

    OffsetQueryIT(final TransportType transport)
    {
        this.transport = transport;
    }

    private TopicConsumer connect(final String topic)
    {
        return TopicConsumer.connect(SharedBroker.context(transport, topic));
    }

    private static long answer(final TopicConsumer consumer, final OffsetQuery query)
    {
        assertTrue(consumer.await(query::isDone, 60 * SECOND_NS), consumer::describe);
        assertFalse(query.isFailed(), query::toString);
        return query.offset();
    }

    // Behaviour K138, tried 2026-11-29: The beginning and end offsets of partitions are found, also if several queries
    // for a partition are outstanding.
    @Test
    void shouldReturnBeginningAndEndOffset() throws Exception
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        SharedBroker.client().admin().deleteRecords(
            Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(12))).all().get();
        try (TopicConsumer consumer = connect(topic))
        {
            final OffsetQuery end = consumer.queryEndOffset(0);
            assertFalse(end.isDone());
            assertEquals(RECORDS, answer(consumer, end));
            assertTrue(end.isDone());
            assertEquals(12, answer(consumer, consumer.queryBeginningOffset(0)));
            assertEquals(0, consumer.counters().records());
            deliveries.expect(0, 12).pollUntilCount(consumer, RECORDS - 12);
        }
    }

    // Behaviour K135, tried 2026-11-29: The offset of a timestamp is found.
    @Test
    void shouldReturnOffsetsByTime()
    {
        final String topic = SharedBroker.topic(1, 0);
        try (Producer<byte[], byte[]> producer = SharedBroker.client().producer(0, "all"))
        {
            for (int i = 0; i < RECORDS; i++)
            {
                producer.send(new ProducerRecord<>(
                    topic, 0, FIRST_TIMESTAMP_MS + 10 * i, null, SharedBroker.value(0, i)));
            }
        }
        try (TopicConsumer consumer = connect(topic))
        {
            final OffsetQuery between = consumer.queryOffsetForTime(0, FIRST_TIMESTAMP_MS + 41);
            assertEquals(5, answer(consumer, between));
            assertEquals(FIRST_TIMESTAMP_MS + 50, between.offsetTimestamp());
            assertEquals(0, between.leaderEpoch());
            assertEquals(0, answer(consumer, consumer.queryOffsetForTime(0, 0)));
            assertEquals(OffsetQuery.NULL_OFFSET,
                answer(consumer, consumer.queryOffsetForTime(0, FIRST_TIMESTAMP_MS + 10_000)));
            assertThrows(IllegalArgumentException.class, () -> consumer.queryOffsetForTime(0, -1));
            assertThrows(IllegalArgumentException.class, () -> consumer.queryEndOffset(-1));
        }
    }

    // Behaviour B32, K138.
    @Test
    void shouldAnswerManyAtOnceWhileRecordsAreRead()
    {
        final int partitions = 7;
        try (TopicConsumer consumer = connect(SharedBroker.topic(partitions, RECORDS)))
        {
            final List<OffsetQuery> ends = new ArrayList<>();
            for (int i = 0; i < 3 * partitions; i++)
            {
                ends.add(i % 3 == 0 ? consumer.queryBeginningOffset(i % partitions) :
                    consumer.queryEndOffset(i % partitions));
            }
            Deliveries.pollUntil(consumer, deliveries, 3, () -> deliveries.count() == partitions * RECORDS &&
                ends.stream().allMatch(OffsetQuery::isDone));
            for (int i = 0; i < ends.size(); i++)
            {
                assertEquals(i % partitions, ends.get(i).partition());
                assertEquals(i % 3 == 0 ? 0 : RECORDS, ends.get(i).offset(), ends.get(i)::toString);
            }
        }
    }

    @Test
    void shouldKeepAQueryOfAMissingPartitionPendingWithoutAffectingOthers()
    {
        try (TopicConsumer consumer = connect(SharedBroker.topic(1, RECORDS)))
        {
            final OffsetQuery beyond = consumer.queryEndOffset(40);
            assertFalse(consumer.await(beyond::isDone, SECOND_NS / 10));
            deliveries.pollUntilCount(consumer, RECORDS);
            assertEquals(RECORDS, answer(consumer, consumer.queryEndOffset(0)));
            assertEquals(0, answer(consumer, consumer.queryBeginningOffset(0)));
            assertFalse(beyond.isDone());
            assertEquals(OffsetQuery.NULL_OFFSET, beyond.offset());
        }
    }

    @Test
    void shouldAnswerQueriesOfAHandler()
    {
        try (TopicConsumer consumer = connect(SharedBroker.topic(1, RECORDS)))
        {
            final OffsetQuery[] query = new OffsetQuery[1];
            Deliveries.pollUntil(consumer,
                (record) -> query[0] = query[0] == null ? consumer.queryEndOffset(0) : query[0],
                5, () -> query[0] != null && query[0].isDone());
            assertEquals(RECORDS, query[0].offset());
        }
    }
}
