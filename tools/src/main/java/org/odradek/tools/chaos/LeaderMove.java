/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.tools.chaos;

import org.odradek.testkit.BrokerCluster;

import java.util.Random;

/**
 * Replicas are reassigned in another order, and the preferred one is elected, for about half of the partitions.
 */
final class LeaderMove implements Fault
{
    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final BrokerCluster brokers = cluster.brokers();
        final int count = 1 + topic.partitionCount() / 2;
        int moved = 0;
        for (int i = 0; i < count; i++)
        {
            final int partition = random.nextInt(topic.partitionCount());
            final int leader = brokers.leaderOf(topic.name(), partition);
            final int target = 1 + (leader + random.nextInt(ChaosCluster.BROKER_COUNT - 1)) % ChaosCluster.BROKER_COUNT;
            brokers.moveLeader(topic.name(), partition, target);
            moved += leader == target ? 0 : 1;
        }
        if (moved == 0)
        {
            throw new IllegalStateException("No leader was moved.");
        }
        return moved + " leaders moved";
    }
}
