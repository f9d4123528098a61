// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.client.TransportType;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.protocol.record.Record;

import java.nio.ByteBuffer;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads many partitions of a real broker with a fetch session and without: both must deliver the same records, each
 * once and in order. With the session an empty response has a few bytes; without it, its length grows with the
 * partitions.
 */
@ExtendWith(SharedBroker.class)
final class FetchSessionIT
{
    private static final int PARTITIONS = 33;
    private static final int ROUNDS = 3;
    private static final int IDLE_FETCHES = 20;
    private static final int WAITS = 600;

    private final long[] nextOffsets = new long[PARTITIONS];
    private long count;

    // Behaviour F62.
    @Test
    void shouldDeliverTheSameRecordsWithAndWithoutASession()
    {
        final String topic = SharedBroker.topic(PARTITIONS, 0);
        final long[] bytesOfIdleFetch = new long[2];
        try (TopicConsumer consumer = connect(topic, FetchSessionMode.AUTO))
        {
            idle(consumer);
            for (int round = 1; round <= ROUNDS; round++)
            {
                for (int p = round; p < PARTITIONS; p += 10)
                {
                    SharedBroker.append(topic, p, nextOffsets[p], nextOffsets[p] + round);
                    pollUntil(consumer, count + round);
                }
            }
            bytesOfIdleFetch[0] = idle(consumer);
            assertEquals(1, consumer.counters().get(ConsumerCounters.FULL_FETCHES));
            assertTrue(consumer.counters().get(ConsumerCounters.INCREMENTAL_FETCHES) > IDLE_FETCHES);
            assertEquals(0, consumer.counters().get(ConsumerCounters.SESSION_RESETS));
        }
        final long written = count;
        final long[] ends = nextOffsets.clone();
        count = 0;
        Arrays.fill(nextOffsets, 0);
        try (TopicConsumer consumer = connect(topic, FetchSessionMode.OFF))
        {
            pollUntil(consumer, written);
            bytesOfIdleFetch[1] = idle(consumer);
            assertEquals(0, consumer.counters().get(ConsumerCounters.INCREMENTAL_FETCHES));
        }
        for (int p = 0; p < PARTITIONS; p++)
        {
            assertEquals(ends[p], nextOffsets[p]);
        }
        assertTrue(bytesOfIdleFetch[0] * PARTITIONS / 4 < bytesOfIdleFetch[1],
            () -> bytesOfIdleFetch[0] + " and " + bytesOfIdleFetch[1] + " bytes");
    }

    private static TopicConsumer connect(final String topic, final FetchSessionMode mode)
    {
        return TopicConsumer.connect(SharedBroker.context(TransportType.AUTO, topic).fetchSession(mode));
    }

    private void pollUntil(final TopicConsumer consumer, final long wanted)
    {
        for (int i = 0; i < WAITS && count < wanted; i++)
        {
            poll(consumer);
        }
        assertEquals(wanted, count, consumer::describe);
    }

    private void poll(final TopicConsumer consumer)
    {
        consumer.poll((record) ->
        {
            final int partition = record.partition();
            assertEquals(nextOffsets[partition]++, record.offset());
            assertEquals(ByteBuffer.wrap(SharedBroker.value(partition, record.offset())),
                ByteBuffer.wrap(bytes(record)));
            count++;
        }, 1_000, SharedBroker.SECOND_NS / 10);
    }

    private static byte[] bytes(final Record record)
    {
        final byte[] bytes = new byte[record.valueLength()];
        record.buffer().getBytes(record.valueIndex(), bytes);
        return bytes;
    }

    /** Returns the length of a response without new records. */
    private long idle(final TopicConsumer consumer)
    {
        final ConsumerCounters counters = consumer.counters();
        final long seen = counters.emptyFetches();
        while (counters.emptyFetches() < seen + 2)
        {
            poll(consumer);
        }
        final long bytes = counters.get(ConsumerCounters.BYTES_RECEIVED);
        final long fetches = counters.fetches();
        while (counters.fetches() < fetches + IDLE_FETCHES)
        {
            poll(consumer);
        }
        return (counters.get(ConsumerCounters.BYTES_RECEIVED) - bytes) / (counters.fetches() - fetches);
    }
}
