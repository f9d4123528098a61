// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.odradek.client.TransportType;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests a publisher on a virtual thread. */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "There are no virtual threads before Java 21.")
@EnabledOnOs(OS.LINUX)
@Tag("smoke")
class VirtualThreadsTest
{
    private static <T> T onVirtualThread(final Callable<T> callable) throws Exception
    {
        final FutureTask<T> task = new FutureTask<>(callable);
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        return task.get();
    }

    @Test
    void shouldWaitWithTheSelector() throws Exception
    {
        try (ProducingBroker broker = ProducingBroker.start(1))
        {
            final String description = onVirtualThread(() ->
            {
                try (Publishing client = Publishing.start(broker))
                {
                    assertEquals(1, client.tryOffer(0, "a"));
                    client.acknowledge();
                    return client.publisher.describe();
                }
            });

            assertTrue(description.startsWith("transport nio: epoll would hold the carrier of a virtual thread"),
                description);
        }
    }

    @Test
    void shouldRefuseEpollThatIsRequested() throws Exception
    {
        try (ProducingBroker broker = ProducingBroker.start(1))
        {
            final Exception refusal = onVirtualThread(() ->
            {
                try (Publishing client =
                    new Publishing(Publishing.context(broker.address()).transport(TransportType.EPOLL)))
                {
                    return assertThrows(IllegalStateException.class, client.publisher::doWork);
                }
            });

            assertTrue(refusal.getMessage().startsWith("The transport EPOLL would hold the carrier"),
                refusal.getMessage());
        }
    }
}
