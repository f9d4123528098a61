// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.support.RandomProducers;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.consumer.support.StockComparison;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Compares our consumer with the stock consumer for every form of stored records: every codec, and transactions that
 * are committed, aborted and open, with and without the aborted ones.
 */
@ExtendWith(SharedBroker.class)
final class StoredFormsIT
{
    private static final int RECORDS = 3_000;
    private static final int TURNS = 400;

    private static ProducerRecord<byte[], byte[]> random(final Random random, final String topic)
    {
        final byte[] key = random.nextInt(4) == 0 ? null : bytes(random, 20);
        final byte[] value = random.nextInt(20) == 0 ? null : bytes(random, 1 << random.nextInt(13));
        final ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, key, value);
        for (int i = random.nextInt(8) - 4; i > 0; i--)
        {
            record.headers().add("h" + random.nextInt(3), random.nextInt(4) == 0 ? null : bytes(random, 10));
        }
        return record;
    }

    private static byte[] bytes(final Random random, final int maxLength)
    {
        final byte[] bytes = new byte[random.nextInt(maxLength + 1)];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)('a' + random.nextInt(4));
        }
        return bytes;
    }

    // Behaviour G72, tried 2026-11-29: All codecs give the same records, headers included, also when mixed in one
    // partition.
    // Behaviour G96, tried 2026-11-29: A reused buffer exposes no data of the previous batch.
    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void shouldReadWhatTheStockConsumerReadsInEveryCodec(final String codec)
    {
        final String topic = SharedBroker.topic(1, 0);
        final Random random = new Random(7);
        try (Producer<byte[], byte[]> producer = SharedBroker.client().producer(
            Map.of("compression.type", codec, "linger.ms", 5, "batch.size", 50_000)))
        {
            for (int i = 0; i < RECORDS; i++)
            {
                producer.send(random(random, topic));
            }
        }

        final StockComparison stock =
            StockComparison.read(SharedBroker.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED);

        assertEquals(RECORDS, stock.expected().size());
        assertEquals(stock.expected(), stock.readByOurs(SharedBroker.context(TransportType.AUTO, topic)));
        assertEquals(stock.expected(), stock.readByOursInBatches(SharedBroker.context(TransportType.AUTO, topic)));
    }

    // Behaviour H99, tried 2026-11-29: With read_uncommitted, aborted records are delivered, but no markers.
    // Behaviour H100, tried 2026-11-29: With read_committed, aborted records are not delivered, also if producers are
    // interleaved.
    // Behaviour H101, tried 2026-11-29: A response with only aborted records advances the offset and delivers nothing.
    // Behaviour H107, tried 2026-11-29: With read_uncommitted, the list of aborted transactions is ignored.
    // Behaviour G72, H106.
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void shouldReadTransactionsAsTheStockConsumerDoes(final long seed)
    {
        final String topic = SharedBroker.topic(1, 0);
        final Random random = new Random(seed);
        try (RandomProducers producers =
            new RandomProducers(SharedBroker.client(), topic, random, () -> random(random, topic)))
        {
            for (int i = 0; i < TURNS || !producers.hasOpen(); i++)
            {
                producers.turn();
            }
            producers.flush();
            compare(topic, "with transactions that are open");

            producers.endAll();
            StockComparison.awaitMarkers(SharedBroker.client().admin(), topic);
            final List<Integer> counts = compare(topic, "with all of them ended");
            final int uncommitted = counts.get(0);
            final int committed = counts.get(1);
            assertTrue(producers.committed() > 20 && producers.aborted() > 20);
            assertTrue(committed > 100 && committed < uncommitted, committed + " of " + uncommitted + " records");
        }
    }

    /** Returns the numbers of records under read_uncommitted and read_committed. */
    private static List<Integer> compare(final String topic, final String when)
    {
        final List<Integer> counts = new ArrayList<>();
        for (final IsolationLevel level : new IsolationLevel[]{
            IsolationLevel.READ_UNCOMMITTED, IsolationLevel.READ_COMMITTED})
        {
            final StockComparison stock = StockComparison.read(SharedBroker.bootstrapServers(), topic, level);
            final List<String> found = stock.readByOurs(SharedBroker.context(TransportType.AUTO, topic));
            assertEquals(stock.expected(), found, () -> level + " " + when);
            assertEquals(
                stock.expected(), stock.readByOursInBatches(SharedBroker.context(TransportType.AUTO, topic)),
                () -> level + " " + when + ", in batches");
            counts.add(found.size());
        }
        return counts;
    }
}
