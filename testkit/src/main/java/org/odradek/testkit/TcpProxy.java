// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Listens on a free loopback port and passes bytes to a target and back, with faults that can be set, combined and
 * taken away at any time. They act on connections that exist as well as on new ones. All threads are daemons.
 * <p>
 * A Kafka client soon leaves the address it was given for the one the broker advertises. So put the broker's outside
 * listener behind the proxy, and give the client {@link #address()}:
 * <pre>{@code
 * TcpProxy proxy = TcpProxy.listen();
 * EmbeddedBroker broker = EmbeddedBroker.start(new BrokerSettings().outside(TcpProxy.HOST, proxy.port()));
 * proxy.target(TcpProxy.HOST, broker.outsidePort());
 * }</pre>
 * {@link #inFrontOf(BrokerSettings)} is a shorter way to say the second line.
 */
public final class TcpProxy implements AutoCloseable
{
    /** The address on which every proxy listens. */
    public static final String HOST = BrokerHome.HOST;

    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final long ACCEPTOR_END_MS = 10_000;

    /** Which way bytes go. */
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
    private volatile InetSocketAddress target; // set by the test, read by the accepting thread
    private volatile boolean isClosed; // set by the test, read by the accepting thread

    private TcpProxy()
    {
        accept();
    }

    /**
     * @return a listening proxy that resets connections until it has a target.
     */
    public static TcpProxy listen()
    {
        return new TcpProxy();
    }

    /**
     * @param host of the target.
     * @param port of the target.
     * @return a listening proxy.
     */
    public static TcpProxy to(final String host, final int port)
    {
        return new TcpProxy().target(host, port);
    }

    /**
     * @param host to which new connections go.
     * @param port to which new connections go.
     * @return this.
     */
    public TcpProxy target(final String host, final int port)
    {
        target = new InetSocketAddress(host, port);
        return this;
    }

    /**
     * Makes the broker to be started with these settings advertise this proxy to those who come through it. Its
     * {@code outsidePort()} is then the target to set.
     *
     * @param settings to change.
     * @return the settings.
     */
    public BrokerSettings inFrontOf(final BrokerSettings settings)
    {
        return settings.outside(HOST, port);
    }

    /**
     * @return the port on which the proxy listens.
     */
    public int port()
    {
        return port;
    }

    /**
     * @return host and port, as bootstrap servers are written.
     */
    public String address()
    {
        return HOST + ":" + port;
    }

    /**
     * @return how many connections were accepted so far.
     */
    public int acceptedCount()
    {
        return accepted.get();
    }

    /**
     * @return how many connections are open now.
     */
    public int connectionCount()
    {
        return connections.size();
    }

    /**
     * @param direction of the bytes.
     * @return how many bytes were passed on so far.
     */
    public long byteCount(final Direction direction)
    {
        return faults.byteCount(direction);
    }

    /**
     * Resets (RST) every open connection. New ones are accepted as before.
     */
    public void cut()
    {
        connections.forEach(ProxyConnection::reset);
    }

    /**
     * Refuses new connections, as a host does on whose port nobody listens. Open ones go on.
     */
    public synchronized void refuse()
    {
        if (listener != null)
        {
            closeListener();
        }
    }

    /**
     * Accepts connections again after {@link #refuse()}.
     */
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
                acceptor = Threads.daemon("testkit-proxy-" + port, () -> acceptFrom(socket));
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
    }

    /**
     * Holds back every byte in this direction, keeping the connections open, until {@link #resume(Direction)}.
     *
     * @param direction to stall.
     */
    public void stall(final Direction direction)
    {
        faults.stall(direction, true);
    }

    /**
     * Lets the bytes held back by {@link #stall(Direction)} go on.
     *
     * @param direction to resume.
     */
    public void resume(final Direction direction)
    {
        faults.stall(direction, false);
    }

    /**
     * Holds every portion of bytes, in both directions, for a time. A portion is what one read gave, so a slow link
     * carries less as well.
     *
     * @param delayMs milliseconds, 0 for none.
     */
    public void delay(final long delayMs)
    {
        faults.delay(delayMs);
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
     * Passes exactly so many more bytes to the client, over all connections together, then ends the connection that
     * carried the last of them: its client reads these bytes and then the end of the stream. That happens once; later
     * connections pass everything.
     *
     * @param byteCount bytes from now on.
     */
    public void cutAfter(final long byteCount)
    {
        faults.cutAfter(byteCount);
    }

    /**
     * Writes in pieces of so many bytes, in both directions, with short pauses between.
     *
     * @param pieceLength bytes, 0 to write what was read at once.
     */
    public void pieces(final int pieceLength)
    {
        faults.pieces(pieceLength);
    }

    /**
     * Takes all faults away and accepts connections.
     */
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
            refuse();
            isClosed = true;
            faults.clear();
            cut();
            FreePorts.release(port);
        }
    }

    private void closeListener()
    {
        try
        {
            listener.close();
            listener = null;
            // The kernel goes on listening until the thread that accepts has left its call.
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
                // The listener was closed, or a client has gone before it was accepted: the loop knows which.
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
