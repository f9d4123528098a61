// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;

import java.util.Map;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests that, under read_committed, the log ends at the first offset of an open transaction.
 */
@ExtendWith(SharedBroker.class)
class OpenTransactionIT
{
    private static final int BEFORE = 30;
    private static final int ALL = 40;

    private final Deliveries committedOnes = new Deliveries();
    private final Deliveries all = new Deliveries();

    private static long end(final TopicConsumer consumer)
    {
        final OffsetQuery query = consumer.queryEndOffset(0);
        assertTrue(consumer.await(query::isDone, SECONDS.toNanos(60)), consumer::describe);
        return query.offset();
    }

    // Behaviour H106, tried 2026-11-29: With read_committed, nothing beyond the start of an open transaction is
    // delivered before the end of the transaction.
    // Behaviour H108, tried 2026-11-29: Lag is computed from the last stable offset with read_committed, otherwise from
    // the high watermark.
    // Behaviour H109, tried 2026-11-29: The lookup of the latest offset respects the isolation level.
    @Test
    void shouldEndAtTheFirstOffsetOfTheTransaction()
    {
        final String topic = SharedBroker.topic(1, BEFORE);
        try (Producer<byte[], byte[]> producer = SharedBroker.client().producer(Map.of("transactional.id", topic));
            TopicConsumer uncommitted = TopicConsumer.connect(SharedBroker.context(TransportType.AUTO, topic));
            TopicConsumer committed = TopicConsumer.connect(
                SharedBroker.context(TransportType.AUTO, topic).isolationLevel(IsolationLevel.READ_COMMITTED)))
        {
            producer.initTransactions();
            producer.beginTransaction();
            for (int i = BEFORE; i < ALL; i++)
            {
                producer.send(new ProducerRecord<>(topic, 0, null, SharedBroker.value(0, i)));
            }
            producer.flush();

            Deliveries.pollUntil(uncommitted, all, 1, () -> all.count() == BEFORE + 1);
            assertEquals(ALL - BEFORE - 1, uncommitted.lag(0));
            all.pollUntilCount(uncommitted, ALL);
            assertEquals(ALL, end(uncommitted));
            Deliveries.pollUntil(committed, committedOnes, 10, () -> committedOnes.count() == 10);
            assertEquals(BEFORE, end(committed));
            assertEquals(ALL, committed.highWatermark(0));
            assertEquals(BEFORE, committed.lastStableOffset(0));
            assertEquals(BEFORE - 10, committed.lag(0));
            committedOnes.pollUntilCount(committed, BEFORE);
            Deliveries.pollSomeMore(committed, committedOnes);
            assertEquals(BEFORE, committedOnes.count());
            assertEquals(0, committed.lag(0));

            producer.commitTransaction();
            committedOnes.pollUntilCount(committed, ALL);
            Deliveries.pollUntil(committed, committedOnes, 10, () -> committed.nextOffset(0) == ALL + 1);
            Deliveries.pollUntil(uncommitted, all, 10, () -> uncommitted.nextOffset(0) == ALL + 1);
            assertEquals(ALL + 1, end(committed));
            assertEquals(ALL + 1, committed.lastStableOffset(0));
            assertEquals(0, committed.lag(0));
            assertEquals(0, uncommitted.lag(0));
        }
    }
}
