// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.odradek.testkit.Await;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The handler takes its time, for each of many records or very long for one.
 */
final class SlowHandler implements Fault
{
    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final boolean isLong = random.nextInt(4) == 0;
        final int count = isLong ? 1 : 100 + random.nextInt(400);
        final long eachMs = isLong ? 6_000 : 1 + random.nextInt(5);
        topic.reader().handleSlowly(count, TimeUnit.MILLISECONDS.toNanos(eachMs));
        Await.until("the slow handler to be done", ChaosCluster.LIMIT_MS, topic.reader()::isDone);
        return count + " records took " + eachMs + " ms each";
    }
}
