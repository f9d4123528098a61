// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.Events;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.TcpProxy;
import org.odradek.testkit.TcpProxy.Direction;

import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads backlogs from a broker through a proxy that delays all requests: fetches or connections grow, and are as at
 * first at the ends of the logs.
 */
class DistantBrokerIT
{
    private static final String TOPIC = "distant";
    /** A topic with as many records in the first of two partitions. */
    private static final String LONG = "distant-long";
    /** Another one with so many partitions that they are fetched in a session. */
    private static final String WIDE = "distant-wide";
    private static final int PARTITIONS = 8;
    private static final int RECORDS = 2_500;
    private static final int VALUE_LENGTH = 1_000;
    private static final int MIB = 1 << 20;
    private static final int DELAY_MS = 40;

    private static TcpProxy proxy;
    private static EmbeddedBroker broker;

    private final long[] expected = new long[PARTITIONS];
    private final Events events = new Events();
    private int count;
    /** By which the consumer's clock is in advance of that of the machine. */
    private volatile long skippedNs;

    @BeforeAll
    static void start()
    {
        proxy = TcpProxy.listen();
        broker = EmbeddedBroker.start(proxy.inFrontOf(new BrokerSettings()));
        proxy.target(TcpProxy.HOST, broker.outsidePort());
        broker.createTopic(TOPIC, PARTITIONS);
        for (int p = 0; p < PARTITIONS; p++)
        {
            broker.produce(TOPIC, p, RECORDS, DistantBrokerIT::value);
        }
        broker.createTopic(LONG, 2);
        broker.produce(LONG, 0, PARTITIONS * RECORDS, DistantBrokerIT::value);
        broker.createTopic(WIDE, 40);
        broker.produce(WIDE, 0, PARTITIONS * RECORDS, DistantBrokerIT::value);
        proxy.delay(Direction.TO_SERVER, DELAY_MS);
    }

    @AfterAll
    static void stop()
    {
        broker.close();
        proxy.close();
    }

    private static byte[] value(final long number)
    {
        final byte[] value = new byte[VALUE_LENGTH];
        new UnsafeBuffer(value).putLong(VALUE_LENGTH - Long.BYTES, number, BIG_ENDIAN);
        return value;
    }

    private ConsumerContext context(final TransportType transport)
    {
        return new ConsumerContext().bootstrapServers(proxy.address()).topic(TOPIC).transport(transport)
            .startPosition(StartPosition.earliest()).fetchMaxWaitMs(20).listener(events);
    }

    private void onRecord(final Record record)
    {
        assertEquals(expected[record.partition()]++, record.offset());
        assertEquals(record.offset(), record.valueLong(VALUE_LENGTH - Long.BYTES, BIG_ENDIAN));
        count++;
    }

    private void readAll(final TopicConsumer consumer, final int readings)
    {
        final long empty = consumer.counters().get(ConsumerCounters.EMPTY_FETCHES);
        while (count < readings * PARTITIONS * RECORDS ||
            consumer.counters().get(ConsumerCounters.EMPTY_FETCHES) < empty + 2)
        {
            consumer.poll(this::onRecord, 10_000, TimeUnit.MILLISECONDS.toNanos(20));
        }
        assertEquals(readings * PARTITIONS * RECORDS, count);
    }

    // Behaviour P209.
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldAskForMoreBytesUntilTheLogsHaveBeenRead(final TransportType transport)
    {
        final ConsumerContext context = context(transport).fetchConnections(1).conclude();
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            readAll(consumer, 1);

            assertGrown("2 4 8 16");
            assertTrue(consumer.describe().contains(" " + MIB + " bytes per fetch"), consumer::describe);

            for (int p = 0; p < PARTITIONS; p++)
            {
                consumer.seek(p, 0);
                expected[p] = 0;
            }
            readAll(consumer, 2);
            assertGrown("2 4 8 16");
            assertEquals(0, consumer.counters().get(ConsumerCounters.BUDGET_EXCEEDED_BYTES));
        }
    }

    /** Asserts that the buffer has doubled once or more, and no further; lengths are in whole MiB. */
    private void assertGrown(final String furthest)
    {
        final String grown = events.of("grown").stream()
            .map((line) -> Integer.toString(Integer.parseInt(line.replaceAll(".* to ", "")) / MIB)).distinct()
            .collect(Collectors.joining(" "));
        assertTrue(!grown.isEmpty() && furthest.startsWith(grown), grown);
    }

    // Behaviour P209.
    @ParameterizedTest
    @ValueSource(strings = {LONG, WIDE})
    void shouldAskForMoreBytesOfThePartitionThatLags(final String topic)
    {
        try (TopicConsumer consumer = TopicConsumer.connect(context(TransportType.AUTO).topic(topic)))
        {
            while (count < PARTITIONS * RECORDS)
            {
                consumer.poll(this::onRecord, 10_000, TimeUnit.MILLISECONDS.toNanos(20));
            }

            assertGrown("2 4 8 16");
            final long fetches = consumer.counters().get(ConsumerCounters.FETCHES) -
                consumer.counters().get(ConsumerCounters.EMPTY_FETCHES);
            assertTrue(fetches < PARTITIONS * RECORDS * VALUE_LENGTH / MIB, () -> fetches + " fetches");
        }
    }

    @Test
    void shouldGrowAsFarAsTheMemoryOfALeaderAllows()
    {
        try (TopicConsumer consumer = TopicConsumer.connect(
            context(TransportType.AUTO).fetchConnections(1).fetchMemory(5 * MIB)))
        {
            readAll(consumer, 1);

            assertGrown("2 4");
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldReadOverMoreConnectionsUntilTheLogsHaveBeenRead(final TransportType transport)
    {
        // Many responses before the ends of the logs, because the number follows from windows of responses.
        final ConsumerContext context = context(transport).fetchMemory(9 * MIB).fetchMaxBytes(MIB / 2)
            .requestTimeoutMs(600_000).nanoClock(() -> System.nanoTime() + skippedNs).conclude();
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            readAll(consumer, 1);

            final long added = consumer.counters().get(ConsumerCounters.FETCH_CONNECTIONS_ADDED);
            assertTrue(added > 0, consumer::describe);
            while (consumer.counters().get(ConsumerCounters.FETCH_CONNECTIONS_REMOVED) < added)
            {
                skippedNs += TimeUnit.SECONDS.toNanos(1);
                consumer.poll(this::onRecord, 10_000, TimeUnit.MILLISECONDS.toNanos(20));
            }
            final String first = events.of("connections").get(0);
            assertEquals("connections from 1 to 8: the thread waits for a distant broker", first);
            assertEquals(0, consumer.counters().get(ConsumerCounters.BUDGET_EXCEEDED_BYTES));
        }
    }
}
