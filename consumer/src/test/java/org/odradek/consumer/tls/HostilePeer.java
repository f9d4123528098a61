// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.tls;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.testkit.tls.ServerTls;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A hostile server at the other end of this socket, in memory. It keeps what the client sends, as far as it can. */
final class HostilePeer implements PolledSocket
{
    /** What a client must not send to it. */
    static final String SECRET = "canary-password";

    final ServerTls tls;
    final ByteArrayOutputStream received = new ByteArrayOutputStream();
    byte[] sent = {};
    int calls;
    boolean isFinished;
    boolean isClosed;

    HostilePeer(final ServerTls tls)
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
        return received.toString(StandardCharsets.ISO_8859_1).contains(SECRET);
    }

    @Override
    public boolean connect(final InetSocketAddress address)
    {
        return true;
    }

    @Override
    public boolean finishConnect()
    {
        return true;
    }

    @Override
    public int receive(final ByteBuffer buffer)
    {
        calls++;
        final int length = Math.min(sent.length, buffer.remaining());
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
        received.writeBytes(bytes);
        received.writeBytes(tls.takePlaintext());
        return bytes.length;
    }

    /** Puts on its way what the server has to send. */
    void take()
    {
        final byte[] output = tls.takeOutput();
        final int length = sent.length;
        sent = Arrays.copyOf(sent, length + output.length);
        System.arraycopy(output, 0, sent, length, output.length);
    }

    @Override
    public void readInterest(final boolean on)
    {
    }

    @Override
    public void writeInterest(final boolean on)
    {
    }

    @Override
    public void receiveLowWaterMark(final int length)
    {
    }

    @Override
    public boolean isReady()
    {
        return sent.length > 0 || isFinished;
    }

    @Override
    public void clearReady()
    {
    }

    @Override
    public int receiveBufferLength()
    {
        return 0;
    }

    @Override
    public void close()
    {
        isClosed = true;
    }
}
