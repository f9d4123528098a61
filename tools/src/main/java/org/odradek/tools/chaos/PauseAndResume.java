// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Some partitions are paused while they are written to, and resumed, several times.
 */
final class PauseAndResume implements Fault
{
    private static final int ROUNDS = 5;

    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        int paused = 0;
        for (int i = 0; i < ROUNDS; i++)
        {
            final List<Integer> partitions = new ArrayList<>();
            for (int p = 0; p < topic.partitionCount(); p++)
            {
                if (random.nextBoolean())
                {
                    partitions.add(p);
                }
            }
            paused += partitions.size();
            topic.reader().perform((consumer) -> partitions.forEach(consumer::pause));
            topic.awaitWritten(100 + random.nextInt(1_000));
            topic.reader().perform((consumer) -> partitions.forEach(consumer::resume));
            topic.awaitDelivered(100);
        }
        return paused + " pauses";
    }
}
