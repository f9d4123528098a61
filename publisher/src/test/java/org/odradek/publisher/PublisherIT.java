// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.CompositeAgent;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.client.ClientCounters;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.consumer.ConsumerAgent;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.SecureListener;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Publishes to a real broker; the stock consumer and ours read back what was published. */
@ExtendWith(SharedBroker.class)
class PublisherIT
{
    private static final int RECORDS = 3_000;
    private static final int PARTITIONS = 3;
    /** Longer than a test may take. */
    private static final int LONG_MS = 1_000_000;
    /** After such a pause of this JVM and its broker, a connection whose session has ended may be closed. */
    private static final long STANDSTILL_NS = 100_000_000;

    private static PublisherContext context(final TransportType transport, final Acks acks)
    {
        return Publishing.context(SharedBroker.broker().bootstrapServers()).transport(transport).acks(acks)
            .batchLength(8 * 1024).bufferMemory(256 * 1024);
    }

    @ParameterizedTest
    @CsvSource({"NIO, ALL, NONE", "EPOLL, ALL, GZIP", "NIO, LEADER, SNAPPY", "EPOLL, LEADER, LZ4", "NIO, ALL, ZSTD"})
    void shouldBeReadBackByTheStockConsumerAndOurs(
        final TransportType transport, final Acks acks, final Compression compression)
    {
        final String topic = SharedBroker.topic(PARTITIONS);
        final List<List<String>> published = lists();
        try (Publishing client = Publishing.start(context(transport, acks).compression(compression), topic))
        {
            publish(client, topic, published);
            assertTrue(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS), client.publisher::describe);
            for (int p = 0; p < PARTITIONS; p++)
            {
                assertEquals(published.get(p).size(), client.publisher.topic(topic).acknowledgedPosition(p));
            }
            assertEquals(List.of(), client.errors);
            assertEquals(0, client.counter(PublisherCounters.EPOCH_BUMPS));
            assertEquals(compression != Compression.NONE, client.counter(PublisherCounters.BYTES_SENT) <
                client.counter(PublisherCounters.BYTES_BATCHED));
        }

        assertEquals(published, stock(topic));
        assertEquals(published, ours(topic));
    }

    private static List<List<String>> lists()
    {
        final List<List<String>> lists = new ArrayList<>();
        IntStream.range(0, PARTITIONS).forEach((p) -> lists.add(new ArrayList<>()));
        return lists;
    }

    /** Keys, tombstones, headers and timestamps, of many lengths. */
    private static void publish(final Publishing client, final String topic, final List<List<String>> published)
    {
        final Random random = new Random(7);
        final TopicPublisher publisher = client.publisher.topic(topic);
        final RecordHeaders headers = new RecordHeaders();
        for (int i = 0; i < RECORDS; i++)
        {
            final int partition = random.nextInt(PARTITIONS);
            final byte[] key = random.nextInt(3) == 0 ? null : ("key " + i).getBytes(StandardCharsets.UTF_8);
            final byte[] value = random.nextInt(9) == 0 ? null : ("value " + i + "-".repeat(random.nextInt(200)))
                .getBytes(StandardCharsets.UTF_8);
            final long timestamp = 1_600_000_000_000L + i;
            headers.clear();
            final StringBuilder text = new StringBuilder();
            for (int h = random.nextInt(4) - 2; h > 0; h--)
            {
                headers.add("h" + h, new byte[] {(byte)h});
                text.append("h").append(h).append('=').append(h).append(' ');
            }
            long result = OfferResult.BACK_PRESSURED;
            while (result == OfferResult.BACK_PRESSURED)
            {
                client.publisher.doWork();
                result = publisher.offer(partition, timestamp, key == null ? null : new UnsafeBuffer(key),
                    value == null ? null : new UnsafeBuffer(value), headers);
            }
            final String name = OfferResult.name(result);
            published.get(partition).add(text(published.get(partition).size(), timestamp, key, value, text.toString()));
            assertEquals(published.get(partition).size(), result, name);
        }
    }

    private static String text(
        final long offset, final long timestamp, final byte[] key, final byte[] value, final String headers)
    {
        return offset + " at " + timestamp + ": " + (key == null ? "null" : new String(key, StandardCharsets.UTF_8)) +
            " = " + (value == null ? "null" : new String(value, StandardCharsets.UTF_8)) + " " + headers;
    }

    private static List<List<String>> stock(final String topic)
    {
        final List<List<String>> read = lists();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
            Map.of("bootstrap.servers", SharedBroker.broker().bootstrapServers(), "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            consumer.assign(IntStream.range(0, PARTITIONS).mapToObj((p) -> new TopicPartition(topic, p)).toList());
            for (int count = 0; count < RECORDS;)
            {
                for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1)))
                {
                    final StringBuilder headers = new StringBuilder();
                    for (final Header header : record.headers())
                    {
                        headers.append(header.key()).append('=').append(header.value()[0]).append(' ');
                    }
                    read.get(record.partition()).add(text(
                        record.offset(), record.timestamp(), record.key(), record.value(), headers.toString()));
                    count++;
                }
            }
        }
        return read;
    }

    private static List<List<String>> ours(final String topic)
    {
        final List<List<String>> read = lists();
        try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(SharedBroker.broker().bootstrapServers()).topic(topic)
            .startPosition(StartPosition.earliest())))
        {
            for (int count = 0; count < RECORDS;)
            {
                count += consumer.poll((record) -> read.get(record.partition()).add(
                    text(record.offset(), record.timestamp(), key(record), value(record), headers(record))),
                    RECORDS, 1_000_000_000L);
            }
        }
        return read;
    }

    private static byte[] key(final Record record)
    {
        return record.keyLength() < 0 ? null : bytes(record, record.keyIndex(), record.keyLength());
    }

    private static byte[] value(final Record record)
    {
        return record.valueLength() < 0 ? null : bytes(record, record.valueIndex(), record.valueLength());
    }

    private static byte[] bytes(final Record record, final int index, final int length)
    {
        final byte[] bytes = new byte[length];
        record.buffer().getBytes(index, bytes);
        return bytes;
    }

    private static String headers(final Record record)
    {
        final StringBuilder text = new StringBuilder();
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next())
        {
            text.append(new String(bytes(record, headers.keyIndex(), headers.keyLength()), StandardCharsets.UTF_8))
                .append('=').append(record.buffer().getByte(headers.valueIndex())).append(' ');
        }
        return text.toString();
    }

    // Behaviour Q222.
    @Test
    void shouldFailWhatIsOpenInARecreatedTopic()
    {
        final String topic = SharedBroker.topic(1);
        try (Publishing client = Publishing.start(context(TransportType.NIO, Acks.ALL), topic))
        {
            final TopicPublisher publisher = client.publisher.topic(topic);
            client.tryOfferTo(publisher, 0, "a");
            assertTrue(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS), client.publisher::describe);
            SharedBroker.broker().client().deleteTopic(topic);
            SharedBroker.broker().client().createTopic(topic, 1, Map.of());
            client.tryOfferTo(publisher, 0, "b");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            assertTrue(client.events.get(1).startsWith("failed 0: 2+1 TOPIC_RECREATED"), client.events::toString);
            publisher.skipFailed(0);
            client.tryOfferTo(publisher, 0, "c");
            assertTrue(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS), client.publisher::describe);
            assertEquals(3, publisher.acknowledgedPosition(0));
        }
    }

    /** A record that is too large for the broker, and not for us. */
    // Behaviour Q220.
    @Test
    void shouldFailWhatTheBrokerRefuses()
    {
        final String topic = "small-" + System.nanoTime();
        SharedBroker.broker().client().createTopic(topic, 1, Map.of("max.message.bytes", "1000"));
        try (Publishing client = Publishing.start(context(TransportType.NIO, Acks.ALL), topic))
        {
            final TopicPublisher publisher = client.publisher.topic(topic);
            client.tryOfferTo(publisher, 0, "x".repeat(2_000));
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));
            assertEquals(List.of("failed 0: 1+1 REFUSED 10"), client.events);
            publisher.skipFailed(0);
            client.tryOfferTo(publisher, 0, "fits");
            assertTrue(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS), client.publisher::describe);
        }
    }

    /** Of a compacted topic each record needs a key. */
    // Behaviour Q220.
    @Test
    void shouldReportTheRecordThatTheBrokerNamesAndWhatItSays()
    {
        final String topic = "compacted-" + System.nanoTime();
        SharedBroker.broker().client().createTopic(topic, 1, Map.of("cleanup.policy", "compact"));
        try (Publishing client = Publishing.start(context(TransportType.NIO, Acks.ALL), topic))
        {
            final TopicPublisher publisher = client.publisher.topic(topic);
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[] {1});
            publisher.offer(0, bytes, bytes, null);
            publisher.offer(0, null, bytes, null);
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            final FailedBatch batch = client.failed.get(0);
            assertEquals(2, batch.count());
            assertEquals(2, batch.refusedPosition());
            assertTrue(batch.message().contains("without key"), batch::message);
        }
    }

    @ParameterizedTest
    @CsvSource({"NIO, JDK", "EPOLL, BORINGSSL"})
    void shouldPublishOverTlsWithSasl(final TransportType transport, final TlsProviderType provider)
    {
        publishFor(100, transport, SecureListener.SASL_SSL, sasl().tls(
            TlsSettings.trust(SharedBroker.broker().security().trustPem()).provider(provider)));
    }

    /** Longer than a session, so that the connections authenticate again between two requests. */
    // Behaviour Q230.
    @Test
    void shouldAuthenticateAgainBetweenRequests()
    {
        publishFor(BrokerSecurity.REAUTH_MS + 500, TransportType.EPOLL, SecureListener.REAUTH, sasl().withoutTls());
    }

    private static SecuritySettings sasl()
    {
        return SecuritySettings.sasl(
            PlainMechanism.plain(BrokerSecurity.USER, BrokerSecurity.PASSWORD.toCharArray()));
    }

    private static void publishFor(
        final int ms, final TransportType transport, final SecureListener listener, final SecuritySettings security)
    {
        final String topic = SharedBroker.topic(1);
        try (Publishing client = Publishing.start(context(transport, Acks.ALL)
            .bootstrapServers(SharedBroker.broker().bootstrapServers(listener)).security(security), topic))
        {
            final TopicPublisher publisher = client.publisher.topic(topic);
            long lastNs = System.nanoTime();
            final long endNs = lastNs + ms * 1_000_000L;
            boolean hasStoodStill = false;
            long count = 0;
            while (endNs - lastNs > 0)
            {
                count += client.tryOfferTo(publisher, 0, "value " + count) > 0 ? 1 : 0;
                assertTrue(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS), client.publisher::describe);
                final long nowNs = System.nanoTime();
                hasStoodStill |= nowNs - lastNs > STANDSTILL_NS;
                lastNs = nowNs;
            }
            assertTrue(count > 0);
            assertEquals(count, publisher.acknowledgedPosition(0));
            if (!hasStoodStill)
            {
                assertEquals(0, client.counter(PublisherCounters.BATCHES_RESENT));
                assertEquals(listener == SecureListener.REAUTH,
                    client.counter(ClientCounters.REAUTHENTICATIONS) > 0);
            }
            assertEquals(List.of(), client.errors);
        }
    }

    /** Reads, transforms and publishes on one thread with one poller. */
    @ParameterizedTest
    @CsvSource({"NIO", "EPOLL"})
    void shouldShareAPollerWithAConsumer(final TransportType transport)
    {
        final String in = SharedBroker.topic(1);
        final String out = SharedBroker.topic(1);
        SharedBroker.broker().client().produce(in, 0, 500, (i) -> new byte[] {(byte)i});
        try (Poller poller = PublisherContext.openPoller(transport);
            TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext().poller(poller)
                .bootstrapServers(SharedBroker.broker().bootstrapServers()).topic(in)
                .startPosition(StartPosition.earliest()));
            Publishing client = Publishing.start(Publishing.context(SharedBroker.broker().bootstrapServers())
                .poller(poller).sendIntervalUs(1_000), out))
        {
            final TopicPublisher publisher = client.publisher.topic(out);
            while (publisher.acknowledgedPosition(0) < 500)
            {
                consumer.poll((record) -> assertTrue(publisher.offer(0, record.buffer(), record.keyIndex(),
                    record.keyLength(), record.buffer(), record.valueIndex(), record.valueLength()) > 0), 100,
                    Math.max(0, Math.min(20_000_000L, client.publisher.nextDeadlineNs() - System.nanoTime())));
                client.publisher.doWork();
            }
            assertEquals(List.of(), client.errors);
            assertTrue(client.counter(PublisherCounters.REQUESTS) < 100);
        }
    }

    /** No fetch and no idle time ends soon: only what the publisher has to do ends a wait. */
    // Behaviour Q225.
    @ParameterizedTest
    @CsvSource({"NIO, false", "NIO, true", "EPOLL, false", "EPOLL, true"})
    void shouldBeServedWhileTheThreadWaitsInAConsumerOrAnIdleStrategy(
        final TransportType transport, final boolean isAgent)
    {
        final String in = SharedBroker.topic(1);
        final String out = SharedBroker.topic(1);
        SharedBroker.broker().client().produce(in, 0, 500, (i) -> new byte[] {(byte)i});
        try (Poller poller = PublisherContext.openPoller(transport);
            TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext().poller(poller)
                .bootstrapServers(SharedBroker.broker().bootstrapServers()).topic(in)
                .startPosition(StartPosition.earliest()).fetchMaxWaitMs(LONG_MS).requestTimeoutMs(2 * LONG_MS));
            Publishing client = Publishing.start(Publishing.context(SharedBroker.broker().bootstrapServers())
                .poller(poller).sendIntervalUs(20_000), out))
        {
            final TopicPublisher publisher = client.publisher.topic(out);
            final RecordHandler handler = (record) -> assertTrue(publisher.offer(0, record.buffer(), record.keyIndex(),
                record.keyLength(), record.buffer(), record.valueIndex(), record.valueLength()) > 0);
            final IdleStrategy idleStrategy = ConsumerAgent.idleStrategy(poller, 1_000_000L * LONG_MS);
            final Agent agents =
                new CompositeAgent(ConsumerAgent.polling("in", consumer, handler, 100), client.publisher);
            while (publisher.acknowledgedPosition(0) < 500)
            {
                if (isAgent)
                {
                    idleStrategy.idle(work(agents));
                }
                else
                {
                    consumer.poll(handler, 100, 1_000_000L * LONG_MS);
                    client.publisher.doWork();
                }
            }
            assertEquals(List.of(), client.errors);
        }
    }

    private static int work(final Agent agent)
    {
        try
        {
            return agent.doWork();
        }
        catch (final Exception ex)
        {
            throw new AssertionError(ex);
        }
    }
}
