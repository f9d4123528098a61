// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** One broker for all test classes of a JVM that need it, with a topic for each test. */
public final class SharedBroker implements BeforeAllCallback
{
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(SharedBroker.class);
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static volatile EmbeddedBroker broker;

    @Override
    public void beforeAll(final ExtensionContext context)
    {
        broker = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE).computeIfAbsent("broker",
            (key) -> EmbeddedBroker.start(new BrokerSettings().secured()), EmbeddedBroker.class);
    }

    static EmbeddedBroker broker()
    {
        return broker;
    }

    static String topic(final int partitions)
    {
        final String topic = "published-" + TOPICS.incrementAndGet();
        broker.client().createTopic(topic, partitions, Map.of());
        return topic;
    }
}
