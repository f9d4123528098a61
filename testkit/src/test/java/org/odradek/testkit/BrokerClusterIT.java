// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** In {@code mvn verify}, LeaderMovesIT of the consumer moves leaders of a cluster, kills and restarts its brokers. */
@Tag("slow")
class BrokerClusterIT
{
    private static final int BROKER_COUNT = 3;

    private static BrokerCluster cluster;

    @BeforeAll
    static void start()
    {
        cluster = BrokerCluster.start(BROKER_COUNT);
    }

    @AfterAll
    static void close()
    {
        cluster.close();
    }

    @Test
    void shouldServeFromAnotherBrokerAfterAKill()
    {
        cluster.createTopic("survivor", 1);
        cluster.awaitIsr("survivor", 0, BROKER_COUNT);
        cluster.produce("survivor", 0, 1_000, (i) -> new byte[10]);
        final int killed = cluster.leaderOf("survivor", 0);

        cluster.broker(killed).kill();
        final int leader = cluster.awaitLeaderOtherThan("survivor", 0, killed);
        cluster.produce("survivor", 0, 1_000, (i) -> new byte[10]);

        assertTrue(cluster.broker(leader).isRunning());
        assertOffsets(StockReader.read(cluster.bootstrapServers(), "survivor", 0, 2_000), 2_000);
        cluster.broker(killed).restart();
        cluster.awaitIsr("survivor", 0, BROKER_COUNT);
    }

    @Test
    void shouldMoveALeader()
    {
        cluster.createTopic("moved", 2);
        cluster.produce("moved", 1, 1_000, (i) -> new byte[10]);
        final int before = cluster.leaderOf("moved", 1);
        final int target = before % BROKER_COUNT + 1;

        cluster.moveLeader("moved", 1, target);

        assertNotEquals(before, target);
        assertEquals(target, cluster.leaderOf("moved", 1));
        assertOffsets(StockReader.read(cluster.bootstrapServers(), "moved", 1, 1_000), 1_000);
    }

    private static void assertOffsets(final List<ConsumerRecord<byte[], byte[]>> records, final int count)
    {
        assertEquals(count, records.size());
        for (int i = 0; i < count; i++)
        {
            assertEquals(i, records.get(i).offset());
        }
    }
}
