// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.testkit.Await;
import org.odradek.testkit.internal.Sockets;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ScriptedPeerTest
{
    private static final short API_KEY = 18;
    private static final short API_VERSION = 3;
    private static final int CORRELATION_ID = 0xC0FFEE;

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 4096})
    void shouldReplyInPieces(final int pieceLength) throws IOException
    {
        final byte[] body = new byte[10_000];
        body[9_999] = 42;
        try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.reply(body).inPieces(pieceLength));
            Socket socket = connect(peer))
        {
            ask(socket);
            final DataInputStream input = new DataInputStream(socket.getInputStream());

            assertEquals(Integer.BYTES + body.length, input.readInt());
            assertEquals(CORRELATION_ID, input.readInt());
            assertArrayEquals(body, input.readNBytes(body.length));
        }
    }

    @Test
    void shouldLetTheReaderSeePieces() throws IOException
    {
        try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.raw(new byte[400]).inPieces(1));
            Socket socket = connect(peer))
        {
            final InputStream input = socket.getInputStream();
            int firstRead = 400;

            // A reader that has had no CPU may receive all pieces at once, so the test tries more than once.
            for (int i = 0; i < 100 && firstRead == 400; i++)
            {
                ask(socket);
                firstRead = input.read(new byte[400]);
                input.readNBytes(400 - firstRead);
            }

            assertTrue(firstRead < 400, "all bytes at once");
        }
    }

    @Test
    void shouldKeepAndCountRequestsOfSeveralConnections() throws IOException
    {
        try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.reply(new byte[0]));
            Socket first = connect(peer);
            Socket second = connect(peer))
        {
            ask(first);
            first.getInputStream().readNBytes(8);
            ask(second);
            second.getInputStream().readNBytes(8);

            assertEquals(2, peer.requestCount());
            assertEquals(2, peer.requestCount(API_KEY));
            assertEquals(0, peer.requestCount(API_KEY + 1));
            assertEquals(2, peer.acceptedCount());
            final RequestFrame request = peer.requests().get(1);
            assertEquals(1, request.connection());
            assertEquals(API_KEY, request.apiKey());
            assertEquals(API_VERSION, request.apiVersion());
            assertEquals(CORRELATION_ID, request.correlationId());
            assertArrayEquals(new byte[]{0, 18, 0, 3, 0, (byte) 0xC0, (byte) 0xFF, (byte) 0xEE, 5},
                request.payload());
        }
    }

    @Test
    void shouldSendWhatIsNoFrame() throws IOException
    {
        final byte[] lie = {0x7F, 0, 0, 0, 1};
        try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.raw(lie).afterMs(5).thenClose());
            Socket socket = connect(peer))
        {
            ask(socket);

            assertArrayEquals(lie, socket.getInputStream().readAllBytes());
        }
    }

    @Test
    void shouldAnswerUnderAWrongCorrelationId() throws IOException
    {
        try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.frame(new byte[]{0, 0, 0, 1}).thenClose());
            Socket socket = connect(peer))
        {
            ask(socket);

            assertArrayEquals(new byte[]{0, 0, 0, 4, 0, 0, 0, 1}, socket.getInputStream().readAllBytes());
        }
    }

    @Test
    void shouldFollowANewScriptAfterAnAnswerThatNeverComes() throws IOException
    {
        try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.never()); Socket socket = connect(peer))
        {
            ask(socket);
            Await.until("the first request", () -> peer.requestCount() == 1);
            peer.script((request) -> Answer.close());
            ask(socket);

            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @Test
    void shouldReset() throws IOException
    {
        try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.reset()); Socket socket = connect(peer))
        {
            ask(socket);

            assertThrows(SocketException.class, () -> socket.getInputStream().read());
            Await.until("the end of the connection", () -> peer.connectionCount() == 0);
        }
    }

    @Test
    void shouldEndLateAnswersWithThePeer() throws IOException
    {
        final ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.reply(new byte[1]).afterMs(3_600_000));
        try (Socket socket = connect(peer))
        {
            ask(socket);
            Await.until("the request", () -> peer.requestCount() == 1);

            peer.close();

            assertFalse(hasAnswer(socket));
        }
    }

    @Test
    void shouldThrowOnCloseWhatAScriptHasThrown() throws IOException
    {
        final ScriptedPeer peer = ScriptedPeer.start((request) ->
        {
            throw new IllegalStateException("unexpected " + request);
        });
        try (Socket socket = connect(peer))
        {
            ask(socket);
            assertEquals(-1, socket.getInputStream().read());
        }

        final AssertionError failure = assertThrows(AssertionError.class, peer::close);

        assertTrue(failure.getMessage().contains("unexpected request of api 18 v3"), failure::getMessage);
    }

    @Test
    void shouldThrowOnCloseThatARequestWasNoFrame() throws IOException
    {
        final ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.never());
        try (Socket socket = connect(peer))
        {
            socket.getOutputStream().write(new byte[]{-1, -1, -1, -1});
            assertEquals(-1, socket.getInputStream().read());
        }

        assertNotNull(assertThrows(AssertionError.class, peer::close).getCause());
    }

    private static boolean hasAnswer(final Socket socket)
    {
        try
        {
            return socket.getInputStream().read() >= 0;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    private static Socket connect(final ScriptedPeer peer) throws IOException
    {
        return new Socket(Sockets.HOST, peer.port());
    }

    private static void ask(final Socket socket) throws IOException
    {
        final DataOutputStream output = new DataOutputStream(socket.getOutputStream());
        output.writeInt(9);
        output.writeShort(API_KEY);
        output.writeShort(API_VERSION);
        output.writeInt(CORRELATION_ID);
        output.writeByte(5);
    }
}
