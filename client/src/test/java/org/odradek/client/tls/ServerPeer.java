// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.support.MemorySocket;
import org.odradek.harness.tls.ServerTls;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A server at the other end of this socket, in memory. It keeps what the client sends, as far as it can. */
class ServerPeer extends MemorySocket
{
    /** What a client must not send to it. */
    static final String SECRET = "canary-password";

    final ServerTls tls;
    /** What could be decrypted. */
    final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final ByteArrayOutputStream encrypted = new ByteArrayOutputStream();
    /** What is on its way to the client. */
    byte[] sent = {};
    /** The most bytes that one call receives. */
    int chunkLength = Integer.MAX_VALUE;
    int calls;
    /** What the server answers arrives only after {@link #release()}. */
    boolean isStepwise;
    boolean isFinished;
    boolean isClosed;
    private boolean isHeld;

    ServerPeer(final ServerTls tls)
    {
        this.tls = tls;
    }

    static ByteBuffer secret()
    {
        final byte[] bytes = SECRET.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** Returns whether the secret has arrived, in plaintext or so that it could be decrypted. */
    boolean hasSecret()
    {
        return encrypted.toString(StandardCharsets.ISO_8859_1).contains(SECRET) ||
            received.toString(StandardCharsets.ISO_8859_1).contains(SECRET);
    }

    @Override
    public int receive(final ByteBuffer buffer)
    {
        calls++;
        final int length = isHeld ? 0 : Math.min(Math.min(sent.length, buffer.remaining()), chunkLength);
        buffer.put(sent, 0, length);
        sent = Arrays.copyOfRange(sent, length, sent.length);
        return length == 0 && isFinished ? END_OF_STREAM : length;
    }

    @Override
    public int send(final ByteBuffer buffer)
    {
        calls++;
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        tls.receive(bytes);
        take();
        isHeld = isStepwise;
        encrypted.writeBytes(bytes);
        received.writeBytes(tls.takePlaintext());
        return bytes.length;
    }

    /** Lets the client receive what is on its way. */
    void release()
    {
        isHeld = false;
    }

    /** Puts on its way what the server has to send. */
    void take()
    {
        inject(tls.takeOutput());
    }

    /** Adds bytes as they are. */
    void inject(final byte... bytes)
    {
        final int length = sent.length;
        sent = Arrays.copyOf(sent, length + bytes.length);
        System.arraycopy(bytes, 0, sent, length, bytes.length);
    }

    @Override
    public boolean isReady()
    {
        return sent.length > 0 || isFinished;
    }

    @Override
    public void close()
    {
        isClosed = true;
    }
}
