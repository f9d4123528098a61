// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.odradek.testkit.Await;
import org.odradek.testkit.TcpProxy;
import org.odradek.testkit.TcpProxy.Direction;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests the proxy in front of a peer that answers each request with the 600 bytes of {@link #ANSWER}.
 */
class TcpProxyTest
{
    private static final byte[] REQUEST = {0, 0, 0, 8, 0, 1, 0, 4, 0, 0, 0, 9};
    private static final byte[] ANSWER = numbered(600);
    private static final int NOTHING_COMES_MS = 100;

    private ScriptedPeer peer;
    private TcpProxy proxy;

    @BeforeEach
    void start()
    {
        peer = ScriptedPeer.start((request) -> Answer.raw(ANSWER));
        proxy = TcpProxy.to(TcpProxy.HOST, peer.port());
    }

    @AfterEach
    void close()
    {
        proxy.close();
        peer.close();
    }

    @Test
    void shouldPassAndCountBytesBothWays() throws IOException
    {
        try (Socket socket = connect())
        {
            assertArrayEquals(ANSWER, ask(socket, ANSWER.length));
            assertEquals(REQUEST.length, proxy.byteCount(Direction.TO_SERVER));
            assertEquals(ANSWER.length, proxy.byteCount(Direction.TO_CLIENT));
            assertEquals(1, proxy.connectionCount());
        }
        Await.until("the end of both sides", () -> proxy.connectionCount() == 0 && peer.connectionCount() == 0);
        assertEquals(1, proxy.acceptedCount());
    }

    @Test
    void shouldResetOpenConnections() throws IOException
    {
        try (Socket socket = connect())
        {
            ask(socket, ANSWER.length);

            proxy.cut();

            assertThrows(SocketException.class, () -> socket.getInputStream().read());
        }
        try (Socket next = connect())
        {
            assertArrayEquals(ANSWER, ask(next, ANSWER.length));
        }
    }

    @Test
    void shouldRefuseNewConnectionsOnly() throws IOException
    {
        try (Socket open = connect())
        {
            ask(open, ANSWER.length);

            proxy.refuse();

            assertThrows(ConnectException.class, this::connect);
            assertArrayEquals(ANSWER, ask(open, ANSWER.length));
            proxy.accept();
            connect().close();
        }
    }

    @Test
    void shouldHoldBackTheEndOfAConnectionWhileStalled() throws IOException
    {
        try (Socket socket = connect())
        {
            ask(socket, ANSWER.length);
            proxy.stall(Direction.TO_CLIENT);
            peer.close();
            socket.setSoTimeout(NOTHING_COMES_MS);
            assertThrows(SocketTimeoutException.class, () -> socket.getInputStream().read());

            proxy.resume(Direction.TO_CLIENT);

            socket.setSoTimeout(0);
            assertThrows(SocketException.class, () -> socket.getInputStream().read());
        }
    }

    @Test
    void shouldHoldBackAnswersWhileStalled() throws IOException
    {
        try (Socket socket = connect())
        {
            proxy.stall(Direction.TO_CLIENT);
            socket.setSoTimeout(NOTHING_COMES_MS);
            socket.getOutputStream().write(REQUEST);
            assertThrows(SocketTimeoutException.class, () -> socket.getInputStream().read());
            Await.until("the request", () -> peer.requestCount() == 1);

            proxy.resume(Direction.TO_CLIENT);

            socket.setSoTimeout(0);
            assertArrayEquals(ANSWER, socket.getInputStream().readNBytes(ANSWER.length));
        }
    }

    @Test
    void shouldHoldBackRequestsWhileStalled() throws IOException
    {
        try (Socket socket = connect())
        {
            proxy.stall(Direction.TO_SERVER);
            socket.setSoTimeout(NOTHING_COMES_MS);
            socket.getOutputStream().write(REQUEST);
            assertThrows(SocketTimeoutException.class, () -> socket.getInputStream().read());
            assertEquals(0, peer.requestCount());

            proxy.heal();

            socket.setSoTimeout(0);
            assertArrayEquals(ANSWER, socket.getInputStream().readNBytes(ANSWER.length));
        }
    }

    @Test
    void shouldEndTheStreamAfterExactlySoManyBytes() throws IOException
    {
        try (Socket socket = connect())
        {
            ask(socket, ANSWER.length);
            proxy.cutAfter(ANSWER.length + 7);
            ask(socket, ANSWER.length);

            socket.getOutputStream().write(REQUEST);

            final byte[] cut = socket.getInputStream().readAllBytes();
            assertEquals(7, cut.length);
        }
        try (Socket next = connect())
        {
            assertArrayEquals(ANSWER, ask(next, ANSWER.length));
        }
    }

    @Test
    void shouldRepeatWholeResponsesOnly() throws IOException
    {
        final byte[] response = {0, 0, 0, 2, 7, 8};
        final byte[] twice = {0, 0, 0, 2, 7, 8, 0, 0, 0, 2, 7, 8};
        try (ScriptedPeer kafka = ScriptedPeer.start((request) -> Answer.raw(response));
            Socket socket = connect())
        {
            proxy.repeat(1);

            assertArrayEquals(ANSWER, ask(socket, ANSWER.length));

            proxy.cut();
            proxy.target(TcpProxy.HOST, kafka.port());
            try (Socket repeated = connect())
            {
                assertArrayEquals(twice, ask(repeated, twice.length));
                assertArrayEquals(response, ask(repeated, response.length));
            }
        }
    }

    @Test
    void shouldPassInPieces() throws IOException
    {
        try (Socket socket = connect())
        {
            proxy.pieces(1);
            final byte[] answer = new byte[ANSWER.length];

            // A reader that has had no CPU may receive all pieces at once, so the test tries more than once.
            Await.until("a read that gives a part", () -> askAndReadOnce(socket, answer) < ANSWER.length);

            assertArrayEquals(ANSWER, answer);
        }
    }

    @Test
    void shouldDelayAndThrottle() throws IOException
    {
        try (Socket socket = connect())
        {
            proxy.delay(3_600_000);
            socket.setSoTimeout(NOTHING_COMES_MS);
            socket.getOutputStream().write(REQUEST);
            assertThrows(SocketTimeoutException.class, () -> socket.getInputStream().read());

            proxy.throttle(20_000);
            proxy.delay(Direction.TO_SERVER, 0);
            proxy.delay(Direction.TO_CLIENT, 0);

            socket.setSoTimeout(0);
            assertArrayEquals(ANSWER, socket.getInputStream().readNBytes(ANSWER.length));
            proxy.throttle(1);
            socket.setSoTimeout(NOTHING_COMES_MS);
            socket.getOutputStream().write(REQUEST);
            assertThrows(SocketTimeoutException.class, () -> socket.getInputStream().read());
        }
    }

    @Test
    void shouldResetWhileItHasNoTarget() throws IOException
    {
        try (TcpProxy nowhere = TcpProxy.listen(); Socket socket = new Socket(TcpProxy.HOST, nowhere.port()))
        {
            assertThrows(SocketException.class, () -> socket.getInputStream().read());
        }
    }

    @Test
    void shouldRefuseOnceClosed()
    {
        proxy.close();

        assertThrows(ConnectException.class, this::connect);
        assertThrows(IllegalStateException.class, proxy::accept);
    }

    /** A timeout of a test interrupts its thread, which then closes the proxy. */
    @Test
    void shouldEndItsConnectionsWhenItIsClosedOnAnInterruptedThread() throws IOException
    {
        try (Socket socket = connect())
        {
            ask(socket, ANSWER.length);
            proxy.stall(Direction.TO_CLIENT);
            Thread.currentThread().interrupt();

            proxy.close();

            assertTrue(Thread.interrupted());
            assertEquals(0, proxy.connectionCount());
            assertThrows(SocketException.class, () -> socket.getInputStream().read());
        }
    }

    @Test
    void shouldRefuseNegativeFaults()
    {
        assertThrows(IllegalArgumentException.class, () -> proxy.delay(-1));
        assertThrows(IllegalArgumentException.class, () -> proxy.throttle(-1));
        assertThrows(IllegalArgumentException.class, () -> proxy.cutAfter(-1));
        assertThrows(IllegalArgumentException.class, () -> proxy.pieces(-1));
    }

    private Socket connect() throws IOException
    {
        return new Socket(TcpProxy.HOST, proxy.port());
    }

    private static byte[] ask(final Socket socket, final int answerLength) throws IOException
    {
        socket.getOutputStream().write(REQUEST);
        return socket.getInputStream().readNBytes(answerLength);
    }

    /** Reads the whole answer and returns the length of the first read. */
    private static int askAndReadOnce(final Socket socket, final byte[] answer)
    {
        try
        {
            socket.getOutputStream().write(REQUEST);
            final int firstRead = socket.getInputStream().read(answer);
            socket.getInputStream().readNBytes(answer, firstRead, answer.length - firstRead);
            return firstRead;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static byte[] numbered(final int length)
    {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte) i;
        }
        return bytes;
    }
}
