// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.odradek.testkit.Await;

import java.util.Random;

/**
 * Replicas are reassigned in another order, and the preferred one is elected, for about half of the partitions.
 */
final class LeaderMove implements Fault
{
    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final int count = 1 + topic.partitionCount() / 2;
        for (int i = 0; i < count; i++)
        {
            final int partition = random.nextInt(topic.partitionCount());
            final int leader = cluster.awaitLeader(topic.name(), partition);
            final int target = 1 + (leader + random.nextInt(ChaosCluster.BROKER_COUNT - 1)) % ChaosCluster.BROKER_COUNT;
            Await.until("partition " + partition + " to move to broker " + target, ChaosCluster.LIMIT_MS,
                () -> isMoved(cluster, topic.name(), partition, target));
        }
        return count + " leaders moved";
    }

    private static boolean isMoved(
        final ChaosCluster cluster, final String topic, final int partition, final int target)
    {
        try
        {
            cluster.brokers().moveLeader(topic, partition, target);
            return true;
        }
        catch (final RuntimeException ex)
        {
            // The target fell out of sync just before it was to be elected: once more.
            return false;
        }
    }
}
