// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.internal.ThreadUsage;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.client.net.Loopback.IPV4;
import static org.odradek.client.net.Loopback.LONG_NS;

@Tag("zero-allocation")
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
class TransportAllocationTest
{
    /** Makes file descriptors exceed the numbers that the JDK caches boxes of unless AutoBoxCacheMax is set. */
    private static final int OPEN_FILES = 200;
    private static final int MESSAGE_LENGTH = 64;
    private static final int ROUNDS = 50_000;
    private static final int PASSES = 4;
    private static final long LONG_WAIT_NS = 2_000_000;
    private static final long SHORT_WAIT_NS = 100_000;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(MESSAGE_LENGTH);
    private final TransportType type;
    private final Poller poller;
    private final List<FileInputStream> openFiles = new ArrayList<>();
    private PolledSocket socket;
    private Loopback loopback;
    private Socket peer;
    private byte[] planted;

    /** One round of the measured calls. */
    private interface Round
    {
        void run() throws IOException;
    }

    TransportAllocationTest(final TransportType type)
    {
        this.type = type;
        poller = Pollers.open(type);
    }

    @BeforeEach
    void connect() throws IOException
    {
        for (int i = 0; i < OPEN_FILES; i++)
        {
            openFiles.add(new FileInputStream("pom.xml"));
        }
        loopback = new Loopback(IPV4, 1);
        socket = poller.openSocket(0, 0);
        peer = loopback.connect(poller, socket);
        socket.readInterest(true);
    }

    /** The allocations that the JDK makes in the first wait belong to the time when a poller is opened. */
    @Test
    void shouldAllocateNothingInTheFirstWaits()
    {
        final Poller opened = Pollers.open(type);
        try
        {
            final long thread = Thread.currentThread().getId();
            ThreadUsage.allocatedBytes(thread);
            final long before = ThreadUsage.allocatedBytes(thread);
            opened.await(0);
            opened.await(LONG_WAIT_NS);
            opened.await(SHORT_WAIT_NS);
            opened.wakeup();
            opened.await(LONG_WAIT_NS);

            assertEquals(0, ThreadUsage.allocatedBytes(thread) - before);
        }
        finally
        {
            opened.close();
        }
    }

    @AfterEach
    void close() throws IOException
    {
        poller.close();
        peer.close();
        loopback.close();
        for (final FileInputStream file : openFiles)
        {
            file.close();
        }
    }

    @Test
    void shouldNotAllocateWhenPolling() throws IOException
    {
        assertEquals(0, allocated(this::pollSocket, ROUNDS));
    }

    private void pollSocket() throws IOException
    {
        poller.await(0);
        if (socket.isReady())
        {
            socket.clearReady();
        }
        socket.receive(buffer.clear());
    }

    @Test
    void shouldNotAllocateWhenWaitingMicroseconds() throws IOException
    {
        assertEquals(0, allocated(() -> poller.await(5_000), 10_000));
    }

    @Test
    void shouldNotAllocateWhenWaitingMilliseconds() throws IOException
    {
        assertEquals(0, allocated(() -> poller.await(1_050_000), 500));
    }

    @Test
    void shouldNotAllocateWhenWoken() throws IOException
    {
        assertEquals(0, allocated(() ->
        {
            poller.wakeup();
            poller.await(LONG_NS);
        }, ROUNDS));
    }

    @Test
    void shouldNotAllocateWhenInterestChanges() throws IOException
    {
        Loopback.write(peer, "unread");
        assertEquals(0, allocated(() ->
        {
            socket.readInterest(false);
            poller.await(0);
            socket.readInterest(true);
            poller.await(LONG_NS);
        }, ROUNDS));
    }

    @Test
    void shouldNotAllocateWhenInterestChangesWithoutAWait() throws IOException
    {
        assertEquals(0, allocated(() ->
        {
            socket.readInterest(false);
            socket.readInterest(true);
        }, ROUNDS));
    }

    @Test
    void shouldNotAllocateWhenWaitingToWrite() throws IOException
    {
        assertEquals(0, allocated(() ->
        {
            socket.writeInterest(true);
            poller.await(LONG_NS);
            socket.writeInterest(false);
            poller.await(0);
        }, ROUNDS));
    }

    @Test
    void shouldNotAllocateWithTraffic() throws Exception
    {
        final Thread echo = new Thread(this::echo);
        echo.start();
        try
        {
            assertEquals(0, allocated(this::exchange, ROUNDS));
        }
        finally
        {
            socket.close();
            echo.join();
        }
    }

    private void exchange() throws IOException
    {
        assertEquals(MESSAGE_LENGTH, socket.send(buffer.clear()));
        buffer.clear();
        do
        {
            poller.await(LONG_NS);
            while (socket.isReady() && buffer.hasRemaining())
            {
                assertTrue(socket.receive(buffer) >= 0);
            }
        }
        while (buffer.hasRemaining());
    }

    private void echo()
    {
        final byte[] message = new byte[MESSAGE_LENGTH];
        try
        {
            final InputStream in = peer.getInputStream();
            while (MESSAGE_LENGTH == in.readNBytes(message, 0, MESSAGE_LENGTH))
            {
                peer.getOutputStream().write(message);
            }
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }
    }

    @Test
    void shouldDetectPlantedAllocation() throws IOException
    {
        assertTrue(allocated(() -> planted = new byte[0], 1) >= 16);
        assertEquals(0, planted.length);
    }

    private static long allocated(final Round round, final int rounds)
    {
        return new AllocationMeter().leastBytes(PASSES, () -> run(round, rounds));
    }

    private static void run(final Round round, final int rounds)
    {
        try
        {
            for (int i = 0; i < rounds; i++)
            {
                round.run();
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
