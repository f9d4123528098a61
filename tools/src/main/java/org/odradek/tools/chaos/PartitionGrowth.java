// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.apache.kafka.clients.admin.NewPartitions;
import org.odradek.testkit.Await;

import java.util.Map;
import java.util.Random;

/**
 * The topic gets one partition more, which is written to at once. Where it is wide already a leader is moved instead.
 */
final class PartitionGrowth implements Fault
{
    private static final int MOST_PARTITIONS = 16;

    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final int count = topic.partitionCount() + 1;
        if (count > MOST_PARTITIONS)
        {
            return "none, the topic has " + MOST_PARTITIONS + " partitions; " +
                new LeaderMove().strike(cluster, topic, random);
        }
        ChaosCluster.await(
            cluster.brokers().admin().createPartitions(Map.of(topic.name(), NewPartitions.increaseTo(count))).all());
        cluster.awaitLeader(topic.name(), count - 1);
        topic.partitionCount(count);
        final PartitionLedger added = topic.ledger().partition(count - 1);
        Await.until("records of the new partition", ChaosCluster.LIMIT_MS, () -> added.deliveries() > 0);
        return "now " + count + " partitions";
    }
}
