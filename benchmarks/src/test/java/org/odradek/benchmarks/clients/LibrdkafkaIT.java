// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.publisher.Acks;
import org.odradek.publisher.Compression;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.RecordHeaders;
import org.odradek.publisher.TopicPublisher;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

class LibrdkafkaIT
{
    private static final int SEED = 43;
    private static final int PARTITIONS = 2;
    private static final int RECORDS_PER_PARTITION = 2_500;
    private static final int LIVE_RECORDS_PER_PARTITION = 100;
    private static final int VALUE_LENGTH = 23;
    private static final int PAUSE_MS = 300;
    private static final int LONG_MS = 60_000;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private static EmbeddedBroker broker;
    private static Path program;

    @BeforeAll
    static void beforeAll()
    {
        try
        {
            program = Librdkafka.program();
        }
        catch (final Arm.MissingException ex)
        {
            abort(ex.getMessage());
        }
        broker = EmbeddedBroker.start();
    }

    @AfterAll
    static void afterAll()
    {
        if (broker != null)
        {
            broker.close();
        }
    }

    @Test
    void shouldReadEveryRecordInEveryPassAndSayWhatThatCost()
    {
        final String topic = "read-natively";
        long sum = 0;
        broker.client().createTopic(topic, PARTITIONS, Map.of());
        for (int i = 0; i < PARTITIONS; i++)
        {
            final int partition = i;
            final LongFunction<byte[]> values = (number) -> value(partition, number);
            broker.client().produce(topic, partition, RECORDS_PER_PARTITION, values);
            for (long number = 0; number < RECORDS_PER_PARTITION; number++)
            {
                sum += sum(value(partition, number));
            }
        }
        try (Child client = start(settings(topic).with(
            "fetchMaxWaitMs", 50, "records", PARTITIONS * RECORDS_PER_PARTITION)))
        {
            assertTrue(client.ask("version").get("version").asText().matches("[0-9.]+"));
            client.ask(Child.OPEN);
            for (final Usage pass : List.of(client.ask(Child.PASS, Usage.class), client.ask(Child.PASS, Usage.class)))
            {
                assertEquals(PARTITIONS * RECORDS_PER_PARTITION, pass.records);
                assertEquals(PARTITIONS * RECORDS_PER_PARTITION * VALUE_LENGTH, pass.bytes);
                assertEquals(sum, pass.sum);
                assertTrue(pass.wallNs > 0 && pass.threadCpuNs > 0);
                assertTrue(pass.processCpuNs > pass.threadCpuNs);
            }
            final List<Usage> parts = client.read(LONG_MS, LONG_MS);
            assertEquals(List.of((long)RECORDS_PER_PARTITION, (long)RECORDS_PER_PARTITION),
                parts.stream().map((part) -> part.records).toList());
            assertEquals(sum, parts.get(0).sum + parts.get(1).sum);
        }
    }

    /**
     * Keys, values and headers of each partition in their order, nulls and tombstones among them, as the broker stores
     * them, which does not compress again.
     */
    @ParameterizedTest
    @CsvSource({"NONE, ALL", "NONE, LEADER", "GZIP, LEADER", "SNAPPY, ALL", "LZ4, LEADER", "ZSTD, ALL"})
    void shouldReadWhatOurPublisherHasWritten(final Compression compression, final Acks acks)
    {
        final String topic = "written-by-ours-" + compression + "-" + acks;
        final Random random = new Random(SEED);
        final List<Contents> written = List.of(new Contents(), new Contents());
        broker.client().createTopic(topic, PARTITIONS, Map.of());
        try (Publisher publisher = Publisher.connect(new PublisherContext()
            .bootstrapServers(broker.bootstrapServers()).compression(compression).acks(acks)))
        {
            final TopicPublisher ours = publisher.topic(topic);
            assertTrue(publisher.awaitReady(TIMEOUT_NS), publisher::describe);
            for (int number = 0; number < PARTITIONS * RECORDS_PER_PARTITION; number++)
            {
                final int partition = random.nextInt(PARTITIONS);
                assertTrue(written.get(partition).publish(ours, partition, random) > 0);
                publisher.doWork();
            }
            assertTrue(publisher.awaitAcknowledged(TIMEOUT_NS), publisher::describe);
        }
        try (Child client = start(settings(topic).with(
            "fetchMaxWaitMs", 50, "records", PARTITIONS * RECORDS_PER_PARTITION)))
        {
            final List<String> read = new ArrayList<>();
            client.ask("contents").get("partitions").forEach((partition) -> read.add(partition.asText()));
            assertEquals(written.stream().map(Contents::toString).toList(), read);
        }
    }

    /** The count of the records of a partition, and the checksum of contents.c. */
    private static final class Contents
    {
        private long count;
        private long hash = 0xcbf29ce484222325L;

        /** Publishes a record, and adds it. */
        private long publish(final TopicPublisher topic, final int partition, final Random random)
        {
            final RecordHeaders headers = new RecordHeaders();
            final byte[] key = bytes(random);
            final byte[] value = bytes(random);
            count++;
            add(key);
            add(value);
            for (int i = random.nextInt(4); i > 0; i--)
            {
                final byte[] name = ("header " + i).getBytes(StandardCharsets.UTF_8);
                final byte[] headerValue = bytes(random);
                headers.add(name, headerValue);
                add(name);
                add(headerValue);
            }
            return topic.offer(partition, System.currentTimeMillis(), key == null ? null : new UnsafeBuffer(key),
                value == null ? null : new UnsafeBuffer(value), headers);
        }

        /** Null, empty or short, or long enough to be compressed. */
        private static byte[] bytes(final Random random)
        {
            final int kind = random.nextInt(6);
            final int times = kind == 5 ? 20 : Math.min(kind, 1);
            return kind == 4 ? null :
                ("bytes " + random.nextInt(100)).repeat(times).getBytes(StandardCharsets.UTF_8);
        }

        private void add(final byte[] bytes)
        {
            final int length = bytes == null ? TopicPublisher.NULL_LENGTH : bytes.length;
            for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE)
            {
                add((byte)(length >>> shift));
            }
            for (int i = 0; i < length; i++)
            {
                add(bytes[i]);
            }
        }

        private void add(final byte value)
        {
            hash = (hash ^ Byte.toUnsignedLong(value)) * 0x100000001b3L;
        }

        @Override
        public String toString()
        {
            return count + " " + Long.toHexString(hash);
        }
    }

    @Test
    void shouldPublishEveryRecordInEveryTurnAndSayWhatThatCost()
    {
        final String topic = "written-natively";
        broker.client().createTopic(topic, PARTITIONS, Map.of());
        final Settings settings = Settings.of("bootstrap", broker.bootstrapServers(), "topic", topic,
            "partitionCount", PARTITIONS, "records", RECORDS_PER_PARTITION, "acks", "all", "compression", "none");
        try (Child client = Arms.LIBRDKAFKA_PRODUCER.start(settings, Child.Jvm.STANDARD))
        {
            client.awaitStart();
            client.ask(Child.OPEN);
            for (final String hasKeys : List.of("0", "1"))
            {
                final Usage usage = client.ask("publish " + VALUE_LENGTH + " " + hasKeys, Usage.class);
                assertEquals(RECORDS_PER_PARTITION, usage.records);
                assertEquals(RECORDS_PER_PARTITION * VALUE_LENGTH, usage.bytes);
                assertTrue(usage.wallNs > 0 && usage.processCpuNs > usage.threadCpuNs);
            }
        }
        final long written = IntStream.range(0, PARTITIONS)
            .mapToLong((partition) -> endOffset(topic, partition)).sum();
        assertEquals(2 * RECORDS_PER_PARTITION, written);
    }

    private static long endOffset(final String topic, final int partition)
    {
        final TopicPartition key = new TopicPartition(topic, partition);
        try
        {
            return broker.client().admin().listOffsets(Map.of(key, OffsetSpec.latest())).all().get().get(key).offset();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void shouldReadFromTheEndOnInEveryTurnAndSayWhatThatCost() throws Exception
    {
        final String topic = "read-live";
        broker.client().createTopic(topic, PARTITIONS, Map.of());
        produce(topic);
        try (Child client = start(settings(topic)))
        {
            // A slow machine may not come to the last record of a turn: the next must know nothing of it.
            for (int completeTurns = 0; completeTurns < 2;)
            {
                final long records = turn(topic, client);
                completeTurns += records == PARTITIONS * LIVE_RECORDS_PER_PARTITION ? 1 : 0;
                produce(topic);
            }
        }
    }

    private static long turn(final String topic, final Child client) throws InterruptedException
    {
        client.run();
        client.measure();
        produce(topic);
        Thread.sleep(PAUSE_MS);
        final Usage usage = client.stop();
        assertEquals(0, usage.missing);
        assertTrue(usage.records <= PARTITIONS * LIVE_RECORDS_PER_PARTITION);
        assertEquals(usage.records * VALUE_LENGTH, usage.bytes);
        assertTrue(usage.records == 0 || usage.fetches > 0);
        assertTrue(usage.wallNs > 0 && usage.threadCpuNs > 0);
        assertTrue(usage.processCpuNs >= usage.threadCpuNs);
        assertEquals(Usage.UNKNOWN, usage.allocatedBytes);
        return usage.records;
    }

    @Test
    void shouldNameASettingThatItsLibraryDoesNotKnow()
    {
        try (Child client = Child.start("librdkafka", Settings.NONE,
            List.of(program.toString(), "a-topic", "1", "1", "0", "0", "no.such.name=1")))
        {
            client.awaitStart();
            final IllegalStateException error = assertThrows(IllegalStateException.class, () -> client.ask(Child.PASS));
            assertTrue(error.getMessage().contains("no.such.name: "), error::getMessage);
        }
    }

    private static Child start(final Settings settings)
    {
        final Child client = Arms.LIBRDKAFKA.start(settings, Child.Jvm.STANDARD);
        client.awaitStart();
        return client;
    }

    private static Settings settings(final String topic)
    {
        return Arms.LIVE.with(
            "bootstrap", broker.bootstrapServers(), "topic", topic, "partitions", new int[]{0, 1});
    }

    private static void produce(final String topic)
    {
        for (int partition = 0; partition < PARTITIONS; partition++)
        {
            broker.client().produce(
                topic, partition, LIVE_RECORDS_PER_PARTITION, (number) -> new byte[VALUE_LENGTH]);
        }
    }

    /** What the client adds up of a value. */
    private static long sum(final byte[] bytes)
    {
        final ByteBuffer value = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        return value.getLong(0) + value.getLong(8) + value.getLong(15);
    }

    private static byte[] value(final int partition, final long number)
    {
        return ByteBuffer.allocate(VALUE_LENGTH)
            .putLong(0, number + 1).putLong(8, number * 31 + partition).putLong(15, ~number).array();
    }
}
