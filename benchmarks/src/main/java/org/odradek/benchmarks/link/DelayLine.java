// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.agrona.CloseHelper;
import org.odradek.testkit.internal.JvmExit;
import org.odradek.testkit.internal.Sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A proxy on loopback that passes bytes on late. With a window it passes at most that many of them in a round trip, in
 * each direction of a connection. There is no loss, and each connection has the whole rate of the link.
 */
final class DelayLine implements AutoCloseable
{
    /** About what a connection carries with a broker's default send buffer. */
    static final int WINDOW = 200_000;
    private static final int PIECE_LENGTH = 16 * 1024;
    private static final int PIECES = 64;
    /** Without a window, so much may be on its way to a client that the memory does not limit the rate. */
    private static final int LONG_PIECE_LENGTH = 64 * 1024;
    private static final int MANY_PIECES = 320;
    private static final long LOOK_INTERVAL_NS = 100_000;

    private final int window;
    private final ServerSocketChannel listener;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    /** Set by its owner, read by the accepting thread, like the next one. */
    private volatile LinkConditions conditions = LinkConditions.NONE;
    private volatile InetSocketAddress target;

    /** @param window in bytes, or {@link DelayRing#NO_WINDOW}. */
    DelayLine(final int window) throws IOException
    {
        this.window = window;
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(Sockets.HOST, 0));
        JvmExit.daemon("delay-line", this::accept);
    }

    int port()
    {
        return listener.socket().getLocalPort();
    }

    String address()
    {
        return Sockets.HOST + ":" + port();
    }

    /** Sets the port to which new connections go. */
    void target(final int port)
    {
        target = new InetSocketAddress(Sockets.HOST, port);
    }

    void set(final LinkConditions next)
    {
        conditions = next;
        connections.forEach((connection) -> connection.set(next));
    }

    @Override
    public void close()
    {
        CloseHelper.close(listener);
        connections.forEach(Connection::close);
    }

    private void accept()
    {
        while (listener.isOpen())
        {
            try
            {
                final Connection connection = new Connection(listener.accept(), SocketChannel.open(target));
                connections.add(connection);
                connection.set(conditions);
                connection.start();
            }
            catch (final IOException ex)
            {
                // It was closed, or one side is gone: the loop checks which.
                continue;
            }
        }
    }

    /** A connection of a client, and that to the target. Each direction has a thread that reads and one that writes. */
    private final class Connection
    {
        private final DelayRing toTarget = new DelayRing(PIECE_LENGTH, PIECES, window);
        private final DelayRing toClient = window == DelayRing.NO_WINDOW ?
            new DelayRing(LONG_PIECE_LENGTH, MANY_PIECES, window) : new DelayRing(PIECE_LENGTH, PIECES, window);
        private final AtomicInteger openDirections = new AtomicInteger(2);
        private final SocketChannel client;
        private final SocketChannel server;

        private Connection(final SocketChannel client, final SocketChannel server) throws IOException
        {
            this.client = client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            this.server = server.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }

        private void set(final LinkConditions next)
        {
            toTarget.set(next);
            toClient.set(next);
        }

        private void start()
        {
            start(client, toTarget, server);
            start(server, toClient, client);
        }

        private void start(final SocketChannel from, final DelayRing ring, final SocketChannel to)
        {
            JvmExit.daemon("delay-line-read", () -> read(from, ring));
            JvmExit.daemon("delay-line-write", () -> write(ring, to));
        }

        /** The end of the stream is a piece without bytes. */
        private void read(final SocketChannel from, final DelayRing ring)
        {
            int length;
            do
            {
                int room = ring.room(System.nanoTime());
                while (room == 0 && from.isOpen())
                {
                    LockSupport.parkNanos(LOOK_INTERVAL_NS);
                    room = ring.room(System.nanoTime());
                }
                final ByteBuffer piece = ring.claim();
                length = read(from, piece.limit(piece.position() + room));
                ring.put(length, System.nanoTime());
            }
            while (length > 0);
        }

        private int read(final SocketChannel from, final ByteBuffer piece)
        {
            try
            {
                return Math.max(0, from.read(piece));
            }
            catch (final IOException ex)
            {
                close();
                return 0;
            }
        }

        private void write(final DelayRing ring, final SocketChannel to)
        {
            try
            {
                for (ByteBuffer piece = ring.await(); piece.hasRemaining(); piece = ring.await())
                {
                    while (piece.hasRemaining())
                    {
                        to.write(piece);
                    }
                    ring.remove();
                }
                to.shutdownOutput();
                if (openDirections.decrementAndGet() == 0)
                {
                    close();
                }
            }
            catch (final IOException ex)
            {
                close();
            }
        }

        private void close()
        {
            connections.remove(this);
            CloseHelper.closeAll(client, server);
        }
    }
}
