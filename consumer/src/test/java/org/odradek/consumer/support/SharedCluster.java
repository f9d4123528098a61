// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.odradek.testkit.BrokerCluster;
import org.odradek.testkit.BrokerSettings;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One cluster of three brokers, each in its own rack, for a test class and the classes in it. A broker that a failed
 * test has left stopped is restarted before the next test.
 */
public final class SharedCluster implements BeforeAllCallback
{
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(SharedCluster.class);

    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static volatile BrokerCluster cluster;

    @Override
    public void beforeAll(final ExtensionContext context)
    {
        cluster = context.getStore(NAMESPACE).computeIfAbsent("cluster",
            (key) -> BrokerCluster.start(List.of(inRack(1), inRack(2), inRack(3))), BrokerCluster.class);
    }

    public static BrokerCluster cluster()
    {
        for (int id = 1; id <= cluster.brokerCount(); id++)
        {
            if (!cluster.broker(id).isRunning())
            {
                cluster.broker(id).restart();
            }
        }
        return cluster;
    }

    /** Returns a name that no topic of this cluster has. */
    public static String newTopic()
    {
        return "topic-" + TOPICS.incrementAndGet();
    }

    private static BrokerSettings inRack(final int broker)
    {
        return new BrokerSettings().set("broker.rack", "rack " + broker)
            .set("replica.selector.class", "org.apache.kafka.common.replica.RackAwareReplicaSelector");
    }
}
