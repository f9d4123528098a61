// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.LockSupport;

/** Opens, closes and resets sockets, and writes bytes in pieces. */
public final class Sockets
{
    /** The IP address on which the testkit listens by default. */
    public static final String HOST = "127.0.0.1";
    /** The piece length with which all bytes are written at once. */
    public static final int WHOLE = 0;
    public static final int BACKLOG = 256;
    private static final long PAUSE_NS = 20_000;
    private static final int MAX_PAUSES = 500;

    private Sockets()
    {
    }

    /** Returns a socket that listens on a port, which can be reused immediately after the socket is closed. */
    public static ServerSocket listen(final int port) throws IOException
    {
        final ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getByName(HOST), port), BACKLOG);
        return socket;
    }

    /** Returns host:port, with an IPv6 address in brackets. */
    public static String hostAndPort(final String host, final int port)
    {
        return (host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]") + ":" + port;
    }

    public static void reset(final Socket socket)
    {
        try
        {
            socket.setSoLinger(true, 0);
        }
        catch (final IOException ex)
        {
            // The socket is closed already, or its peer has reset it: some systems then refuse the option.
        }
        close(socket);
    }

    public static void close(final Socket socket)
    {
        try
        {
            socket.close();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException("A socket could not be closed: " + ex.getMessage(), ex);
        }
    }

    /**
     * Writes bytes in pieces, with at most 500 pauses between pieces, so that the other side can receive the pieces one
     * by one.
     */
    public static void write(
        final OutputStream output, final byte[] bytes, final int index, final int length, final int pieceLength)
        throws IOException
    {
        final int step = pieceLength == WHOLE ? Math.max(1, length) : pieceLength;
        int pauses = MAX_PAUSES;
        for (int done = 0; done < length; done += step)
        {
            output.write(bytes, index + done, Math.min(step, length - done));
            if (done + step < length && pauses-- > 0)
            {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }
}
