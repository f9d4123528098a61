// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BrokerProcessIT
{
    @Test
    void shouldKeepPortAndDataOverAKill()
    {
        final BrokerProcess broker = BrokerProcess.start(Map.of("message.max.bytes", "2000000"));
        try (broker)
        {
            broker.createTopic("kept", 1);
            broker.produce("kept", 0, List.of(new byte[1], new byte[2]));
            final long pid = broker.pid();

            broker.kill();
            assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
            assertFalse(broker.isRunning());
            broker.restart();

            assertEquals(2, StockReader.read(broker.bootstrapServers(), "kept", 0, 2).size());
        }
        assertFalse(broker.isRunning());
        assertFalse(Files.exists(broker.folder()));
    }

    @Test
    void shouldLeaveNothingWhenItIsClosedOnAnInterruptedThread()
    {
        final BrokerProcess broker = BrokerProcess.start(new BrokerSettings());
        Thread.currentThread().interrupt();

        broker.close();

        assertTrue(Thread.interrupted());
        assertFalse(broker.isRunning());
        assertFalse(Files.exists(broker.folder()));
    }

    /** The whole network 127.0.0.0/8 is that of the loopback device. */
    @Test
    void shouldListenOnAnotherAddressThatItsCertificateNames()
    {
        final String host = "127.0.0.2";
        try (BrokerProcess broker = BrokerProcess.start(new BrokerSettings().host(host).secured()))
        {
            broker.createTopic("elsewhere", 1);
            assertEquals(host + ":" + broker.port(), broker.bootstrapServers());
            assertEquals(host, broker.client().partition("elsewhere", 0).leader().host());

            final Map<String, Object> properties = new HashMap<>(
                broker.security().clientProperties(SecureListener.SSL, "PLAIN"));
            properties.put("bootstrap.servers", broker.bootstrapServers(SecureListener.SSL));
            try (Admin admin = Admin.create(properties))
            {
                assertEquals(host, TopicClient.answer(admin.describeCluster().controller()).host());
            }
        }
    }

    @Test
    void shouldTakeFlagsAfterTheDefaultOnes()
    {
        // Less than the heap that the default flags begin with.
        final BrokerSettings settings = new BrokerSettings().jvmFlags("-Xmx32m");

        final Exception failure = assertThrows(IllegalStateException.class, () -> BrokerProcess.start(settings));

        assertTrue(failure.getMessage().contains("heap size"), failure::getMessage);
    }

    @Test
    void shouldShowItsLastOutputWhenItDoesNotStart()
    {
        final BrokerSettings settings = new BrokerSettings().jvmFlags("-Xmx64m", "-XX:NoSuchFlag=1");

        final Exception failure = assertThrows(IllegalStateException.class, () -> BrokerProcess.start(settings));

        assertTrue(failure.getMessage().contains("NoSuchFlag"), failure::getMessage);
    }

    @Test
    void shouldShowOutputThatIsNotUtf8() throws IOException
    {
        final BrokerProcess broker =
            new BrokerProcess(BrokerHome.ofOne(new BrokerSettings().jvmFlags("-XX:NoSuchFlag=1")));
        try (broker)
        {
            Files.write(broker.outputFile(), new byte[] {(byte) 0xE4, '\n'});

            final Exception failure = assertThrows(IllegalStateException.class, broker::restart);

            assertTrue(failure.getMessage().contains("ended at its start") &&
                failure.getMessage().contains("NoSuchFlag"), failure::getMessage);
        }
    }

    /** With a class path of its own, as for another release, the data folder is formatted in a JVM with it. */
    @Test
    void shouldShowWhyItsDataFolderCannotBeFormatted()
    {
        final BrokerSettings settings = new BrokerSettings()
            .classPath(System.getProperty("java.class.path")).set("num.io.threads", "many");

        final Exception failure = assertThrows(IllegalStateException.class, () -> BrokerProcess.start(settings));

        assertTrue(failure.getMessage().startsWith("The broker's data folder could not be formatted") &&
            failure.getMessage().contains("num.io.threads"), failure::getMessage);
    }
}
