// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Properties;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;

/**
 * The JDK's TLS over the bare loop's socket: what a record is decrypted to goes straight into the buffer of the reader.
 * As all clients it checks the certificate and the host name.
 */
final class BareTls
{
    private static final String CHECK_HOST_NAME = "https";
    private static final int INPUT_LENGTH = 256 * 1024;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel socket;
    private final SSLEngine engine;
    private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT_LENGTH).limit(0);
    private final ByteBuffer output;

    /** Makes the handshake over a socket that is connected and blocks; Kafka's properties name a trust store. */
    BareTls(final SocketChannel socket, final String host, final int port, final Properties connection)
        throws IOException
    {
        this.socket = socket;
        try (DefaultSslEngineFactory factory = new DefaultSslEngineFactory())
        {
            factory.configure(new AdminClientConfig(connection).values());
            engine = factory.createClientSslEngine(host, port, CHECK_HOST_NAME);
        }
        output = ByteBuffer.allocateDirect(engine.getSession().getPacketBufferSize());
        engine.beginHandshake();
        handshake();
        final ByteBuffer none = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
        while (engine.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING)
        {
            if (read(none) < 0)
            {
                throw new EOFException("the broker closed the connection in the handshake");
            }
        }
    }

    /** What the engine wants to do or to send before it goes on; after the handshake as well, for a new key. */
    private void handshake() throws IOException
    {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask())
        {
            task.run();
        }
        if (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP)
        {
            write(NOTHING);
        }
    }

    /** Reads the socket at most once, and decrypts every whole record. */
    int read(final ByteBuffer target) throws IOException
    {
        final int before = target.position();
        boolean isOpen = decrypt(target);
        if (isOpen && target.position() == before)
        {
            final int length = socket.read(input.compact());
            input.flip();
            isOpen = length >= 0 && decrypt(target);
        }
        return isOpen ? target.position() - before : -1;
    }

    /** Decrypts every whole record, and returns whether the broker has not closed the connection. */
    private boolean decrypt(final ByteBuffer target) throws IOException
    {
        SSLEngineResult result = engine.unwrap(input, target);
        while (result.getStatus() == SSLEngineResult.Status.OK)
        {
            if (result.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING)
            {
                handshake();
            }
            result = engine.unwrap(input, target);
        }
        return result.getStatus() != SSLEngineResult.Status.CLOSED;
    }

    void write(final ByteBuffer source) throws IOException
    {
        output.clear();
        engine.wrap(source, output);
        output.flip();
        while (output.hasRemaining())
        {
            socket.write(output);
        }
    }
}
