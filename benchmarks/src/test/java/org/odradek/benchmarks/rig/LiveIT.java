// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.EmbeddedBroker;

import java.util.function.Predicate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Clients against a real broker while the paced producer writes to two partitions. The other clients run in the tests
 * of the scenarios.
 */
@Tag("slow")
class LiveIT
{
    private static final String TOPIC = "live";
    private static final int VALUE_LENGTH = 23;
    private static final int PAUSE_MS = 1_000;
    /** The first of these warm up. */
    private static final int MAX_WINDOWS = 30;
    private static final int[] PARTITIONS = {0, 1};

    private static EmbeddedBroker broker;
    private static Child producer;
    private static Settings settings;

    @BeforeAll
    static void beforeAll()
    {
        broker = EmbeddedBroker.start();
        broker.createTopic(TOPIC, PARTITIONS.length);
        settings = Arms.LIVE.with(
            "bootstrap", broker.bootstrapServers(), "topic", TOPIC, "partitions", PARTITIONS);
        producer = Child.producer(settings.with(
            "recordsPerSecond", 2_000, "valueLength", VALUE_LENGTH, "lingerMs", 0, "acks", "1"));
        producer.awaitStart();
        producer.run();
        producer.measure();
    }

    @AfterAll
    static void afterAll()
    {
        try
        {
            // A record that was not acknowledged would be missing, and stop would throw.
            final Usage usage = producer.stop();
            assertTrue(usage.records > 0 && usage.latencyHistogram().getTotalCount() > 0);
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
        try (Child client = Arms.STOCK_NEW.start(settings, Child.Jvm.STANDARD))
        {
            client.awaitStart();
            // A busy machine may not have run the client in so short a time.
            final Usage usage = measured(client, (window) -> window.records > 0 && window.fetches > 0);
            assertTrue(usage.records > 0 && usage.fetches > 0, usage::toString);
            assertIsConsistent(usage);
        }
    }

    @Test
    void shouldAllocateNothingInOursOnceWarm() throws InterruptedException
    {
        try (Child client = Arms.ODRADEK.as("odradek-spin", "poll", "spin").start(settings, Child.Jvm.STANDARD))
        {
            client.awaitStart();
            final Usage usage = measured(client, (window) -> window.allocatedBytes == 0 && window.fetches > 0);
            assertEquals(0, usage.allocatedBytes);
            assertEquals(0, usage.gcCount);
            assertTrue(usage.fetches > 0);
            assertIsConsistent(usage);
        }
    }

    private static void assertIsConsistent(final Usage usage)
    {
        assertEquals(0, usage.missing);
        assertEquals(VALUE_LENGTH * usage.records, usage.bytes);
        assertEquals(usage.records, usage.latencyHistogram().getTotalCount());
        assertTrue(usage.wallNs > 0 && usage.threadCpuNs > 0);
        assertTrue(usage.processCpuNs >= usage.threadCpuNs);
    }

    /** The first window that is as it should be, or the last one. */
    private static Usage measured(final Child client, final Predicate<Usage> isEnough) throws InterruptedException
    {
        Usage usage = measured(client);
        for (int window = 1; window < MAX_WINDOWS && !isEnough.test(usage); window++)
        {
            usage = measured(client);
        }
        return usage;
    }

    private static Usage measured(final Child client) throws InterruptedException
    {
        client.run();
        Thread.sleep(PAUSE_MS);
        client.measure();
        Thread.sleep(PAUSE_MS);
        return client.stop();
    }
}
