// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.benchmarks.rivals.LibrdkafkaBuild;
import org.odradek.benchmarks.rivals.NativeProgram;
import org.odradek.testkit.EmbeddedBroker;

import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Timeout(300)
class LibrdkafkaCommandIT
{
    private static final String TOPIC = "read-live";
    private static final int VALUE_LENGTH = 23;
    private static final int PARTITIONS = 2;
    private static final int RECORDS_PER_PARTITION = 100;
    private static final int PAUSE_MS = 300;

    @Test
    void shouldReadFromTheEndOnInEveryTurnAndSayWhatThatCost() throws Exception
    {
        final NativeProgram program = LibrdkafkaBuild.program();
        assumeTrue(program.isThere(), program.whyNot());
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            broker.client().createTopic(TOPIC, PARTITIONS, Map.of());
            produce(broker);
            final ClientSettings settings =
                ClientSettings.of(ClientKind.STOCK, broker.bootstrapServers(), TOPIC, 0, 1);
            try (ClientProcess client =
                ClientProcess.start(LibrdkafkaCommand.CLIENT, LibrdkafkaCommand.of(program, settings)))
            {
                client.awaitStart();
                // A slow machine may not come to the last record of a turn: the next must know nothing of it.
                for (int completeTurns = 0; completeTurns < 2;)
                {
                    final long records = turn(broker, client);
                    completeTurns += records == PARTITIONS * RECORDS_PER_PARTITION ? 1 : 0;
                    produce(broker);
                }
            }
        }
    }

    private static long turn(final EmbeddedBroker broker, final ClientProcess client) throws InterruptedException
    {
        client.run();
        client.measure();
        produce(broker);
        Thread.sleep(PAUSE_MS);
        final Usage usage = client.stop();

        assertEquals(0, usage.missing());
        assertTrue(usage.records() <= PARTITIONS * RECORDS_PER_PARTITION, usage::toString);
        assertEquals(usage.records() * VALUE_LENGTH, usage.bytes());
        assertTrue(usage.records() == 0 || usage.fetches() > 0, usage::toString);
        assertTrue(usage.wallNs() > 0 && usage.threadCpuNs() > 0, usage::toString);
        assertTrue(usage.processCpuNs() >= usage.threadCpuNs(), usage::toString);
        assertEquals(Usage.UNKNOWN, usage.allocatedBytes());
        return usage.records();
    }

    private static void produce(final EmbeddedBroker broker)
    {
        for (int partition = 0; partition < PARTITIONS; partition++)
        {
            broker.client().produce(TOPIC, partition, RECORDS_PER_PARTITION, (number) -> new byte[VALUE_LENGTH]);
        }
    }
}
