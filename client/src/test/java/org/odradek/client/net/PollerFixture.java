// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.PollerUser;
import org.odradek.client.TransportType;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.client.net.Loopback.IPV4;

/** A poller with a socket that is connected to a peer. */
abstract class PollerFixture
{
    final Poller poller;
    PolledSocket socket;
    Loopback loopback;
    Socket peer;

    PollerFixture(final TransportType type)
    {
        poller = Pollers.open(type);
    }

    @BeforeEach
    void connect() throws IOException
    {
        loopback = new Loopback(IPV4, 1);
        socket = poller.openSocket(0, 0);
        peer = loopback.connect(poller, socket);
        socket.clearReady();
    }

    @AfterEach
    void close() throws IOException
    {
        Thread.interrupted();
        poller.close();
        peer.close();
        loopback.close();
    }

    /**
     * Checks that a wait lasts its whole time and uses little CPU time, as one does that does not spin.
     *
     * @param user    that waits, or null for a wait for all.
     * @param isAlone whether it waits alone.
     */
    final void assertSleeps(final PollerUser user, final boolean isAlone)
    {
        final long waitNs = 300_000_000;
        final long startNs = System.nanoTime();
        final long startCpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        assertEquals(0, poller.await(waitNs, user, isAlone));
        final long waitedNs = System.nanoTime() - startNs;
        assertTrue(waitedNs >= waitNs, () -> "waited " + waitedNs + " of " + waitNs + " ns");
        final long cpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - startCpuNs;
        assertTrue(cpuNs < waitNs / 3, () -> "used " + cpuNs + " ns of CPU time");
    }
}
