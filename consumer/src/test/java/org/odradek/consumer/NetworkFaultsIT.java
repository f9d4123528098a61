// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.Reading;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.TcpProxy;
import org.odradek.testkit.TcpProxy.Direction;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads from a real broker through a proxy with faults: each record must be delivered once, whatever fails.
 */
class NetworkFaultsIT
{
    private static final String TOPIC = "faulty";
    private static final int COUNT = 5_000;
    private static final int BATCH_COUNT = 100;
    private static final long LAST_OFFSET = COUNT - 1;
    private static final List<String> VALUES = values(0, COUNT);

    private static TcpProxy proxy;
    private static EmbeddedBroker broker;

    private static List<String> values(final int from, final int to)
    {
        return IntStream.range(from, to).mapToObj((i) -> "value " + i + " " + "-".repeat(i % 90)).toList();
    }

    @BeforeAll
    static void start()
    {
        proxy = TcpProxy.listen();
        broker = EmbeddedBroker.start(proxy.inFrontOf(new BrokerSettings()));
        proxy.target(TcpProxy.HOST, broker.outsidePort());
        broker.createTopic(TOPIC, 1);
        for (int i = 0; i < COUNT; i += BATCH_COUNT)
        {
            produce(TOPIC, 0, VALUES.subList(i, i + BATCH_COUNT));
        }
    }

    private static void produce(final String topic, final int partition, final List<String> values)
    {
        broker.produce(topic, partition, values.size(), (i) -> values.get((int)i).getBytes());
    }

    @AfterAll
    static void stop()
    {
        broker.close();
        proxy.close();
    }

    @AfterEach
    void heal()
    {
        proxy.heal();
    }

    private static Reading read(final TransportType transport)
    {
        return Reading.start(context(TOPIC).transport(transport));
    }

    private static ConsumerContext context(final String topic)
    {
        return Reading.context(proxy.address(), topic).fetchMaxBytes(20_000);
    }

    private static void assertAllRead(final Reading reading)
    {
        reading.untilCount(0, COUNT);
        assertEquals(VALUES, reading.values(0));
        assertEquals(LAST_OFFSET, reading.offsets(0).get(COUNT - 1));
    }

    static Stream<Arguments> cuts()
    {
        return Stream.of(TransportType.NIO, TransportType.EPOLL).flatMap((transport) ->
            IntStream.of(0, 1, 3, 4, 7, 8, 50, 470, 700, 1_000, 5_003, 19_999, 50_021, 150_000, 299_993)
                .mapToObj((bytes) -> Arguments.of(transport, bytes)));
    }

    // Behaviour B23, tried 2026-11-29: If a peer closes the connection in the middle of a response, the partial
    // response is dropped, and the loss is reported once.
    @ParameterizedTest
    @MethodSource("cuts")
    void shouldContinueAfterACutInTheMiddleOfAFrame(final TransportType transport, final int byteCount)
    {
        // Bytes of an earlier connection that are still in flight would be counted.
        Await.until("earlier connections are closed", () -> proxy.connectionCount() == 0);
        final int before = proxy.acceptedCount();
        proxy.cutAfter(byteCount);
        try (Reading reading = read(transport))
        {
            assertAllRead(reading);
            reading.until("another connection", () -> proxy.acceptedCount() > before + 3);
        }
    }

    // Behaviour I118, tried 2026-11-29: Disconnects and timeouts lose and repeat no record; a timeout of a further
    // fetch connection to a broker, too, leads to a request for metadata.
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldContinueAfterResets(final TransportType transport)
    {
        try (Reading reading = read(transport))
        {
            for (int i = 1; i < 10; i++)
            {
                reading.untilCount(0, 300 * i);
                proxy.cut();
            }
            assertAllRead(reading);
            reading.until("a loss", () -> reading.consumer().counters().get(ConsumerCounters.CONNECTIONS_LOST) > 0);
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldReconnectAfterConnectionsWereRefused(final TransportType transport)
    {
        try (Reading reading = read(transport))
        {
            reading.untilCount(0, 500);
            proxy.refuse();
            proxy.cut();
            reading.until("the refusals", () -> reading.hasError("Cannot connect to"));
            proxy.accept();
            assertAllRead(reading);
            reading.until("the event", () -> reading.hasEvent("restored 1"));
        }
    }

    // Behaviour B20, tried 2026-11-29: If a request times out, its connection is closed, and all other requests on this
    // connection fail.
    // Behaviour I118.
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldCloseAConnectionThatStalls(final TransportType transport)
    {
        try (Reading reading = Reading.start(context(TOPIC).transport(transport).requestTimeoutMs(300)))
        {
            reading.untilCount(0, 500);
            proxy.stall(Direction.TO_CLIENT);
            reading.until("the timeout", () -> reading.events().stream()
                .anyMatch((event) -> event.contains("no response within 300 ms")));
            proxy.resume(Direction.TO_CLIENT);
            assertAllRead(reading);
        }
    }

    static Stream<Arguments> pieces()
    {
        return Stream.of(TransportType.NIO, TransportType.EPOLL).flatMap((transport) ->
            IntStream.of(1, 7, 4096).mapToObj((length) -> Arguments.of(transport, length)));
    }

    // Behaviour B26, tried 2026-11-29: Requests and responses larger than the socket buffers work.
    // Behaviour N161, tried 2026-11-29: Neither frames that arrive in pieces, or one byte at a time, nor polls of few
    // records change the delivered records.
    @ParameterizedTest
    @MethodSource("pieces")
    void shouldReadFramesThatArriveInPieces(final TransportType transport, final int length)
    {
        proxy.pieces(length);
        try (Reading reading = read(transport))
        {
            assertAllRead(reading);
            assertEquals(List.of(), reading.errors());
        }
    }

    // Behaviour D44, tried 2026-11-29: Requesting metadata does not create a missing topic; the missing topic is
    // reported once, and is read when it appears.
    @Test
    void shouldWaitForATopicThatDoesNotExistYet()
    {
        try (Reading reading = Reading.start(context("late")))
        {
            reading.until("the error", () -> reading.hasError("UNKNOWN_TOPIC_OR_PARTITION"));
            reading.until("further metadata", () ->
                reading.consumer().counters().get(ConsumerCounters.METADATA_REFRESHES) > 3);
            assertTrue(reading.consumer().describe().contains("topic late: its partitions are not known, " +
                "brokers have answered UNKNOWN_TOPIC_OR_PARTITION for "), reading.consumer()::describe);
            broker.createTopic("late", 2);
            produce("late", 0, values(0, 10));
            produce("late", 1, values(10, 30));

            reading.untilCount(0, 10);
            reading.untilCount(1, 20);

            assertEquals(values(0, 10), reading.values(0));
            assertEquals(values(10, 30), reading.values(1));
            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
        }
    }

    // Behaviour N160.
    @Test
    void shouldReadOnWhenTheBrokerHasBeenRestarted()
    {
        broker.createTopic("restarted", 2);
        produce("restarted", 0, values(0, 50));
        produce("restarted", 1, values(50, 80));
        try (Reading reading = Reading.start(context("restarted")))
        {
            reading.untilCount(0, 50);
            reading.untilCount(1, 30);
            broker.stop();
            reading.until("the loss", () -> reading.hasEvent("lost 1"));
            broker.restart();
            produce("restarted", 0, values(100, 150));
            produce("restarted", 1, values(150, 180));
            reading.untilCount(0, 100);
            reading.untilCount(1, 60);

            assertEquals(Stream.concat(values(0, 50).stream(), values(100, 150).stream()).toList(), reading.values(0));
            assertEquals(Stream.concat(values(50, 80).stream(), values(150, 180).stream()).toList(), reading.values(1));
            assertFalse(reading.hasEvent("stopped"));
        }
    }
}
