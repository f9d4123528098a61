// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.nio.ByteBuffer;

/**
 * An engine that takes all that arrives, as records without data, and gives a few bytes of data for each read. Its
 * handshake is done at once or never.
 */
final class SilentTls implements TlsProvider, TlsEngine
{
    private final int bytesOfData;
    private final boolean isDone;

    SilentTls(final int bytesOfData)
    {
        this(bytesOfData, true);
    }

    SilentTls(final int bytesOfData, final boolean isDone)
    {
        this.bytesOfData = bytesOfData;
        this.isDone = isDone;
    }

    @Override
    public TlsEngine newEngine(final String host, final int port)
    {
        return this;
    }

    @Override
    public boolean handshake(final ByteBuffer input, final ByteBuffer output)
    {
        if (!isDone)
        {
            input.position(input.limit());
        }
        return isDone;
    }

    @Override
    public void decrypt(final ByteBuffer input, final ByteBuffer buffer)
    {
        input.position(input.limit());
        buffer.position(buffer.position() + bytesOfData);
    }

    @Override
    public boolean isTls13()
    {
        return true;
    }

    @Override
    public boolean isClosedByPeer()
    {
        return false;
    }

    @Override
    public boolean isCertificateRequested()
    {
        return false;
    }

    @Override
    public int encrypt(final ByteBuffer source, final ByteBuffer output)
    {
        return source.remaining();
    }

    @Override
    public void takeOutput(final ByteBuffer output, final boolean isClosing)
    {
    }

    @Override
    public void free()
    {
    }

    @Override
    public void close()
    {
    }
}
