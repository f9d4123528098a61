// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.api.PartitionFetchInfo;
import org.odradek.kafka.api.PartitionOffsetRequestInfo;
import org.odradek.kafka.common.ErrorMapping;
import org.odradek.kafka.common.OffsetAndMetadata;
import org.odradek.kafka.common.OffsetMetadataAndError;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.FetchRequest;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.javaapi.OffsetCommitRequest;
import org.odradek.kafka.javaapi.OffsetFetchRequest;
import org.odradek.kafka.javaapi.OffsetFetchResponse;
import org.odradek.kafka.javaapi.OffsetRequest;
import org.odradek.kafka.javaapi.OffsetResponse;
import org.odradek.kafka.javaapi.PartitionMetadata;
import org.odradek.kafka.javaapi.TopicMetadata;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.kafka.message.MessageAndOffset;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.TcpProxy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SimpleConsumerIT
{
    private static final int TIMEOUT_MS = 60_000;
    private static final int COUNT = 300;

    private static EmbeddedBroker broker;

    private TcpProxy proxy;
    private SimpleConsumer consumer;

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start();
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    @BeforeEach
    void connect()
    {
        final String[] address = broker.bootstrapServers().split(":");
        proxy = TcpProxy.to(address[0], Integer.parseInt(address[1]));
        consumer = new SimpleConsumer(TcpProxy.HOST, proxy.port(), TIMEOUT_MS, 64 * 1024, "simple");
    }

    @AfterEach
    void close()
    {
        consumer.close();
        proxy.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void shouldReadEveryCodecToTheEnd(final String codec)
    {
        final String topic = "codec-" + codec;
        broker.createTopic(topic, 1);
        write(topic, Map.of("compression.type", codec, "batch.size", 1000, "linger.ms", 1000), null);

        assertEquals(LongStream.range(0, COUNT).boxed().toList(), read(topic, COUNT, 2_000));
    }

    @Test
    void shouldContinueAfterTransactionMarkers()
    {
        broker.createTopic("transactions", 1);
        final Map<String, Object> settings = Map.of("transactional.id", "simple", "linger.ms", 1000);
        try (Producer<byte[], byte[]> producer = broker.client().producer(settings))
        {
            producer.initTransactions();
            for (int i = 0; i < 5; i++)
            {
                producer.beginTransaction();
                producer.send(new ProducerRecord<>("transactions", 0, null, value(2 * i)));
                producer.commitTransaction();
            }
        }

        // A fetch of one byte returns one batch, which may be only the end of a transaction.
        assertEquals(List.of(0L, 2L, 4L, 6L, 8L), read("transactions", 5, 1));
    }

    private List<Long> read(final String topic, final int count, final int fetchSize)
    {
        final int partition = 0;
        final List<Long> offsets = new ArrayList<>();
        long offset = 0;
        while (offsets.size() < count)
        {
            final FetchResponse response = consumer.fetch(new FetchRequestBuilder().clientId("simple").maxWait(100)
                .minBytes(1).addFetch(topic, partition, offset, fetchSize).build());
            assertFalse(response.hasError(), "error " + response.errorCode(topic, partition));
            for (final MessageAndOffset message : response.messageSet(topic, partition))
            {
                if (message.offset() >= offset)
                {
                    assertEquals(ByteBuffer.wrap(value(message.offset())), message.message().payload());
                    offsets.add(message.offset());
                    offset = message.nextOffset();
                }
            }
        }
        return offsets;
    }

    private long latest(final String topic, final int partition)
    {
        return offset(topic, partition, org.odradek.kafka.api.OffsetRequest.LatestTime()).offsets(topic, partition)[0];
    }

    private OffsetResponse offset(final String topic, final int partition, final long time)
    {
        return consumer.getOffsetsBefore(new OffsetRequest(
            Map.of(new TopicAndPartition(topic, partition), new PartitionOffsetRequestInfo(time, 1)),
            org.odradek.kafka.api.OffsetRequest.CurrentVersion(), "simple"));
    }

    private static void write(final String topic, final Map<String, Object> settings, final byte[] key)
    {
        try (Producer<byte[], byte[]> producer = broker.client().producer(settings))
        {
            for (int i = 0; i < COUNT; i++)
            {
                producer.send(new ProducerRecord<>(topic, 0, 1000L + i, key, value(i)));
            }
        }
    }

    private static byte[] value(final long offset)
    {
        return ("value-" + offset).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldReadSeveralTopicsInOneRequest()
    {
        broker.createTopic("first", 2);
        broker.createTopic("second", 1);
        broker.produce("first", 1, 3, SimpleConsumerIT::value);
        broker.produce("second", 0, 2, SimpleConsumerIT::value);

        final FetchResponse response = consumer.fetch(new FetchRequestBuilder().clientId("simple")
            .addFetch("first", 1, 1, 10_000).addFetch("second", 0, 5, 10_000).addFetch("first", 0, 0, 10_000).build());

        assertTrue(response.hasError());
        assertEquals(ErrorMapping.NoError(), response.errorCode("first", 1));
        assertEquals(ErrorMapping.NoError(), response.errorCode("first", 0));
        assertEquals(ErrorMapping.OffsetOutOfRangeCode(), response.errorCode("second", 0));
        assertEquals(3, response.highWatermark("first", 1));
        assertEquals(0, response.messageSet("first", 0).sizeInBytes());
        assertThrows(IllegalArgumentException.class, () -> response.errorCode("second", 1));
        assertEquals(3, consumer.fetch(new FetchRequest(0, "simple", 0, 0, Map.of(
            new TopicAndPartition("first", 1), new PartitionFetchInfo(1, 10_000)))).highWatermark("first", 1));
    }

    @Test
    void shouldShowKeysAndTimes()
    {
        broker.createTopic("keyed", 1);
        write("keyed", Map.of(), new byte[]{7});
        write("keyed", Map.of(), null);

        final FetchResponse response = consumer.fetch(
            new FetchRequestBuilder().clientId("simple").addFetch("keyed", 0, 0, 1_000_000).build());
        final MessageAndOffset first = response.messageSet("keyed", 0).iterator().next();

        assertEquals(ByteBuffer.wrap(new byte[]{7}), first.message().key());
        assertEquals(1, first.message().keySize());
        assertEquals(1000, first.message().timestamp());
        assertEquals(2, first.message().magic());
        assertEquals(COUNT / 2, offset("keyed", 0, 1000 + COUNT / 2).offsets("keyed", 0)[0]);
        assertEquals(0, offset("keyed", 0, Long.MAX_VALUE).offsets("keyed", 0).length);
        for (final MessageAndOffset message : response.messageSet("keyed", 0))
        {
            assertEquals(message.offset() < COUNT, message.message().hasKey());
        }
        assertNull(new org.odradek.kafka.message.Message((byte)1, -1, null, null).payload());
    }

    @Test
    void shouldReturnLeaders()
    {
        broker.createTopic("led", 2);

        final TopicMetadata found = consumer.send(new TopicMetadataRequest(List.of("led"))).topicsMetadata().get(0);

        assertEquals("led", found.topic());
        assertEquals(2, found.partitionsMetadata().size());
        for (final PartitionMetadata partition : found.partitionsMetadata())
        {
            assertEquals(ErrorMapping.NoError(), partition.errorCode());
            assertEquals(broker.bootstrapServers(), partition.leader().connectionString());
            assertEquals(List.of(partition.leader()), partition.replicas());
            assertEquals(List.of(partition.leader()), partition.isr());
        }
        assertTrue(consumer.send(new TopicMetadataRequest(List.of())).topicsMetadata().stream()
            .anyMatch((topic) -> topic.topic().equals("led")));
        assertEquals(ErrorMapping.UnknownTopicOrPartitionCode(),
            consumer.send(new TopicMetadataRequest(List.of("none"))).topicsMetadata().get(0).errorCode());
    }

    @Test
    void shouldStoreOffsets()
    {
        broker.createTopic("stored", 2);
        final TopicAndPartition partition = new TopicAndPartition("stored", 1);

        final short errorCode = consumer.commitOffsets(new OffsetCommitRequest("group",
            Map.of(partition, new OffsetAndMetadata(42, "note")), 0, "simple")).errorCode(partition);
        final OffsetFetchResponse response = consumer.fetchOffsets(new OffsetFetchRequest(
            "group", List.of(partition, new TopicAndPartition("stored", 0)), 0, "simple"));

        assertEquals(ErrorMapping.NoError(), errorCode);
        assertEquals(new OffsetMetadataAndError(42, "note", ErrorMapping.NoError()), response.offsets().get(partition));
        assertEquals(-1, response.offsets().get(new TopicAndPartition("stored", 0)).offset());
    }

    @Test
    void shouldReconnectAndSendAgainOnce()
    {
        broker.createTopic("cut", 1);
        broker.produce("cut", 0, 3, SimpleConsumerIT::value);
        assertEquals(3, latest("cut", 0));

        proxy.cut();

        assertEquals(3, latest("cut", 0));
        assertEquals(2, proxy.acceptedCount());
        proxy.refuse();
        proxy.cut();
        assertThrows(IOException.class, () -> latest("cut", 0));
        proxy.accept();
        assertEquals(3, latest("cut", 0));
    }

    @Test
    void shouldServeSeveralThreads() throws Exception
    {
        broker.createTopic("shared", 1);
        broker.produce("shared", 0, 3, SimpleConsumerIT::value);
        final List<FutureTask<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            tasks.add(new FutureTask<>(() -> latest("shared", 0)));
            new Thread(tasks.get(i)).start();
        }

        for (final FutureTask<Long> task : tasks)
        {
            assertEquals(3, task.get());
        }
    }
}
