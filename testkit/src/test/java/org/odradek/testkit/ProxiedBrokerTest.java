// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.odradek.testkit.TcpProxy.Direction;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The stock consumer reads through a proxy with faults, and must lose and repeat nothing.
 */
class ProxiedBrokerTest
{
    private static final String TOPIC = "proxied";
    private static final int COUNT = 20_000;
    private static final byte[] VALUE = new byte[100];

    private static TcpProxy proxy;
    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        proxy = TcpProxy.listen();
        broker = EmbeddedBroker.start(proxy.inFrontOf(new BrokerSettings()));
        proxy.target(TcpProxy.HOST, broker.outsidePort());
        broker.createTopic(TOPIC, 1);
        broker.produce(TOPIC, 0, COUNT, (i) -> VALUE);
    }

    @AfterAll
    static void close()
    {
        broker.close();
        proxy.close();
    }

    @AfterEach
    void heal()
    {
        proxy.heal();
    }

    @Test
    void shouldKeepClientsOnTheProxy()
    {
        final long before = proxy.byteCount(Direction.TO_CLIENT);

        assertOffsets(StockReader.read(proxy.address(), TOPIC, 0, COUNT));

        assertTrue(proxy.byteCount(Direction.TO_CLIENT) - before > COUNT * VALUE.length);
    }

    @Test
    void shouldLeaveOtherClientsOffTheProxy()
    {
        final int before = proxy.acceptedCount();

        assertOffsets(StockReader.read(broker.bootstrapServers(), TOPIC, 0, COUNT));

        assertEquals(before, proxy.acceptedCount());
    }

    @Test
    void shouldCutInTheMiddleOfAFrame()
    {
        final int before = proxy.acceptedCount();
        proxy.cutAfter(300_000);

        assertOffsets(StockReader.read(proxy.address(), TOPIC, 0, COUNT));

        assertTrue(proxy.acceptedCount() - before > 1);
    }

    @Test
    void shouldPassPiecesThatSplitEveryField()
    {
        proxy.pieces(4099);

        assertOffsets(StockReader.read(proxy.address(), TOPIC, 0, COUNT));
    }

    @Test
    void shouldStallAndResumeAConsumer()
    {
        try (Consumer<byte[], byte[]> consumer = StockReader.open(proxy.address(), TOPIC, 0))
        {
            proxy.stall(Direction.TO_CLIENT);
            assertThrows(IllegalStateException.class, () -> StockReader.read(consumer, 1, 300));

            proxy.resume(Direction.TO_CLIENT);

            assertOffsets(StockReader.read(consumer, COUNT));
        }
    }

    @Test
    void shouldComeBackAfterACutAndARefusal()
    {
        try (Consumer<byte[], byte[]> consumer = StockReader.open(proxy.address(), TOPIC, 0))
        {
            final List<ConsumerRecord<byte[], byte[]>> records = StockReader.read(consumer, 1);
            proxy.refuse();
            proxy.cut();
            Await.until("the end of all connections", () -> proxy.connectionCount() == 0);
            proxy.accept();

            records.addAll(StockReader.read(consumer, COUNT - records.size()));

            assertOffsets(records);
        }
    }

    /** The connection ends in the middle of the answer, so that the client sends the request again. */
    @Test
    void shouldCreateATopicOnceWhenTheAnswerIsLost()
    {
        try (TopicClient client = new TopicClient(proxy.address()))
        {
            final KafkaFuture<?> first = client.admin().describeTopics(List.of("none")).allTopicNames();
            assertThrows(UnknownTopicOrPartitionException.class, () -> TopicClient.answer(first));
            final long before = proxy.byteCount(Direction.TO_CLIENT);
            final KafkaFuture<?> second = client.admin().describeTopics(List.of("none")).allTopicNames();
            assertThrows(UnknownTopicOrPartitionException.class, () -> TopicClient.answer(second));
            final int accepted = proxy.acceptedCount();
            proxy.cutAfter(proxy.byteCount(Direction.TO_CLIENT) - before + 10);

            client.createTopic("once", 1, Map.of());

            assertTrue(proxy.acceptedCount() > accepted);
            assertThrows(TopicExistsException.class, () -> client.createTopic("once", 1, Map.of()));
        }
    }

    private static void assertOffsets(final List<ConsumerRecord<byte[], byte[]>> records)
    {
        assertEquals(COUNT, records.size());
        for (int i = 0; i < COUNT; i++)
        {
            assertEquals(i, records.get(i).offset());
        }
    }
}
