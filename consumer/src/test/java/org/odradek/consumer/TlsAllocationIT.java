// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.support.ProbeRun;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.SecureListener;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks that the polling thread allocates exactly 0 bytes over TLS with BoringSSL, as {@link ZeroAllocationIT} does
 * without. The broker changes its keys after each 0.25 MiB (KeyUpdate), many times in a window.
 */
@Tag("zero-allocation")
class TlsAllocationIT
{
    private static final String TOPIC = "prefilled";
    private static final String SPREAD = "prefilled-spread";
    private static final int CONNECTIONS = 8;
    private static final long RECORDS = 20_000;
    private static final long RECORDS_READ = 4 * RECORDS;
    private static final int EMPTY_POLLS = 20_000;
    private static final int EMPTY_FETCHES = 200;
    /** Bytes after which the broker changes its keys, as a power of 2. */
    private static final int KEY_LIMIT = 18;
    private static final int KEY_UPDATES = 5;

    @TempDir
    private static Path folder;
    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws IOException
    {
        final Path properties = Files.writeString(folder.resolve("java.security"),
            "jdk.tls.keyLimits=AES/GCM/NoPadding KeyUpdate 2^" + KEY_LIMIT + ", ChaCha20-Poly1305 KeyUpdate 2^" +
            KEY_LIMIT + "\n");
        broker = BrokerProcess.start(
            new BrokerSettings().secured().jvmFlags(
            // C1 would encrypt without the instructions of the processor for it.
            BrokerSettings.COMPILE_FULLY, "-Djava.security.properties=" + properties));
        ProbeRun.fill(broker, TOPIC, 1, RECORDS);
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldAllocateNothingInASingleWindow(final TransportType transport)
    {
        assertAllocatedNothing(probe("TLS, C1", transport).strict().run());
    }

    @Tag("slow")
    @Test
    void shouldAllocateNothingWithEightConnections()
    {
        ProbeRun.fillInSmallBatches(broker, SPREAD, CONNECTIONS, RECORDS / CONNECTIONS);

        final ProbeRun run = secured(ProbeRun.ofConnections("TLS, eight connections", broker, SPREAD,
            TransportType.EPOLL, CONNECTIONS, RECORDS / CONNECTIONS)).run();

        assertEquals(CONNECTIONS, run.figure("connections"));
        assertTrue(run.figure("records") >= RECORDS);
        assertEquals(0, run.figure("bytes"));
    }

    @Tag("slow")
    @Test
    void shouldRunWithoutCollector()
    {
        assertAllocatedNothing(probe("TLS, Epsilon", TransportType.EPOLL).strict().withoutCollector().run());
    }

    @Tag("slow")
    @Test
    void shouldRunWithoutCollectorWithEveryCompiler()
    {
        assertAllocatedNothing(
            probe("TLS, Epsilon, C2", TransportType.EPOLL).set("windows", 3).withoutCollector().run());
    }

    private static void assertAllocatedNothing(final ProbeRun run)
    {
        run.assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, EMPTY_FETCHES);
        assertTrue(run.figure("keyUpdates") >= KEY_UPDATES, () -> "key updates: " + run.figure("keyUpdates"));
    }

    private static ProbeRun probe(final String title, final TransportType transport)
    {
        return secured(new ProbeRun(title, broker, TOPIC, transport))
            .set("partitions", 1).set("recordsPerPartition", RECORDS).set("readings", 1)
            .set("emptyPolls", EMPTY_POLLS).set("emptyFetches", EMPTY_FETCHES)
            .flags("-XX:CompileThresholdScaling=0.1");
    }

    private static ProbeRun secured(final ProbeRun run)
    {
        return run.secured(broker.bootstrapServers(SecureListener.SSL),
            broker.security().writeClientProperties(SecureListener.SSL, null));
    }
}
