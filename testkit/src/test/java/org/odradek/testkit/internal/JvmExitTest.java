// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

class JvmExitTest
{
    @Test
    void shouldCloseTheOtherBrokersWhenOneFailsToClose()
    {
        try (JavaProcess child = JavaProcess.of(Child.class).startingQuickly().start())
        {
            assertEquals(0, child.exitCode(30, TimeUnit.SECONDS), child::outputTail);
        }
    }

    /**
     * Has a broker whose thread keeps the JVM until it is closed, and two that cannot be closed.
     */
    public static final class Child
    {
        private static final CountDownLatch CLOSED = new CountDownLatch(1);

        private Child()
        {
        }

        public static void main(final String[] args)
        {
            JvmExit.addBroker(Child::fail);
            JvmExit.addBroker(CLOSED::countDown);
            JvmExit.addBroker(Child::fail);
            JvmExit.runInBrokerGroup(() -> new Thread(Child::run, "broker").start());
        }

        private static void fail()
        {
            throw new IllegalStateException("no end");
        }

        private static void run()
        {
            try
            {
                CLOSED.await();
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
        }
    }
}
