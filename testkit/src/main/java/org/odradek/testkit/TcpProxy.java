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
 * A TCP proxy that listens on a free loopback port and passes bytes to a target and back. Tests can set, combine and
 * remove faults from any thread.
 * <p>
 * A Kafka client connects to the address that the broker advertises. So put the proxy in front of the outside listener
 * of the broker, and use {@link #address()} as the client's bootstrap servers:
 * <pre>{@code
 * TcpProxy proxy = TcpProxy.listen();
 * EmbeddedBroker broker = EmbeddedBroker.start(proxy.inFrontOf(new BrokerSettings()));
 * proxy.target(TcpProxy.HOST, broker.outsidePort());
 * }</pre>
 */
public final class TcpProxy implements AutoCloseable
{
    /** The IP address on which every proxy listens. */
    public static final String HOST = Sockets.HOST;

    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final long ACCEPTOR_END_MS = 10_000;

    public enum Direction
    {
        /** From the clients of the proxy to the target. */
        TO_SERVER,
        /** From the target to the clients of the proxy. */
        TO_CLIENT
    }

    private final int port = FreePorts.next();
    private final ProxyFaults faults = new ProxyFaults();
    private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private ServerSocket listener;
    private Thread acceptor;
    private volatile InetSocketAddress target;
    private volatile boolean isClosed;

    private TcpProxy()
    {
        accept();
    }

    /** Returns a proxy without a target, which resets each new connection until {@link #target} is called. */
    public static TcpProxy listen()
    {
        return new TcpProxy();
    }

    /** Returns a proxy that passes bytes to this target. */
    public static TcpProxy to(final String host, final int port)
    {
        return new TcpProxy().target(host, port);
    }

    /**
     * Sets the target of new connections. If the proxy cannot connect to the target, the proxy resets the client's
     * connection.
     *
     * @return this proxy.
     */
    public TcpProxy target(final String host, final int port)
    {
        target = new InetSocketAddress(host, port);
        return this;
    }

    /**
     * Changes settings so that a broker advertises this proxy to the clients of its outside listener. The test must
     * then set the broker's {@code outsidePort()} as the target of this proxy.
     *
     * @param settings settings of the broker, which this method changes.
     * @return the same settings.
     */
    public BrokerSettings inFrontOf(final BrokerSettings settings)
    {
        return settings.outside(HOST, port);
    }

    /** Returns the port on which the proxy listens. */
    public int port()
    {
        return port;
    }

    /** Returns the host:port of the proxy, which a client can use as its bootstrap servers. */
    public String address()
    {
        return HOST + ":" + port;
    }

    /** Returns the number of connections that the proxy has accepted, including connections that it has reset. */
    public int acceptedCount()
    {
        return accepted.get();
    }

    /** Returns the number of connections that are open now. */
    public int connectionCount()
    {
        return connections.size();
    }

    /**
     * Returns the number of bytes that the proxy has passed in this direction, over all connections. Bytes that were
     * passed twice because of {@link #repeat} count once.
     */
    public long byteCount(final Direction direction)
    {
        return faults.byteCount(direction);
    }

    /** Resets every open connection on both sides (RST). */
    public void cut()
    {
        connections.forEach(ProxyConnection::reset);
    }

    /** Refuses new connections, like a host without a listener on the port. Open connections are not affected. */
    public synchronized void refuse()
    {
        if (listener != null)
        {
            closeListener();
        }
    }

    /**
     * Accepts connections again after {@link #refuse()}.
     *
     * @throws IllegalStateException if the proxy is closed.
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
                acceptor = JvmExit.daemon("testkit-proxy-" + port, () -> acceptFrom(socket));
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
    }

    /** Holds back all bytes in this direction until {@link #resume(Direction)} or {@link #heal()}. */
    public void stall(final Direction direction)
    {
        faults.stall(direction, true);
    }

    /** Ends {@link #stall(Direction)}, and passes on the bytes that were held back. */
    public void resume(final Direction direction)
    {
        faults.stall(direction, false);
    }

    /**
     * Delays the result of each read in both directions. The results of a connection are delayed one after another.
     *
     * @param delayMs delay of each result in milliseconds, 0 or more.
     */
    public void delay(final long delayMs)
    {
        delay(Direction.TO_SERVER, delayMs);
        delay(Direction.TO_CLIENT, delayMs);
    }

    /**
     * Delays the result of each read in one direction.
     *
     * @param delayMs delay of each result in milliseconds, 0 or more.
     */
    public void delay(final Direction direction, final long delayMs)
    {
        faults.delay(direction, delayMs);
    }

    /**
     * Limits the rate of each direction of each connection.
     *
     * @param bytesPerSecond limit in bytes per second; 0 for no limit.
     * @throws IllegalArgumentException if the limit is negative.
     */
    public void throttle(final long bytesPerSecond)
    {
        faults.throttle(bytesPerSecond);
    }

    /**
     * Passes exactly this many more bytes to clients, over all connections together, and then ends the connection that
     * carried the last of these bytes. The client of that connection reads the bytes before the cut and then the end of
     * the stream.
     *
     * @param byteCount number of bytes before the cut, 0 or more.
     * @throws IllegalArgumentException if the number is negative.
     */
    public void cutAfter(final long byteCount)
    {
        faults.cutAfter(byteCount);
    }

    /**
     * Passes each of the next responses of Kafka's protocol to the client twice. A response is repeated and counted
     * only if a single read returns exactly this response.
     *
     * @param count number of responses to repeat; 0 for none.
     */
    public void repeat(final int count)
    {
        faults.repeat(count);
    }

    /**
     * Splits the bytes in both directions into pieces, which are written with short pauses between them.
     *
     * @param pieceLength length of a piece in bytes; with 0 the result of a read is written at once.
     * @throws IllegalArgumentException if the length is negative.
     */
    public void pieces(final int pieceLength)
    {
        faults.pieces(pieceLength);
    }

    /**
     * Removes all faults, and accepts connections again if {@link #refuse()} was called.
     *
     * @throws IllegalStateException if the proxy is closed.
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
            // The kernel still listens on the port until the accepting thread has returned from its call.
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
