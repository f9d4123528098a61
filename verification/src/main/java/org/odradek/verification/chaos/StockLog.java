// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.odradek.testkit.Await;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * A reader of the log that uses the stock client and no proxy. Deliveries are compared with what it reads.
 */
final class StockLog implements AutoCloseable
{
    private static final long LIMIT_MS = 180_000;
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(50);

    private final String topic;
    private final ToLongFunction<ConsumerRecord<byte[], byte[]>> sequence;
    private final Consumer<byte[], byte[]> consumer;

    StockLog(final String bootstrapServers, final String topic)
    {
        this(bootstrapServers, topic, (record) -> ChaosRecord.sequence(record.partition(), record.value()));
    }

    /** @param sequence of a record. */
    StockLog(
        final String bootstrapServers,
        final String topic,
        final ToLongFunction<ConsumerRecord<byte[], byte[]>> sequence)
    {
        this.topic = topic;
        this.sequence = sequence;
        consumer = new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none",
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 50,
                ConsumerConfig.METADATA_MAX_AGE_CONFIG, 1_000,
                ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 200,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 120_000,
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5_000),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    }

    long startOffset(final int partition)
    {
        final TopicPartition wanted = new TopicPartition(topic, partition);
        return consumer.beginningOffsets(Set.of(wanted)).get(wanted);
    }

    long endOffset(final int partition)
    {
        final TopicPartition wanted = new TopicPartition(topic, partition);
        return consumer.endOffsets(Set.of(wanted)).get(wanted);
    }

    /** Returns the end of the log of each of so many partitions. */
    long[] endOffsets(final int partitionCount)
    {
        return IntStream.range(0, partitionCount).mapToLong(this::endOffset).toArray();
    }

    /** Reads the logs of so many partitions from their beginning. */
    List<ChaosLedger.Slice> readAll(final int partitionCount)
    {
        return IntStream.range(0, partitionCount).mapToObj((partition) -> read(partition, 0)).toList();
    }

    /**
     * Reads a log that nobody writes to, from an offset to its end. Records deleted during the read count as deleted.
     */
    ChaosLedger.Slice read(final int partition, final long from)
    {
        final TopicPartition wanted = new TopicPartition(topic, partition);
        consumer.assign(List.of(wanted));
        final long to = Math.max(from, endOffset(partition));
        final ChaosLedger.Slice[] slice = new ChaosLedger.Slice[1];
        Await.until("the stock client to read " + wanted, LIMIT_MS, () ->
        {
            final long start = startOffset(partition);
            slice[0] = read(wanted, start, from, to);
            return slice[0] != null && startOffset(partition) == start;
        });
        return slice[0];
    }

    /** Returns null if records at the beginning of the log were deleted during the read. */
    private ChaosLedger.Slice read(final TopicPartition wanted, final long start, final long from, final long to)
    {
        final long[] sequences = new long[Math.toIntExact(to - from)];
        Arrays.fill(sequences, ChaosLedger.NONE);
        consumer.seek(wanted, Math.max(start, from));
        try
        {
            Await.until("the stock client to reach offset " + to + " of " + wanted, LIMIT_MS, () ->
            {
                for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT))
                {
                    if (record.offset() < to)
                    {
                        sequences[(int) (record.offset() - from)] = sequence.applyAsLong(record);
                    }
                }
                return consumer.position(wanted) >= to;
            });
        }
        catch (final OffsetOutOfRangeException ex)
        {
            return null;
        }
        return new ChaosLedger.Slice(start, from, to, sequences);
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
