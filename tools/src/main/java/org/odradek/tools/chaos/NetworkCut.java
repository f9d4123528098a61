// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.odradek.testkit.Await;
import org.odradek.testkit.TcpProxy;

import java.util.Random;

/**
 * Connections of our consumer end in the middle of a frame, are reset, or are refused for a while.
 */
final class NetworkCut implements Fault
{
    private static final int ROUNDS = 5;

    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        int cuts = 0;
        for (int i = 0; i < ROUNDS; i++)
        {
            final TcpProxy proxy = cluster.proxy(1 + random.nextInt(ChaosCluster.BROKER_COUNT));
            switch (random.nextInt(3))
            {
                case 0:
                    proxy.cutAfter(1 + random.nextInt(100_000));
                    break;

                case 1:
                    cuts += proxy.connectionCount();
                    proxy.cut();
                    break;

                default:
                    proxy.refuse();
                    cuts += proxy.connectionCount();
                    proxy.cut();
                    topic.awaitWritten(200 + random.nextInt(500));
                    proxy.accept();
            }
            topic.awaitWritten(200);
        }
        Await.until("a connection to cut", ChaosCluster.LIMIT_MS, () -> cluster.connectionCount() > 0);
        cuts += cluster.connectionCount();
        for (int id = 1; id <= ChaosCluster.BROKER_COUNT; id++)
        {
            cluster.proxy(id).cut();
        }
        return cuts + " connections cut";
    }
}
