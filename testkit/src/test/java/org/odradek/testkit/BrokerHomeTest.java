// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.odradek.testkit.internal.FreePorts;

import java.util.HashSet;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BrokerHomeTest
{
    /** More than a block of ports has. */
    private static final int COUNT = 250;

    /** Whoever fails to prepare a cluster closes its brokers, too. */
    @Test
    void shouldGiveItsPortsBackOnce()
    {
        final BrokerHome home = new BrokerHome(1, new BrokerSettings().set("num.io.threads", "many"));
        assertThrows(RuntimeException.class, () -> home.prepare(Uuid.randomUuid().toString(), home.voter(), 1));
        final Set<Integer> given = new HashSet<>();
        while (!given.contains(home.port()))
        {
            given.add(FreePorts.next());
        }

        home.delete();

        for (int i = 0; i < COUNT; i++)
        {
            final int port = FreePorts.next();
            assertTrue(given.add(port), () -> "port " + port + " was given twice");
        }
        given.forEach(FreePorts::release);
    }
}
