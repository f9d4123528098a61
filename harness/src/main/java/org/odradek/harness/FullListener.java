// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.odradek.testkit.internal.Sockets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** A port whose queue of connections is full, so that its kernel drops further attempts to connect. */
public final class FullListener implements AutoCloseable
{
    private static final int MOST_QUEUED = 100;
    private static final int CONNECT_MS = 200;

    private final ServerSocket listener;
    private final List<Socket> queued = new ArrayList<>();

    private FullListener(final ServerSocket listener)
    {
        this.listener = listener;
    }

    public static FullListener start()
    {
        try
        {
            final FullListener started =
                new FullListener(new ServerSocket(0, 1, InetAddress.getByName(Sockets.HOST)));
            started.fill();
            return started;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private void fill() throws IOException
    {
        while (queued.size() < MOST_QUEUED)
        {
            final Socket socket = new Socket();
            queued.add(socket);
            try
            {
                socket.connect(listener.getLocalSocketAddress(), CONNECT_MS);
            }
            catch (final SocketTimeoutException ex)
            {
                return;
            }
        }
        throw new AssertionError("a queue of 1 has taken " + MOST_QUEUED + " connections");
    }

    /** @return host:port. */
    public String address()
    {
        return Sockets.hostAndPort(Sockets.HOST, listener.getLocalPort());
    }

    @Override
    public void close()
    {
        queued.forEach(Sockets::close);
        try
        {
            listener.close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
