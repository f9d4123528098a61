/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.live;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.testkit.EmbeddedBroker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Every client against a real broker while the paced producer writes to two partitions.
 */
@Timeout(180)
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

    @ParameterizedTest
    @EnumSource(value = ClientKind.class, mode = EnumSource.Mode.EXCLUDE, names = "BARE_LOOP")
    void shouldReadAllRecordsAndSayWhatThatCost(final ClientKind kind) throws InterruptedException
    {
        try (ClientProcess client = ClientProcess.start(kind.client(), settings(kind)))
        {
            client.awaitStart();
            client.run();
            client.measure();
            Usage usage = pauseAndStop(client);
            // A slow machine may not have come to the first record.
            while (kind != ClientKind.EMPTY_JVM && usage.records() == 0)
            {
                client.run();
                client.measure();
                usage = pauseAndStop(client);
            }

            assertEquals(0, usage.missing());
            assertEquals(VALUE_LENGTH * usage.records(), usage.bytes());
            assertEquals(usage.records(), usage.latencyHistogram().getTotalCount());
            assertEquals(kind == ClientKind.EMPTY_JVM, usage.fetches() == 0);
            assertTrue(usage.wallNs() > 0 && usage.threadCpuNs() > 0, usage::toString);
            assertTrue(usage.processCpuNs() >= usage.threadCpuNs(), usage::toString);
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
        }
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
