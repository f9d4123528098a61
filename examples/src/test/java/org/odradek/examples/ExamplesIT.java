// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@ExtendWith(SharedBroker.class)
class ExamplesIT
{
    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        broker = SharedBroker.broker();
    }

    @Test
    void shouldPrintRecords()
    {
        broker.createTopic("printed", 1);
        broker.produce("printed", 0, 5, (i) -> ("value-" + i).getBytes(StandardCharsets.UTF_8));
        final ByteArrayOutputStream out = new ByteArrayOutputStream();

        PrintRecords.print(broker.bootstrapServers(), "printed", 5, new PrintStream(out, true));

        final String[] lines = out.toString(StandardCharsets.UTF_8).split("\n");
        assertEquals(5, lines.length);
        for (int i = 0; i < lines.length; i++)
        {
            assertTrue(lines[i].matches("0 " + i + " \\d+ null value-" + i), lines[i]);
        }
    }

    @Test
    void shouldReadSeveralTopicsOnOneThread()
    {
        for (int topic = 0; topic < 3; topic++)
        {
            broker.createTopic("many-" + topic, 2);
            broker.produce("many-" + topic, topic % 2, 100 * (topic + 1), (i) -> new byte[10]);
        }

        final long[] counts =
            ManyConsumersOneThread.read(broker.bootstrapServers(), 600, "many-0", "many-1", "many-2");

        assertArrayEquals(new long[]{100, 200, 300}, counts);
    }

    @Test
    void shouldHandEverythingThroughARing()
    {
        final int count = 20_000;
        broker.createTopic("ringed", 1);
        broker.produce("ringed", 0, count, (i) -> new byte[100]);
        final long[] next = new long[1];

        ControlledRing.read(broker.bootstrapServers(), "ringed", count, 1 << 16,
            (type, buffer, index, length) ->
            {
                assertEquals(ControlledRing.MESSAGE_TYPE, type);
                assertEquals(next[0]++, buffer.getLong(index + 8));
                assertEquals(ControlledRing.VALUE_INDEX + 100, length);
            });

        assertEquals(count, next[0]);
    }

    @Test
    void shouldHandTheLargestRecordsOfABrokerThroughARing()
    {
        final int length = 1_000_000;
        broker.createTopic("ringed-large", 1);
        broker.produce("ringed-large", 0, 20, (i) -> new byte[length]);
        final int[] count = new int[1];

        ControlledRing.read(broker.bootstrapServers(), "ringed-large", 20, ControlledRing.RING_LENGTH,
            (type, buffer, index, claimed) ->
            {
                assertEquals(ControlledRing.VALUE_INDEX + length, claimed);
                count[0]++;
            });

        assertEquals(20, count[0]);
    }

    @Test
    void shouldEndAtARecordThatIsTooLongForTheRing()
    {
        broker.createTopic("ringed-too-large", 1);
        broker.produce("ringed-too-large", 0, 5, (i) -> new byte[i == 3 ? 8_177 : 1]);
        final int[] count = new int[1];

        final Throwable thrown = assertThrows(CompletionException.class, () -> ControlledRing.read(
            broker.bootstrapServers(), "ringed-too-large", 5, 1 << 16, (type, buffer, index, length) -> count[0]++))
            .getCause();

        assertTrue(thrown.getMessage().contains("offset 3 of partition 0"), thrown.getMessage());
        assertEquals("The value has 8177 bytes: the ring holds at most 8176.", thrown.getCause().getMessage());
        assertEquals(3, count[0]);
    }

    @Test
    void shouldPassOnRecordsWithTheHeaderOnly()
    {
        broker.createTopic("filtered", 1);
        try (Producer<byte[], byte[]> producer = broker.producer(5, "1"))
        {
            for (int i = 0; i < 100; i++)
            {
                final ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("filtered", 0, null, new byte[1]);
                record.headers().add(i % 10 == 3 ? "wanted" : "other", new byte[] {7});
                producer.send(record);
            }
        }
        final List<Long> offsets = new ArrayList<>();

        FilterByHeader.read(broker.bootstrapServers(), "filtered", "wanted", 100, (r) -> offsets.add(r.offset()));

        assertEquals(List.of(3L, 13L, 23L, 33L, 43L, 53L, 63L, 73L, 83L, 93L), offsets);
    }

    @Test
    void shouldGoOnWhereTheRunBeforeStopped(@TempDir final Path folder)
    {
        broker.createTopic("resumed", 2);
        broker.produce("resumed", 0, 300, (i) -> ("left-" + i).getBytes(StandardCharsets.UTF_8));
        broker.produce("resumed", 1, 300, (i) -> ("right-" + i).getBytes(StandardCharsets.UTF_8));
        final ByteArrayOutputStream out = new ByteArrayOutputStream();

        for (final int count : new int[] {1, 7, 2, 390, 200})
        {
            ResumeFromFile.read(
                broker.bootstrapServers(), "resumed", folder.resolve("offsets"), count, new PrintStream(out, true));
        }

        final List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals(600, lines.size());
        assertEquals(IntStream.range(0, 300).mapToObj((i) -> "0 " + i + " left-" + i).toList(),
            lines.stream().filter((line) -> line.startsWith("0 ")).toList());
        assertEquals(IntStream.range(0, 300).mapToObj((i) -> "1 " + i + " right-" + i).toList(),
            lines.stream().filter((line) -> line.startsWith("1 ")).toList());
    }

    /** The properties of a Java service, as its kafka-clients consumer takes them, with secrets in files. */
    private static Properties serviceProperties(final Path folder) throws IOException
    {
        final Map<String, String> client = new HashMap<>();
        broker.security().clientProperties(SecureListener.SASL_SSL, "SCRAM-SHA-512")
            .forEach((key, value) -> client.put(key, value.toString()));
        final String login = client.get("sasl.jaas.config");
        assertTrue(login.contains(BrokerSecurity.PASSWORD), "there is no secret to hide");
        Files.writeString(folder.resolve("password"), BrokerSecurity.PASSWORD);
        client.put("sasl.jaas.config", login.replace(BrokerSecurity.PASSWORD, "${dir:" + folder + ":password}"));
        client.putAll(Map.of(
            "config.providers", "dir",
            "config.providers.dir.class", "org.apache.kafka.common.config.provider.DirectoryConfigProvider",
            "config.providers.dir.param.allowed.paths", folder.toString(),
            "bootstrap.servers", broker.bootstrapServers(SecureListener.SASL_SSL),
            "group.id", "service", "group.protocol", "consumer", "auto.offset.reset", "earliest",
            "max.poll.records", "100", "max.poll.interval.ms", "60000"));
        client.put("key.deserializer", ByteArrayDeserializer.class.getName());
        client.put("value.deserializer", ByteArrayDeserializer.class.getName());
        final Properties properties = new Properties();
        properties.putAll(client);
        return properties;
    }

    /**
     * The stock consumer begins, a member of ours continues, and hands over to another, when the last offset of each
     * partition is the marker of a transaction.
     */
    @Test
    void shouldIngestAsAMemberOfAGroup(@TempDir final Path folder) throws IOException, InterruptedException
    {
        final int count = 2_000;
        broker.createTopic("ingested", 4);
        final Properties properties = serviceProperties(folder);
        final int offsets = count + 1;
        final AtomicIntegerArray stored = new AtomicIntegerArray(4 * offsets);
        for (int p = 0; p < 4; p++)
        {
            broker.produce("ingested", p, count / 2 - 1, (i) -> new byte[10]);
        }
        writeTransaction("ingested", 4);
        try (KafkaConsumer<byte[], byte[]> stock = new KafkaConsumer<>(properties))
        {
            stock.subscribe(List.of("ingested"));
            Await.until("records of the stock consumer", 30_000, () ->
            {
                stock.poll(Duration.ofMillis(100)).forEach((record) ->
                    stored.incrementAndGet(record.partition() * offsets + (int) record.offset()));
                return sum(stored) >= 500;
            });
            stock.commitSync();
        }

        final GroupIngest.Store store = (partition, offset, buffer, index, length) ->
            stored.incrementAndGet(partition * offsets + (int) offset);
        final AtomicBoolean isFirstRunning = new AtomicBoolean(true);
        final Thread first = member(properties, store, isFirstRunning::get);
        Await.until("records of the first member", 30_000, () -> sum(stored) == 2 * count);
        final AtomicBoolean isSecondRunning = new AtomicBoolean(true);
        final Thread second = member(properties, store, isSecondRunning::get);
        isFirstRunning.set(false);
        first.join();
        for (int p = 0; p < 4; p++)
        {
            broker.produce("ingested", p, count / 2, (i) -> new byte[10]);
        }
        Await.until("records of the second member", 30_000, () -> sum(stored) >= 4 * count);
        isSecondRunning.set(false);
        second.join();

        for (int i = 0; i < stored.length(); i++)
        {
            final boolean isMarker = i % offsets == count / 2;
            assertEquals(isMarker ? 0 : 1, stored.get(i), "offset " + i % offsets + " of partition " + i / offsets);
        }
    }

    @Test
    void shouldEndWhenTheStoreThrows()
    {
        broker.createTopic("ingest-failing", 1);
        broker.produce("ingest-failing", 0, 3, (i) -> new byte[1]);
        final Properties properties = new Properties();
        properties.putAll(Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", "failing",
            "group.protocol", "consumer", "auto.offset.reset", "earliest"));
        final GroupIngest ingest = new GroupIngest((partition, offset, buffer, index, length) ->
        {
            throw new IllegalStateException("the store is full");
        });

        assertEquals("The store has thrown an exception.", assertThrows(IllegalStateException.class,
            () -> ingest.run(properties, "ingest-failing", () -> true)).getMessage());
    }

    /** Appends one record, and the marker of its transaction, to each partition. */
    private static void writeTransaction(final String topic, final int partitions)
    {
        try (Producer<byte[], byte[]> producer = broker.client().producer(Map.of("transactional.id", topic)))
        {
            producer.initTransactions();
            producer.beginTransaction();
            for (int p = 0; p < partitions; p++)
            {
                producer.send(new ProducerRecord<>(topic, p, null, new byte[10]));
            }
            producer.commitTransaction();
        }
    }

    private static int sum(final AtomicIntegerArray counts)
    {
        return IntStream.range(0, counts.length()).map(counts::get).sum();
    }

    private static Thread member(
        final Properties properties, final GroupIngest.Store store, final BooleanSupplier isRunning)
    {
        final Thread thread = new Thread(() ->
        {
            try
            {
                new GroupIngest(store).run(properties, "ingested", isRunning);
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
        });
        thread.start();
        return thread;
    }

    /** A second pipeline of the same group continues where the first one has ended. */
    @Test
    void shouldConsumeTransformAndPublish()
    {
        final int count = 2_000;
        broker.createTopic("to-transform", 2);
        broker.createTopic("transformed", 3);
        try (KafkaConsumer<byte[], byte[]> stock = new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()), new ByteArrayDeserializer(),
            new ByteArrayDeserializer()))
        {
            for (int round = 1; round <= 2; round++)
            {
                for (int p = 0; p < 2; p++)
                {
                    broker.produce("to-transform", p, count, (i) -> ("value-" + i).getBytes(StandardCharsets.UTF_8));
                }
                transform(2 * count);
                assertEquals(2 * count * round, recordsTransformed(stock));
            }
        }
        final Set<String> values = new HashSet<>();
        PrintRecords.print(broker.bootstrapServers(), "transformed", 4 * count, new PrintStream(
            new ByteArrayOutputStream())
        {
            @Override
            public void println(final String line)
            {
                values.add(line.substring(line.indexOf("value-")));
            }
        });
        assertEquals(count, values.size());
    }

    private static void transform(final int count)
    {
        try (ConsumeTransformPublish pipeline = new ConsumeTransformPublish(
            broker.bootstrapServers(), "transforming", "to-transform", "transformed"))
        {
            while (pipeline.published() < count)
            {
                pipeline.workOrWait();
                assertNull(pipeline.failure());
            }
        }
    }

    private static long recordsTransformed(final KafkaConsumer<byte[], byte[]> stock)
    {
        return stock.endOffsets(IntStream.range(0, 3).mapToObj((p) -> new TopicPartition("transformed", p)).toList())
            .values().stream().mapToLong(Long::longValue).sum();
    }

    /** The program of kafka-clients commits half of the records, and that of ours reads the other half. */
    @Test
    void shouldContinueWhereKafkaClientsHaveStopped()
    {
        broker.createTopic("summed", 1);
        final Properties properties = new Properties();
        properties.putAll(Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", "summing",
            "group.protocol", "consumer", "auto.offset.reset", "earliest"));

        broker.produce("summed", 0, 100, (i) -> ByteBuffer.allocate(Long.BYTES).putLong(i).array());
        assertEquals(4_950,
            new SumOfKafkaClients().run(properties, "summed", () -> committed("summing", "summed") < 100));
        broker.produce("summed", 0, 100, (i) -> ByteBuffer.allocate(Long.BYTES).putLong(1_000).array());

        assertEquals(100_000,
            new SumOfValues().run(properties, "summed", () -> committed("summing", "summed") < 200));
    }

    private static long committed(final String group, final String topic)
    {
        try
        {
            final OffsetAndMetadata offset = broker.admin().listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata().get().get(new TopicPartition(topic, 0));
            return offset == null ? 0 : offset.offset();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
