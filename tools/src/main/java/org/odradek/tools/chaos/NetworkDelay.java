/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.tools.chaos;

import org.odradek.testkit.TcpProxy;

import java.util.Random;

/**
 * All links are slow: every portion is late, comes in small pieces, or at a low rate.
 */
final class NetworkDelay implements Fault
{
    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final int delayMs = 1 + random.nextInt(50);
        final int pieceLength = 1 + random.nextInt(8_000);
        for (int id = 1; id <= ChaosCluster.BROKER_COUNT; id++)
        {
            final TcpProxy proxy = cluster.proxy(id);
            proxy.delay(delayMs);
            proxy.pieces(random.nextBoolean() ? 0 : pieceLength);
            proxy.throttle(random.nextInt(4) == 0 ? 200_000 : 0);
        }
        topic.awaitDelivered(2_000);
        return "links late by " + delayMs + " ms, pieces of " + pieceLength + " bytes";
    }
}
