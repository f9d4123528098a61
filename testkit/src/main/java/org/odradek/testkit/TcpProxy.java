// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.odradek.testkit.internal.CleanUp;
import org.odradek.testkit.internal.FreePorts;
import org.odradek.testkit.internal.JvmExit;
import org.odradek.testkit.internal.Sockets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy on a free loopback port that passes bytes to a target and back. Tests can set, combine and remove its faults
 * at any time; they apply to existing and new connections. All threads are daemons.
 * <p>
 * A Kafka client soon leaves the bootstrap address for the one that the broker advertises. So put the proxy in front of
 * the outside listener of the broker, and give the client {@link #address()}:
 * <pre>{@code
 * TcpProxy proxy = TcpProxy.listen();
 * EmbeddedBroker broker = EmbeddedBroker.start(proxy.inFrontOf(new BrokerSettings()));
 * proxy.target(TcpProxy.HOST, broker.outsidePort());
 * }</pre>
 */
public final class TcpProxy implements AutoCloseable
{
    /** The address on which every proxy listens. */
    public static final String HOST = Sockets.HOST;

    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final long ACCEPTOR_END_MS = 10_000;

    /** The direction of bytes. */
    public enum Direction
    {
        /** From the client to the server. */
        TO_SERVER,
        /** From the server to the client. */
        TO_CLIENT
    }

    private final int port = FreePorts.next();
    private final ProxyFaults faults = new ProxyFaults();
    private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private ServerSocket listener;
    private Thread acceptor;
    /** Set by the test, read by the accepting thread. */
    private volatile InetSocketAddress target;
    /** Set by the test, read by the accepting thread. */
    private volatile boolean isClosed;

    private TcpProxy()
    {
        accept();
    }

    /** Returns a listening proxy, which resets connections until it has a target. */
    public static TcpProxy listen()
    {
        return new TcpProxy();
    }

    /** Returns a listening proxy with this target. */
    public static TcpProxy to(final String host, final int port)
    {
        return new TcpProxy().target(host, port);
    }

    /** Sets the target of new connections. */
    public TcpProxy target(final String host, final int port)
    {
        target = new InetSocketAddress(host, port);
        return this;
    }

    /**
     * Makes a broker that is started with these settings advertise this proxy to clients of its outside listener. Its
     * {@code outsidePort()} is then the target of the proxy.
     *
     * @param settings to change.
     * @return the settings.
     */
    public BrokerSettings inFrontOf(final BrokerSettings settings)
    {
        return settings.outside(HOST, port);
    }

    public int port()
    {
        return port;
    }

    /** Returns host and port in the form of bootstrap servers. */
    public String address()
    {
        return HOST + ":" + port;
    }

    /** Returns how many connections have been accepted. */
    public int acceptedCount()
    {
        return accepted.get();
    }

    /** Returns how many connections are open now. */
    public int connectionCount()
    {
        return connections.size();
    }

    /** Returns how many bytes have been passed in this direction. */
    public long byteCount(final Direction direction)
    {
        return faults.byteCount(direction);
    }

    /** Resets (RST) every open connection. New connections are still accepted. */
    public void cut()
    {
        connections.forEach(ProxyConnection::reset);
    }

    /** Refuses new connections, like a host without a listener on the port. Open connections continue. */
    public synchronized void refuse()
    {
        if (listener != null)
        {
            closeListener();
        }
    }

    /** Accepts connections again after {@link #refuse()}. */
    public synchronized void accept()
    {
        if (isClosed)
        {
            throw new IllegalStateException("This proxy is closed.");
        }
        if (listener == null)
        {
            try
            {
                final ServerSocket socket = Sockets.listen(port);
                listener = socket;
                acceptor = JvmExit.daemon("testkit-proxy-" + port, () -> acceptFrom(socket));
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
    }

    /** Holds back all bytes in this direction and keeps the connections open until {@link #resume(Direction)}. */
    public void stall(final Direction direction)
    {
        faults.stall(direction, true);
    }

    /** Passes the bytes on that {@link #stall(Direction)} has held back. */
    public void resume(final Direction direction)
    {
        faults.stall(direction, false);
    }

    /**
     * Delays every portion of bytes in both directions. A portion is the result of one read, so a delayed link also
     * carries fewer bytes.
     *
     * @param delayMs milliseconds, 0 for none.
     */
    public void delay(final long delayMs)
    {
        delay(Direction.TO_SERVER, delayMs);
        delay(Direction.TO_CLIENT, delayMs);
    }

    /**
     * Delays every portion of bytes in one direction. While only requests are delayed, responses are as late as over a
     * long link, and their bytes follow one another as fast as without the proxy.
     *
     * @param delayMs milliseconds, 0 for none.
     */
    public void delay(final Direction direction, final long delayMs)
    {
        faults.delay(direction, delayMs);
    }

    /**
     * Limits the rate of each connection and direction.
     *
     * @param bytesPerSecond the limit, 0 for none.
     */
    public void throttle(final long bytesPerSecond)
    {
        faults.throttle(bytesPerSecond);
    }

    /**
     * Passes exactly this many more bytes to the client, over all connections together, then ends the connection that
     * carried the last of them: its client reads these bytes and then the end of the stream. This happens once; later
     * connections pass everything.
     */
    public void cutAfter(final long byteCount)
    {
        faults.cutAfter(byteCount);
    }

    /**
     * Passes each of the next responses of Kafka's protocol to the client twice. Only a response counts that a single
     * read returns as a whole.
     *
     * @param count how many.
     */
    public void repeat(final int count)
    {
        faults.repeat(count);
    }

    /**
     * Writes in pieces of this many bytes in both directions, with short pauses between them; 0 writes the result of a
     * read at once.
     */
    public void pieces(final int pieceLength)
    {
        faults.pieces(pieceLength);
    }

    /** Removes all faults and accepts connections. */
    public void heal()
    {
        faults.clear();
        accept();
    }

    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            // An interrupt would end the clean-up halfway.
            final boolean isInterrupted = Thread.interrupted();
            try
            {
                CleanUp.run(this::refuse, faults::clear, this::cut, () -> FreePorts.release(port));
            }
            finally
            {
                if (isInterrupted)
                {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private void closeListener()
    {
        try
        {
            listener.close();
            listener = null;
            // The kernel listens until the accepting thread has returned from its call.
            acceptor.join(ACCEPTOR_END_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a proxy stopped listening.", ex);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private void acceptFrom(final ServerSocket socket)
    {
        while (!socket.isClosed())
        {
            try
            {
                final Socket client = socket.accept();
                accepted.incrementAndGet();
                connect(client);
            }
            catch (final IOException ex)
            {
                // The listener was closed, or a client has ended before it was accepted: the loop checks which.
                continue;
            }
        }
    }

    private void connect(final Socket client)
    {
        final InetSocketAddress address = target;
        final Socket server = new Socket();
        try
        {
            if (address == null)
            {
                throw new IOException("no target");
            }
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(address, CONNECT_TIMEOUT_MS);
        }
        catch (final IOException ex)
        {
            Sockets.close(server);
            Sockets.reset(client);
            return;
        }
        final ProxyConnection connection = new ProxyConnection(client, server, faults, connections::remove);
        connections.add(connection);
        connection.start();
        if (isClosed)
        {
            connection.reset();
        }
    }
}
