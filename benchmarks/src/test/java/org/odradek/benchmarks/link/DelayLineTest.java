// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.testkit.internal.Sockets;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DelayLineTest
{
    private static final int ROUND_TRIP_MS = 20;

    private ServerSocket server;
    private DelayLine line;
    private Socket client;
    private Socket accepted;

    @BeforeEach
    void listen() throws IOException
    {
        server = new ServerSocket(0, 1, InetAddress.getByName(Sockets.HOST));
    }

    private void open(final int roundTripMs, final int window) throws IOException
    {
        line = new DelayLine(window);
        line.target(server.getLocalPort());
        line.set(new LinkConditions(roundTripMs, 0, 0, ""));
        client = new Socket(Sockets.HOST, line.port());
        accepted = server.accept();
    }

    @AfterEach
    void close() throws IOException
    {
        client.close();
        accepted.close();
        line.close();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {DelayLine.WINDOW, DelayRing.NO_WINDOW})
    void shouldPassBytesAndTheirEndInBothDirections(final int window) throws Exception
    {
        open(1, window);
        final byte[] sent = new byte[3 * DelayLine.WINDOW];
        new Random(1).nextBytes(sent);
        final CompletableFuture<Void> echo = CompletableFuture.runAsync(this::echo);

        final CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(this::readClient);
        client.getOutputStream().write(sent);
        client.shutdownOutput();

        assertArrayEquals(sent, received.get());
        echo.get();
    }

    @Test
    void shouldHoldBytesBackForHalfOfARoundTrip() throws Exception
    {
        open(ROUND_TRIP_MS, DelayLine.WINDOW);
        final long startNs = System.nanoTime();
        client.getOutputStream().write(1);

        assertEquals(1, accepted.getInputStream().read());
        assertTrue(System.nanoTime() - startNs >= ROUND_TRIP_MS * 1_000_000L / 2 - 100_000);
    }

    private void echo()
    {
        try
        {
            accepted.getInputStream().transferTo(accepted.getOutputStream());
            accepted.shutdownOutput();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private byte[] readClient()
    {
        try (InputStream input = client.getInputStream())
        {
            return input.readAllBytes();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
