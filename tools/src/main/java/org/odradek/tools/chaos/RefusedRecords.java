// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.odradek.testkit.Await;

import java.util.Random;

/**
 * The handler refuses records (ABORT), so that the next poll must bring the same ones again.
 */
final class RefusedRecords implements Fault
{
    private static final int ROUNDS = 10;

    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++)
        {
            final int count = 1 + random.nextInt(50);
            topic.reader().refuse(count);
            Await.until("the refusals to be done", ChaosCluster.LIMIT_MS, topic.reader()::isDone);
            topic.awaitDelivered(50);
            refused += count;
        }
        return refused + " refusals";
    }
}
