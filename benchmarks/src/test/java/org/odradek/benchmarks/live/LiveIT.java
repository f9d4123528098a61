// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.testkit.EmbeddedBroker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Clients against a real broker while the paced producer writes to two partitions. The other clients of
 * {@link ClientKind} run in the scenarios' own tests.
 */
@Timeout(600)
class LiveIT
{
    private static final String TOPIC = "live";
    private static final int RATE = 2_000;
    private static final int VALUE_LENGTH = 23;
    private static final int PAUSE_MS = 200;
    private static final int[] PARTITIONS = {0, 1};

    private static EmbeddedBroker broker;
    private static ProducerProcess producer;

    @BeforeAll
    static void beforeAll()
    {
        broker = EmbeddedBroker.start();
        broker.createTopic(TOPIC, PARTITIONS.length);
        producer = ProducerProcess.start(new ProducerSettings(
            broker.bootstrapServers(), TOPIC, PARTITIONS, RATE, VALUE_LENGTH, 0, "1"));
        producer.awaitStart();
        producer.run();
        producer.measure();
    }

    @AfterAll
    static void afterAll()
    {
        try
        {
            final ProducerUsage usage = producer.stop();

            assertEquals(0, usage.unacknowledged());
            assertTrue(usage.sent() > 0 && usage.lagHistogram().getTotalCount() > 0, usage::toString);
        }
        finally
        {
            producer.close();
            broker.close();
        }
    }

    @Test
    void shouldReadAllRecordsAndSayWhatThatCost() throws InterruptedException
    {
        try (ClientProcess client = ClientProcess.start("stock-new", settings(ClientKind.STOCK_NEW)))
        {
            client.awaitStart();
            Usage usage;
            do
            {
                client.run();
                client.measure();
                usage = pauseAndStop(client);
            }
            while (usage.records() == 0 || usage.fetches() == 0);

            assertIsConsistent(usage);
        }
    }

    @Test
    void shouldAllocateNothingInOursOnceWarm() throws InterruptedException
    {
        final ClientSettings spinning = settings(ClientKind.ODRADEK).spinning();
        try (ClientProcess client = ClientProcess.start("odradek-spin", spinning))
        {
            client.awaitStart();
            Usage usage;
            do
            {
                client.run();
                // The first of these warm up; the test's own limit of time ends what never becomes warm.
                Thread.sleep(5 * PAUSE_MS);
                client.measure();
                usage = pauseAndStop(client);
            }
            while (usage.records() == 0 || usage.allocatedBytes() != 0);

            assertEquals(0, usage.gcCount());
            assertTrue(usage.fetches() > 0, usage::toString);
            assertIsConsistent(usage);
        }
    }

    private static void assertIsConsistent(final Usage usage)
    {
        assertEquals(0, usage.missing());
        assertEquals(VALUE_LENGTH * usage.records(), usage.bytes());
        assertEquals(usage.records(), usage.latencyHistogram().getTotalCount());
        assertTrue(usage.wallNs() > 0 && usage.threadCpuNs() > 0, usage::toString);
        assertTrue(usage.processCpuNs() >= usage.threadCpuNs(), usage::toString);
    }

    private static Usage pauseAndStop(final ClientProcess client) throws InterruptedException
    {
        Thread.sleep(PAUSE_MS);
        return client.stop();
    }

    private static ClientSettings settings(final ClientKind kind)
    {
        return ClientSettings.of(kind, broker.bootstrapServers(), TOPIC, PARTITIONS);
    }
}
