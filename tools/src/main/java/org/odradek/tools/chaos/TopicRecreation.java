// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.odradek.testkit.Await;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A topic beside the judged one is deleted under its consumer and created anew, with other records. The consumer must
 * say so and deliver none of them: their offsets mean something else.
 */
final class TopicRecreation implements Fault
{
    private static final int MOST_RECORDS = 2_000;
    private static final int POLLS_AFTER = 100;

    private final AtomicInteger count = new AtomicInteger();

    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final String name = topic.name() + "-anew-" + count.incrementAndGet();
        final int before = 1 + random.nextInt(MOST_RECORDS);
        final int after = 1 + random.nextInt(2 * MOST_RECORDS);
        cluster.brokers().createTopic(name, 1, Map.of());
        final ChaosLedger ledger;
        try (SideTopic side = new SideTopic(cluster, name, ChaosTopic.readerContext(cluster, name), false))
        {
            ledger = side.ledger();
            side.write(before);
            side.awaitNext(before);
            cluster.brokers().deleteTopic(name);
            cluster.brokers().createTopic(name, 1, Map.of());
            side.write(after);
            Await.until("the consumer to stop at the new " + name, ChaosCluster.LIMIT_MS,
                () -> ledger.stoppedCount() > 0);
            for (int i = 0; i < POLLS_AFTER; i++)
            {
                side.reader().perform((consumer) -> {});
            }
        }
        if (ledger.deliveries() != before)
        {
            topic.ledger().onError(ledger.deliveries() + " records were delivered of " + name + ", which held " +
                before + " before it was created anew");
            topic.ledger().partition(0).onFalseEvent();
        }
        cluster.brokers().deleteTopic(name);
        return name + " created anew, its consumer stopped after " + before + " records";
    }
}
