// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A listening socket on a loopback address, and methods that exchange text with it.
 */
final class Loopback implements AutoCloseable
{
    static final String IPV4 = "127.0.0.1";
    static final String IPV6 = "::1";
    static final long LONG_NS = 20_000_000_000L;

    private final ServerSocket server;

    Loopback(final String literal, final int backlog) throws IOException
    {
        server = new ServerSocket(0, backlog, InetAddress.getByName(literal));
    }

    InetSocketAddress address()
    {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    Socket connect(final Poller poller, final PolledSocket socket) throws IOException
    {
        boolean isConnected = socket.connect(address());
        while (!isConnected)
        {
            poller.await(LONG_NS);
            isConnected = socket.finishConnect();
        }
        return accept();
    }

    Socket accept() throws IOException
    {
        final Socket peer = server.accept();
        peer.setTcpNoDelay(true);
        return peer;
    }

    /** Makes the peer close with a reset. */
    static void reset(final Socket peer) throws IOException
    {
        peer.setSoLinger(true, 0);
        peer.close();
    }

    static void write(final Socket peer, final String text) throws IOException
    {
        peer.getOutputStream().write(text.getBytes(US_ASCII));
    }

    static String read(final Socket peer, final int length) throws IOException
    {
        return new String(peer.getInputStream().readNBytes(length), US_ASCII);
    }

    static ByteBuffer buffer(final String text)
    {
        return ByteBuffer.allocateDirect(text.length()).put(text.getBytes(US_ASCII)).flip();
    }

    static void send(final PolledSocket socket, final String text) throws IOException
    {
        assertEquals(text.length(), socket.send(buffer(text)));
    }

    /** Waits until that many bytes have arrived. */
    static String receive(final Poller poller, final PolledSocket socket, final int length) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(length);
        while (buffer.hasRemaining())
        {
            poller.await(LONG_NS);
            assertEquals(false, socket.isReady() && PolledSocket.END_OF_STREAM == socket.receive(buffer));
        }
        return US_ASCII.decode(buffer.flip()).toString();
    }

    @Override
    public void close() throws IOException
    {
        server.close();
    }
}
