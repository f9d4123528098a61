// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.client.net.Loopback.IPV4;
import static org.odradek.client.net.Loopback.LONG_NS;

@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
class ManySocketsTest
{
    private static final int COUNT = 1_000;

    private final Poller poller;
    private final PolledSocket[] sockets = new PolledSocket[COUNT];
    private final Socket[] peers = new Socket[COUNT];
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(8);

    ManySocketsTest(final TransportType type)
    {
        poller = Pollers.open(type);
    }

    @BeforeEach
    void connect() throws IOException
    {
        try (Loopback loopback = new Loopback(IPV4, 16))
        {
            for (int i = 0; i < COUNT; i++)
            {
                sockets[i] = poller.openSocket(0, 0);
                peers[i] = loopback.connect(poller, sockets[i]);
                sockets[i].clearReady();
                sockets[i].readInterest(true);
            }
        }
    }

    @AfterEach
    void close() throws IOException
    {
        poller.close();
        for (final Socket peer : peers)
        {
            peer.close();
        }
    }

    @Test
    void shouldSetTheReadyFlagOfEveryReadySocketAndNoOther() throws IOException
    {
        writeToEach(2);
        awaitReady(COUNT / 2);

        assertReadyAndDrain(2);
        assertEquals(0, poller.await(0));
    }

    @Test
    void shouldAllowReadySocketsToBeClosed() throws IOException
    {
        writeToEach(1);
        awaitReady(COUNT);
        for (int i = 0; i < COUNT; i += 2)
        {
            sockets[i].close();
            assertFalse(sockets[i].isReady());
        }

        assertEquals(COUNT / 2, poller.await(LONG_NS));
        for (int i = 1; i < COUNT; i += 2)
        {
            assertEquals(1, sockets[i].receive(buffer.clear()));
        }
        assertEquals(0, poller.await(0));
    }

    @Test
    void shouldReuseIndexesOfClosedSockets() throws IOException
    {
        writeToEach(1);
        awaitReady(COUNT);
        for (int i = 0; i < COUNT; i++)
        {
            sockets[i].close();
            peers[i].close();
        }

        connect();
        assertEquals(0, poller.await(0));
        writeToEach(2);
        awaitReady(COUNT / 2);
        assertReadyAndDrain(2);
    }

    private void writeToEach(final int step) throws IOException
    {
        for (int i = 0; i < COUNT; i += step)
        {
            Loopback.write(peers[i], "a");
        }
    }

    private void awaitReady(final int count)
    {
        while (count != poller.await(LONG_NS))
        {
            Thread.onSpinWait();
        }
    }

    private void assertReadyAndDrain(final int step) throws IOException
    {
        for (int i = 0; i < COUNT; i++)
        {
            if (0 == i % step)
            {
                assertTrue(sockets[i].isReady());
                assertEquals(1, sockets[i].receive(buffer.clear()));
            }
            else
            {
                assertFalse(sockets[i].isReady());
            }
        }
    }
}
