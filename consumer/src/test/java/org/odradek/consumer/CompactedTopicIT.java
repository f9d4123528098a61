// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.support.RandomProducers;
import org.odradek.consumer.support.StockComparison;
import org.odradek.consumer.support.StoredLog;
import org.odradek.testkit.Await;
import org.odradek.testkit.EmbeddedBroker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads a topic that the broker's log cleaner has compacted: records, whole batches and aborted transactions are
 * removed, tombstones have a delete horizon, and some batches are empty. Our consumer must read the same records as the
 * stock consumer, from any offset.
 */
final class CompactedTopicIT
{
    private static final String TOPIC = "compacted";
    private static final int KEYS = 40;
    private static final int PHASES = 6;
    private static final int TURNS = 60;
    private static final long PHASE_MS = 86_400_000;
    private static final int STARTS = 12;
    private static final long AWAIT_MS = 120_000;
    private static final long BEGIN_MS = System.currentTimeMillis();

    private static EmbeddedBroker broker;

    private final Random random = new Random(17);
    private int sent;
    private int sentInPhase;
    private int phase;

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start(Map.of("log.cleaner.backoff.ms", "100"));
        broker.client().createTopic(TOPIC, 1, Map.of(
            "cleanup.policy", "compact",
            "min.cleanable.dirty.ratio", "0.001",
            // Each phase is a day later, so each begins a segment, and all before the last are compacted.
            "segment.ms", Long.toString(PHASE_MS / 2),
            "message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE),
            "delete.retention.ms", "86400000"));
    }

    @AfterAll
    static void stop()
    {
        if (broker != null)
        {
            broker.close();
        }
    }

    /** Creates a record with one of few keys and often a null value. */
    private ProducerRecord<byte[], byte[]> record()
    {
        sent++;
        sentInPhase++;
        final byte[] key = {(byte)random.nextInt(KEYS)};
        final byte[] value = random.nextInt(5) == 0 ? null : new byte[random.nextInt(400)];
        return new ProducerRecord<>(TOPIC, 0, BEGIN_MS + phase * PHASE_MS, key, value);
    }

    private static StoredLog storedLog() throws IOException
    {
        return StoredLog.read(broker.dataFolder().resolve("data").resolve(TOPIC + "-0"));
    }

    // Behaviour G84, H102.
    @Test
    void shouldReadWhatTheStockConsumerReadsAfterCompaction() throws IOException
    {
        fill();
        Await.until("compaction of all but the last phase", AWAIT_MS, this::isCompacted);

        final StockComparison uncommitted = compare(IsolationLevel.READ_UNCOMMITTED);
        compare(IsolationLevel.READ_COMMITTED);

        assertTrue(uncommitted.expected().size() < sent, uncommitted.expected().size() + " of " + sent + " records");
        System.out.println("compacted topic: " + uncommitted.expected().size() + " of " + sent + " records left, " +
            storedLog());
    }

    /** All keys of the first producer are written again later, so that the cleaner keeps an empty batch of it. */
    private void fill()
    {
        for (final String codec : RandomProducers.CODECS)
        {
            try (Producer<byte[], byte[]> producer = broker.client().producer(Map.of("compression.type", codec)))
            {
                for (int key = 0; key < KEYS; key++)
                {
                    producer.send(new ProducerRecord<>(TOPIC, 0, BEGIN_MS, new byte[]{(byte)key}, new byte[20]));
                    sent++;
                }
            }
        }
        try (RandomProducers producers = new RandomProducers(broker.client(), TOPIC, random, this::record))
        {
            for (phase = 1; phase < PHASES; phase++)
            {
                sentInPhase = 0;
                for (int i = 0; i < TURNS; i++)
                {
                    producers.turn();
                }
                producers.endAll();
            }
        }
        StockComparison.awaitMarkers(broker.client().admin(), TOPIC);
    }

    private boolean isCompacted()
    {
        try
        {
            final StoredLog log = storedLog();
            return log.records() <= sentInPhase + KEYS &&
                log.emptyBatches() > 0 && log.deleteHorizons() > 0 && log.sparseBatches() > 0;
        }
        catch (final IOException | UncheckedIOException | KafkaException ex)
        {
            // The cleaner has just replaced a segment.
            return false;
        }
    }

    /**
     * The cleaner may still run. It only removes records: if the stock consumer reads the same before and after ours,
     * then the log did not change in between.
     */
    private StockComparison compare(final IsolationLevel level)
    {
        for (int i = 0; i < 1_000; i++)
        {
            final StockComparison stock = StockComparison.read(broker.bootstrapServers(), TOPIC, level);
            final List<String> all = stock.readByOurs(context(StartPosition.earliest()));
            final long[] offsets = random.longs(STARTS, 0, stock.endOffset()).toArray();
            final List<List<String>> parts = new ArrayList<>();
            for (final long offset : offsets)
            {
                parts.add(stock.readByOurs(context(StartPosition.offset(offset))));
            }
            if (stock.expected().equals(
                StockComparison.read(broker.bootstrapServers(), TOPIC, level).expected()))
            {
                assertEquals(stock.expected(), all);
                for (int k = 0; k < STARTS; k++)
                {
                    assertEquals(stock.expectedFrom(offsets[k]), parts.get(k), "from offset " + offsets[k]);
                }
                return stock;
            }
        }
        throw new AssertionError("the log never stopped changing");
    }

    private static ConsumerContext context(final StartPosition position)
    {
        return new ConsumerContext()
            .bootstrapServers(broker.bootstrapServers())
            .topic(TOPIC)
            .fetchMaxWaitMs(20)
            .startPosition(position)
            .errorHandler(
                (error) ->
                {
                    throw new AssertionError("the error handler was called: " + error.getMessage(), error);
                });
    }
}
