// SPDX-License-Identifier: Apache-2.0
package org.odradek.oauth;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;

/**
 * Creates the sockets of one request, whose connects and reads end at a deadline. The read timeout of the JDK applies
 * to each read, and does not limit the whole request.
 */
final class DeadlineSocketFactory extends SSLSocketFactory
{
    private final SSLSocketFactory tls;
    private final int timeoutMs;
    private final long startNs = System.nanoTime();

    DeadlineSocketFactory(final SSLSocketFactory tls, final int timeoutMs)
    {
        this.tls = tls;
        this.timeoutMs = timeoutMs;
    }

    private int leftMs() throws SocketTimeoutException
    {
        final long leftMs = timeoutMs - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        if (leftMs <= 0)
        {
            throw late();
        }
        return (int)leftMs;
    }

    private SocketTimeoutException late()
    {
        return new SocketTimeoutException("it is not complete after " + timeoutMs + " ms");
    }

    @Override
    public Socket createSocket()
    {
        return new DeadlineSocket();
    }

    @Override
    public Socket createSocket(final Socket socket, final String host, final int port, final boolean isClosedWithIt)
        throws IOException
    {
        return tls.createSocket(socket, host, port, isClosedWithIt);
    }

    @Override
    public Socket createSocket(final String host, final int port)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(final String host, final int port, final InetAddress local, final int localPort)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(final InetAddress host, final int port)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(final InetAddress host, final int port, final InetAddress local, final int localPort)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public String[] getDefaultCipherSuites()
    {
        return tls.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites()
    {
        return tls.getSupportedCipherSuites();
    }

    private final class DeadlineSocket extends Socket
    {
        @Override
        public void connect(final SocketAddress address, final int ignoredMs) throws IOException
        {
            super.connect(address, leftMs());
        }

        @Override
        public InputStream getInputStream() throws IOException
        {
            return new FilterInputStream(super.getInputStream())
            {
                @Override
                public int read() throws IOException
                {
                    final byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
                }

                @Override
                public int read(final byte[] bytes, final int index, final int length) throws IOException
                {
                    setSoTimeout(leftMs());
                    try
                    {
                        return super.read(bytes, index, length);
                    }
                    catch (final SocketTimeoutException ex)
                    {
                        throw late();
                    }
                }
            };
        }
    }
}
