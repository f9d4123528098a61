// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.harness.tls.EngineTls;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * A server with the JDK's TLS that sends what a test asks for, and lets the test change the bytes on their way. It
 * closes the connection after an error.
 */
final class TlsPeer extends ServerPeer
{
    final EngineTls engine;
    int sendRoom = Integer.MAX_VALUE;
    int lowWaterMark = 1;
    /** The client sends nothing more. */
    boolean isOutputEnded;
    /** What the client sends is read and not answered. */
    boolean isMute;

    TlsPeer(final SSLEngine engine)
    {
        this(new EngineTls(engine));
    }

    TlsPeer(final SSLContext context, final String protocol)
    {
        this(new EngineTls(context, protocol));
    }

    private TlsPeer(final EngineTls engine)
    {
        super(engine);
        this.engine = engine;
    }

    /** Encrypts and adds bytes, in as many records as are needed. */
    void write(final byte[] plaintext) throws SSLException
    {
        final int length = sent.length;
        engine.send(plaintext);
        take();
        if (sent.length == length)
        {
            throw new SSLException("nothing can be sent");
        }
    }

    /** Asks for new keys in TLS 1.3, and for a new handshake in TLS 1.2. */
    void updateKeys()
    {
        engine.updateKeys();
        take();
    }

    /** Announces that nothing more is sent. */
    void closeNotify()
    {
        engine.closeNotify();
        take();
    }

    @Override
    public int send(final ByteBuffer buffer)
    {
        final int limit = buffer.limit();
        final int length = Math.min(Math.min(buffer.remaining(), chunkLength), sendRoom);
        sendRoom -= length;
        buffer.limit(buffer.position() + length);
        if (isMute)
        {
            buffer.position(buffer.limit());
        }
        else
        {
            super.send(buffer);
            isFinished |= engine.isFailed();
        }
        buffer.limit(limit);
        return length;
    }

    @Override
    public void shutdownOutput()
    {
        isOutputEnded = true;
    }

    @Override
    public void receiveLowWaterMark(final int length)
    {
        lowWaterMark = length;
    }
}
