// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;

/** One secured broker for all test classes of a JVM that need it; each class has topics of its own. */
public final class SharedSecuredBroker implements BeforeAllCallback
{
    private static final ExtensionContext.Namespace NAMESPACE =
        ExtensionContext.Namespace.create(SharedSecuredBroker.class);

    private static volatile EmbeddedBroker broker;

    @Override
    public void beforeAll(final ExtensionContext context)
    {
        broker = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE).computeIfAbsent("broker",
            (key) -> EmbeddedBroker.start(new BrokerSettings().secured().set("message.max.bytes", "10000000")),
            EmbeddedBroker.class);
    }

    public static EmbeddedBroker broker()
    {
        return broker;
    }
}
