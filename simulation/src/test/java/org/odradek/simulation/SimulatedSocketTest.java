// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.odradek.client.PolledSocket;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SimulatedSocketTest
{
    private static final long SECOND_NS = 1_000_000_000L;
    /** ApiVersions, version 0, correlation id 7, no client id; with the length field. */
    private static final byte[] REQUEST = {0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 7, -1, -1};

    private World world;
    private Host host;
    private PolledSocket socket;

    @BeforeEach
    void setUp() throws IOException
    {
        final Set<String> allFaults = Set.of(Stream.of(FaultKind.values()).map(Enum::name).toArray(String[]::new));
        world = new World(new RunSettings(1, 1, LoadProfile.LOW, allFaults), null);
        host = world.network.hosts().get(0);
        socket = world.poller.openSocket(0, 0);
        assertFalse(socket.connect(new InetSocketAddress(host.address, host.port)));
    }

    private void connect() throws IOException
    {
        assertEquals(1, world.poller.await(SECOND_NS));
        assertTrue(socket.finishConnect());
        socket.readInterest(true);
    }

    private void send() throws IOException
    {
        final ByteBuffer request = ByteBuffer.wrap(REQUEST);
        while (request.hasRemaining())
        {
            socket.send(request);
            world.poller.await(1_000_000);
        }
    }

    @Test
    void shouldReceiveTheResponseOfTheBroker() throws IOException
    {
        connect();
        send();

        final ByteBuffer response = ByteBuffer.allocate(1_000);
        while (response.position() < Long.BYTES || response.position() < Integer.BYTES + response.getInt(0))
        {
            assertEquals(1, world.poller.await(SECOND_NS));
            socket.receive(response);
        }

        assertEquals(7, response.getInt(Integer.BYTES));
        assertEquals(PolledSocket.NOTHING, socket.receive(response));
        assertEquals(0, world.poller.await(SECOND_NS));
    }

    @Test
    void shouldBeReadyOnlyFromTheLowWaterMarkOn() throws IOException
    {
        connect();
        socket.receiveLowWaterMark(1_000_000);
        send();

        // The oracle for wake-ups finds that the whole response is not reported.
        assertThrows(SimulationFailure.class, () -> world.poller.await(SECOND_NS));
        socket.receiveLowWaterMark(1);
        assertEquals(1, world.poller.await(SECOND_NS));
        socket.readInterest(false);
        assertEquals(0, world.poller.await(SECOND_NS));
    }

    @Test
    void shouldLetTimePassExactlyWhenNothingHappens() throws IOException
    {
        connect();
        final long startNs = world.clock.nanoTime();

        assertEquals(0, world.poller.await(SECOND_NS));

        final long elapsedNs = world.clock.nanoTime() - startNs;
        assertTrue(elapsedNs >= SECOND_NS && elapsedNs < SECOND_NS + 1_000_000, () -> "elapsed " + elapsedNs);
    }

    @Test
    void shouldReportAResetAndTheEndOfTheStream() throws IOException
    {
        connect();
        world.network.reset(host);
        assertEquals(1, world.poller.await(SECOND_NS));
        assertThrows(IOException.class, () -> socket.receive(ByteBuffer.allocate(1)));
        socket.close();

        socket = world.poller.openSocket(0, 0);
        socket.connect(new InetSocketAddress(host.address, host.port));
        connect();
        world.network.finish(host);
        assertEquals(1, world.poller.await(SECOND_NS));
        assertEquals(PolledSocket.END_OF_STREAM, socket.receive(ByteBuffer.allocate(1)));
    }

    @Test
    void shouldReceiveTheResponseAndTheEndAfterTheEndOfWhatItSends() throws IOException
    {
        connect();
        send();
        socket.shutdownOutput();

        final ByteBuffer response = ByteBuffer.allocate(1_000);
        int bytes = 0;
        while (bytes != PolledSocket.END_OF_STREAM)
        {
            assertEquals(1, world.poller.await(SECOND_NS));
            bytes = socket.receive(response);
        }
        assertEquals(7, response.getInt(Integer.BYTES));
    }

    @Test
    void shouldRefuseConnectsWhileTheBrokerIsDown()
    {
        host.isUp = false;

        assertEquals(1, world.poller.await(SECOND_NS));
        assertThrows(ConnectException.class, () -> socket.finishConnect());
    }

    @Test
    void shouldLoseEveryByteOfAHalfOpenConnection() throws IOException
    {
        connect();
        world.network.lose(host);
        send();

        assertEquals(0, world.poller.await(100 * SECOND_NS));
        assertEquals(PolledSocket.NOTHING, socket.receive(ByteBuffer.wrap(Arrays.copyOf(REQUEST, 1))));
    }
}
