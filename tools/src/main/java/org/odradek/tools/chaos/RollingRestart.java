// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.Random;

/**
 * Each broker is stopped in good order and started again, one after the other, as in an upgrade.
 */
final class RollingRestart implements Fault
{
    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final int first = random.nextInt(ChaosCluster.BROKER_COUNT);
        for (int i = 0; i < ChaosCluster.BROKER_COUNT; i++)
        {
            final int id = 1 + (first + i) % ChaosCluster.BROKER_COUNT;
            cluster.awaitInSync(topic.name(), topic.partitionCount());
            cluster.brokers().broker(id).restart();
        }
        return "all brokers restarted, broker " + (first + 1) + " first";
    }
}
