// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.odradek.testkit.Await;

import java.util.Random;

/**
 * The handler seeks back by up to 5,000 records, so that what is on its way is stale.
 */
final class SeeksBack implements Fault
{
    private static final int ROUNDS = 10;

    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        int seeks = 0;
        for (int i = 0; i < ROUNDS; i++)
        {
            final int count = 1 + random.nextInt(3);
            topic.reader().seekBack(count);
            Await.until("the seeks to be done", ChaosCluster.LIMIT_MS, topic.reader()::isDone);
            topic.awaitDelivered(100);
            seeks += count;
        }
        return seeks + " seeks";
    }
}
