// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.Random;

/**
 * All links are slow: every portion is late, comes in small pieces, or at a low rate.
 */
final class NetworkDelay implements Fault
{
    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final String done = cluster.slowLinks(random);
        topic.awaitDelivered(2_000);
        return done;
    }
}
