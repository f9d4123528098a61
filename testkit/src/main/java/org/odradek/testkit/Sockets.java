// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The ways in which a socket here opens and ends.
 */
final class Sockets
{
    private static final int BACKLOG = 256;

    private Sockets()
    {
    }

    /** Reusable at once, so that a listener can go and come back on its port. */
    static ServerSocket listen(final int port) throws IOException
    {
        final ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getByName(BrokerHome.HOST), port), BACKLOG);
        return socket;
    }

    /** Ends the connection with a reset (RST); what was not sent yet is lost. */
    static void reset(final Socket socket)
    {
        try
        {
            socket.setSoLinger(true, 0);
        }
        catch (final IOException ex)
        {
            // Closed already: what remains to do is nothing, and close says so too.
            assert socket.isClosed() : ex;
        }
        close(socket);
    }

    static void close(final Socket socket)
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
}
