// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.odradek.testkit.BrokerCluster;

import java.util.Random;

/**
 * A leader is killed (SIGKILL), another takes over, the killed one is started again.
 */
final class LeaderKill implements Fault
{
    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final BrokerCluster brokers = cluster.brokers();
        final int partition = random.nextInt(topic.partitionCount());
        final int killed = cluster.awaitLeader(topic.name(), partition);
        brokers.broker(killed).kill();
        final int leader = brokers.awaitLeaderOtherThan(topic.name(), partition, killed);
        topic.awaitWritten(500);
        brokers.broker(killed).restart();
        return "broker " + killed + " killed, partition " + partition + " went to broker " + leader;
    }
}
