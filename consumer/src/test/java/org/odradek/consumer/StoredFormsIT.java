/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.net.TransportType;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.protocol.record.StoredBatchFlyweight;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.ToIntBiFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Whatever form a stock producer stores records in, we read what the stock consumer reads: every codec, and
 * transactions that are committed, aborted and open, with and without the aborted ones.
 */
@Timeout(120)
@ExtendWith(SharedBroker.class)
final class StoredFormsIT
{
    private static final int RECORDS = 3_000;
    private static final long WAIT_NS = SharedBroker.SECOND_NS / 10;

    private static List<String> readByStock(final String topic, final IsolationLevel level)
    {
        final List<String> records = new ArrayList<>();
        final TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(Map.of(
            "bootstrap.servers", SharedBroker.bootstrapServers(),
            "isolation.level", level.name().toLowerCase(Locale.ROOT),
            "key.deserializer", ByteArrayDeserializer.class,
            "value.deserializer", ByteArrayDeserializer.class)))
        {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            final long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end)
            {
                consumer.poll(Duration.ofMillis(100)).forEach((record) -> records.add(text(record)));
            }
        }
        return records;
    }

    private static String text(final ConsumerRecord<byte[], byte[]> record)
    {
        final StringBuilder text = new StringBuilder();
        text.append(record.offset()).append(' ').append(record.timestamp())
            .append(' ').append(record.leaderEpoch().get())
            .append(' ').append(Arrays.hashCode(record.key()))
            .append(' ').append(Arrays.hashCode(record.value()));
        for (final Header header : record.headers())
        {
            text.append(' ').append(header.key()).append('=').append(Arrays.hashCode(header.value()));
        }
        return text.toString();
    }

    private static List<String> readByOurs(final ConsumerContext context, final int count)
    {
        return readByOurs(context, count,
            (consumer, records) -> consumer.poll((record) -> records.add(text(record)), 1_000, WAIT_NS));
    }

    /** In whole batches, whose bytes Kafka's own classes decode. */
    private static List<String> readByOursInBatches(final ConsumerContext context, final int count)
    {
        return readByOurs(context, count,
            (consumer, records) -> consumer.pollBatches((batch) -> decode(batch, records), 10, WAIT_NS));
    }

    private static List<String> readByOurs(
        final ConsumerContext context, final int count, final ToIntBiFunction<TopicConsumer, List<String>> poll)
    {
        final List<String> records = new ArrayList<>();
        try (TopicConsumer consumer = TopicConsumer.connect(context.startPosition(StartPosition.earliest())))
        {
            long quietSince = System.nanoTime();
            while (records.size() < count || System.nanoTime() - quietSince < 3 * WAIT_NS)
            {
                if (poll.applyAsInt(consumer, records) > 0)
                {
                    quietSince = System.nanoTime();
                }
                assertTrue(System.nanoTime() - quietSince < 300 * WAIT_NS, consumer::describe);
            }
            assertEquals(count, consumer.counters().records());
        }
        return records;
    }

    private static Action decode(final StoredBatchFlyweight batch, final List<String> records)
    {
        final ByteBuffer copy = ByteBuffer.allocate(batch.length()).put(batch.byteBuffer()).flip();
        for (final Record record : MemoryRecords.readableRecords(copy).records())
        {
            final StringBuilder text = new StringBuilder();
            text.append(record.offset()).append(' ').append(record.timestamp()).append(' ').append(batch.leaderEpoch())
                .append(' ').append(Arrays.hashCode(Utils.toNullableArray(record.key())))
                .append(' ').append(Arrays.hashCode(Utils.toNullableArray(record.value())));
            for (final Header header : record.headers())
            {
                text.append(' ').append(header.key()).append('=').append(Arrays.hashCode(header.value()));
            }
            records.add(text.toString());
        }
        return Action.CONTINUE;
    }

    private static String text(final RecordFlyweight record)
    {
        final StringBuilder text = new StringBuilder();
        text.append(record.offset()).append(' ').append(record.timestamp()).append(' ').append(record.leaderEpoch())
            .append(' ').append(hash(record, record.keyIndex(), record.keyLength()))
            .append(' ').append(hash(record, record.valueIndex(), record.valueLength()));
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next())
        {
            text.append(' ').append(record.buffer().getStringWithoutLengthUtf8(headers.keyIndex(), headers.keyLength()))
                .append('=').append(hash(record, headers.valueIndex(), headers.valueLength()));
        }
        return text.toString();
    }

    private static int hash(final RecordFlyweight record, final int index, final int length)
    {
        if (length == RecordFlyweight.NULL_LENGTH)
        {
            return Arrays.hashCode((byte[])null);
        }
        final byte[] bytes = new byte[length];
        record.buffer().getBytes(index, bytes);
        return Arrays.hashCode(bytes);
    }

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

        final List<String> expected = readByStock(topic, IsolationLevel.READ_UNCOMMITTED);
        final List<String> found = readByOurs(SharedBroker.context(TransportType.AUTO, topic), expected.size());

        assertEquals(RECORDS, expected.size());
        assertEquals(expected, found);
        assertEquals(
            expected, readByOursInBatches(SharedBroker.context(TransportType.AUTO, topic), expected.size()));
    }

    @ParameterizedTest
    @EnumSource(IsolationLevel.class)
    void shouldReadTransactionsAsTheStockConsumerDoes(final IsolationLevel level)
    {
        final String topic = SharedBroker.topic(1, 0);
        final Random random = new Random(11);
        try (Producer<byte[], byte[]> one = transactional(topic, "one", "zstd");
            Producer<byte[], byte[]> other = transactional(topic, "other", "none");
            Producer<byte[], byte[]> plain = SharedBroker.client().producer(0, "all"))
        {
            for (int i = 0; i < 60; i++)
            {
                one.beginTransaction();
                other.beginTransaction();
                for (int k = random.nextInt(20); k >= 0; k--)
                {
                    one.send(random(random, topic));
                    other.send(random(random, topic));
                    plain.send(random(random, topic));
                }
                end(one, random.nextBoolean());
                end(other, random.nextInt(3) == 0);
            }
            other.beginTransaction();
            other.send(random(random, topic));
            other.flush();
            plain.send(random(random, topic));
            plain.flush();

            final List<String> expected = readByStock(topic, level);
            final List<String> found =
                readByOurs(SharedBroker.context(TransportType.AUTO, topic).isolationLevel(level), expected.size());

            assertTrue(expected.size() > 500, () -> expected.size() + " records");
            assertEquals(expected, found);
            assertEquals(expected, readByOursInBatches(
                SharedBroker.context(TransportType.AUTO, topic).isolationLevel(level), expected.size()));
            other.abortTransaction();
        }
    }

    private static Producer<byte[], byte[]> transactional(final String topic, final String name, final String codec)
    {
        final Producer<byte[], byte[]> producer = SharedBroker.client().producer(
            Map.of("transactional.id", topic + name, "compression.type", codec, "linger.ms", 1));
        producer.initTransactions();
        return producer;
    }

    private static void end(final Producer<byte[], byte[]> producer, final boolean isAborted)
    {
        // Aborted only after all has been stored: else the producer throws away what it has not sent.
        producer.flush();
        if (isAborted)
        {
            producer.abortTransaction();
        }
        else
        {
            producer.commitTransaction();
        }
    }
}
