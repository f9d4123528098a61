// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;

import java.util.Map;

/** One secured broker for all test classes of a JVM that need it; members of groups send heartbeats often. */
final class SharedBroker implements BeforeAllCallback
{
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(SharedBroker.class);

    private static volatile EmbeddedBroker broker;

    @Override
    public void beforeAll(final ExtensionContext context)
    {
        broker = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
            .computeIfAbsent("broker", (key) -> start(), EmbeddedBroker.class);
    }

    private static EmbeddedBroker start()
    {
        return EmbeddedBroker.start(new BrokerSettings().secured().set(Map.of(
            "group.consumer.min.heartbeat.interval.ms", "100", "group.consumer.heartbeat.interval.ms", "200")));
    }

    static EmbeddedBroker broker()
    {
        return broker;
    }
}
