// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.odradek.testkit.TcpProxy;
import org.odradek.testkit.TcpProxy.Direction;

import java.util.Random;

/**
 * A broker's bytes, or those to it, stay on the way while its connections stand; now and then longer than a request may
 * take.
 */
final class NetworkStall implements Fault
{
    private static final int MOST_RECORDS = 4_000;

    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final int id = 1 + random.nextInt(ChaosCluster.BROKER_COUNT);
        final TcpProxy proxy = cluster.proxy(id);
        final Direction direction = random.nextBoolean() ? Direction.TO_CLIENT : Direction.TO_SERVER;
        final int count = 500 + random.nextInt(MOST_RECORDS);
        proxy.stall(direction);
        topic.awaitWritten(count);
        proxy.resume(direction);
        return "broker " + id + " unheard (" + direction + ") while " + count + " records were written";
    }
}
