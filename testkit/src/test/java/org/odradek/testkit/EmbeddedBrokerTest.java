// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.testkit.internal.JvmExit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class EmbeddedBrokerTest
{
    private static EmbeddedBroker broker;

    @BeforeAll
    static void startBroker()
    {
        broker = EmbeddedBroker.start();
    }

    @AfterAll
    static void closeBroker()
    {
        broker.close();
    }

    @Test
    void shouldDeliverWhatWasProduced()
    {
        broker.createTopic("numbers", 2);

        broker.produce("numbers", 1, 10_000, (i) -> ByteBuffer.allocate(Long.BYTES).putLong(i).array());

        final List<ConsumerRecord<byte[], byte[]>> records =
            StockReader.read(broker.bootstrapServers(), "numbers", 1, 10_000);
        for (int i = 0; i < 10_000; i++)
        {
            assertEquals(i, records.get(i).offset());
            assertEquals(i, ByteBuffer.wrap(records.get(i).value()).getLong());
        }
    }

    @Test
    void shouldKeepPortAndDataOverARestart()
    {
        broker.createTopic("kept", 1, Map.of("retention.ms", "-1"));
        broker.produce("kept", 0, List.of(new byte[]{1}, new byte[]{2}));
        final String before = broker.bootstrapServers();

        broker.stop();
        final boolean ranWhileStopped = broker.isRunning();
        broker.restart();

        assertFalse(ranWhileStopped);
        assertEquals(before, broker.bootstrapServers());
        assertEquals(2, StockReader.read(before, "kept", 0, 2).size());
    }

    /** JUnit interrupts a test that has timed out. Kafka cannot stop a broker while it starts. */
    @Test
    void shouldEndItsStartBeforeItThrowsOnAnInterruptedThread()
    {
        final Thread waiting = Thread.currentThread();
        JvmExit.daemon("interrupter", () ->
        {
            Await.until("the start", () -> Thread.getAllStackTraces().keySet().stream()
                .anyMatch((thread) -> "testkit-broker-starter".equals(thread.getName())));
            waiting.interrupt();
        });

        final Exception failure = assertThrows(IllegalStateException.class, () -> EmbeddedBroker.start());

        assertTrue(Thread.interrupted());
        assertEquals("Interrupted while a broker started.", failure.getMessage());
    }

    @Test
    void shouldForgetADeletedTopic()
    {
        broker.createTopic("gone", 1);

        broker.deleteTopic("gone");

        assertThrows(IllegalArgumentException.class, () -> broker.client().partition("gone", 0));
    }

    @Test
    void shouldLiveBesideAnother()
    {
        broker.createTopic("here", 1);

        try (EmbeddedBroker other = EmbeddedBroker.start())
        {
            other.createTopic("here", 1);
            other.produce("here", 0, List.of(new byte[1]));

            assertEquals(1, StockReader.read(other.bootstrapServers(), "here", 0, 1).size());
        }
        broker.produce("here", 0, List.of(new byte[1], new byte[1]));
        assertEquals(2, StockReader.read(broker.bootstrapServers(), "here", 0, 2).size());
    }

    @Tag("slow")
    @Test
    void shouldStartMoreThanOnceWithTheSameSecuredSettings()
    {
        final BrokerSettings settings = new BrokerSettings().secured();
        final Path folder = settings.security().folder();
        try (EmbeddedBroker first = EmbeddedBroker.start(settings))
        {
            try (EmbeddedBroker second = EmbeddedBroker.start(settings))
            {
                assertEquals(folder, second.security().folder());
            }
            first.restart();
            assertEquals(folder, first.security().folder());
        }
        assertFalse(Files.exists(folder));

        try (EmbeddedBroker later = EmbeddedBroker.start(settings))
        {
            assertTrue(Files.exists(later.security().trustStore()));
        }
    }

    @Test
    void shouldListenOnAnIpv6Address() throws IOException
    {
        final String host = "::1";
        assumeTrue(NetworkInterface.getByInetAddress(InetAddress.getByName(host)) != null);
        try (EmbeddedBroker other = EmbeddedBroker.start(new BrokerSettings().host(host)))
        {
            assertEquals("[" + host + "]:" + other.port(), other.bootstrapServers());
            other.createTopic("there", 1);
            other.produce("there", 0, List.of(new byte[1]));

            assertEquals(1, StockReader.read(other.bootstrapServers(), "there", 0, 1).size());
        }
    }

    @Test
    void shouldSayWhyItDoesNotStart()
    {
        final Map<String, String> nonsense = Map.of("num.io.threads", "many");

        final Exception failure = assertThrows(RuntimeException.class, () -> EmbeddedBroker.start(nonsense));

        assertTrue(failure.getMessage().contains("num.io.threads"), failure::getMessage);
    }
}
