// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.odradek.testkit.internal.Identity;
import org.odradek.testkit.internal.JvmExit;
import org.odradek.testkit.internal.Sockets;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A loopback server whose responses a test defines. It knows frames (a size of 4 bytes, then as many bytes) and the
 * first three fields of a request, nothing else; the script returns an {@link Answer} to each request. Every connection
 * has a daemon thread, on which the script runs.
 * <pre>{@code
 * try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.reply(body).inPieces(1)))
 * {
 *     connect(peer.address());
 * }
 * }</pre>
 * An {@link Answer} is sent whole or in pieces, late or never, may end the connection, and may hold any bytes.
 * <p>
 * An exception of a script, or a request that is not a frame, ends the connection, and {@link #close()} throws it.
 */
public final class ScriptedPeer implements AutoCloseable
{
    private static final int SHORTEST_REQUEST = Short.BYTES + Short.BYTES + Integer.BYTES;
    private static final int LONGEST_REQUEST = 64 * 1024 * 1024;

    private final ServerSocket listener;
    private final List<RequestFrame> requests = new ArrayList<>();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    /** Set by the test, read by the connections' threads. */
    private volatile Function<RequestFrame, Answer> script;
    /** Of a connection's thread, read on close. */
    private volatile Throwable failure;
    /** Written by the accepting thread only. */
    private volatile int accepted;

    private ScriptedPeer(final ServerSocket listener, final Function<RequestFrame, Answer> script)
    {
        this.listener = listener;
        this.script = script;
        JvmExit.daemon("testkit-peer-" + port(), this::accept);
    }

    /**
     * Starts a peer.
     *
     * @param script returns the answer to each request.
     * @return a listening peer.
     */
    public static ScriptedPeer start(final Function<RequestFrame, Answer> script)
    {
        try
        {
            return new ScriptedPeer(Sockets.listen(0), script);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Starts a peer that speaks TLS.
     *
     * @param identity its certificate and key.
     * @param script   returns the answer to each request.
     * @return a listening peer.
     */
    public static ScriptedPeer startTls(final Identity identity, final Function<RequestFrame, Answer> script)
    {
        try
        {
            return new ScriptedPeer(identity.serverContext().getServerSocketFactory()
                .createServerSocket(0, Sockets.BACKLOG, InetAddress.getByName(Sockets.HOST)), script);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Replaces the script for all later requests. */
    public void script(final Function<RequestFrame, Answer> newScript)
    {
        script = newScript;
    }

    public int port()
    {
        return listener.getLocalPort();
    }

    /** Returns host and port in the form of bootstrap servers. */
    public String address()
    {
        return Sockets.HOST + ":" + port();
    }

    /** Returns how many connections have been accepted. */
    public int acceptedCount()
    {
        return accepted;
    }

    /** Returns how many connections are open now. */
    public int connectionCount()
    {
        return connections.size();
    }

    /** Returns how many requests have been received. */
    public int requestCount()
    {
        synchronized (requests)
        {
            return requests.size();
        }
    }

    /** Returns how many requests with this key have been received. */
    public int requestCount(final int apiKey)
    {
        return (int) requests().stream().filter((request) -> request.apiKey() == apiKey).count();
    }

    /** Returns the received requests in order of arrival. */
    public List<RequestFrame> requests()
    {
        synchronized (requests)
        {
            return new ArrayList<>(requests);
        }
    }

    /** Resets (RST) every open connection. New connections are still accepted. */
    public void cut()
    {
        connections.forEach(Sockets::reset);
    }

    /** Closes all connections as a broker closes those that are idle. */
    public void closeConnections()
    {
        connections.forEach(Sockets::close);
    }

    /**
     * @throws AssertionError if a script has thrown, or a request was not a frame; the cause says which.
     */
    @Override
    public void close()
    {
        closed.countDown();
        try
        {
            listener.close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        cut();
        if (failure != null)
        {
            throw new AssertionError("The scripted peer failed: " + failure.getMessage(), failure);
        }
    }

    private void accept()
    {
        while (!listener.isClosed())
        {
            try
            {
                final Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                final int connection = accepted;
                connections.add(socket);
                accepted = connection + 1;
                JvmExit.daemon("testkit-peer-" + port() + "-" + connection, () -> serve(socket, connection));
            }
            catch (final IOException ex)
            {
                // The listener was closed, or a client has ended before it was accepted: the loop checks which.
                continue;
            }
        }
        cut();
    }

    private void serve(final Socket socket, final int connection)
    {
        try
        {
            final DataInputStream input = new DataInputStream(socket.getInputStream());
            boolean goesOn = true;
            while (goesOn)
            {
                final RequestFrame request = receive(input, connection);
                goesOn = request != null && send(socket, request, script.apply(request));
            }
        }
        catch (final IOException ex)
        {
            // The client has ended, or the test has cut the connection.
            Sockets.reset(socket);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
        catch (final RuntimeException | AssertionError ex)
        {
            failure = ex;
        }
        finally
        {
            Sockets.close(socket);
            connections.remove(socket);
        }
    }

    /** Returns null if the client has closed the connection. */
    private RequestFrame receive(final DataInputStream input, final int connection) throws IOException
    {
        final int size;
        try
        {
            size = input.readInt();
        }
        catch (final EOFException ex)
        {
            return null;
        }
        if (size < SHORTEST_REQUEST || size > LONGEST_REQUEST)
        {
            throw new IllegalStateException("A request has size " + size + ", which is not between " +
                SHORTEST_REQUEST + " and " + LONGEST_REQUEST + ".");
        }
        final byte[] payload = new byte[size];
        input.readFully(payload);
        final ByteBuffer header = ByteBuffer.wrap(payload);
        final RequestFrame request =
            new RequestFrame(connection, header.getShort(), header.getShort(), header.getInt(), payload);
        synchronized (requests)
        {
            requests.add(request);
        }
        return request;
    }

    /** Returns false if the connection has ended. */
    private boolean send(final Socket socket, final RequestFrame request, final Answer answer)
        throws IOException, InterruptedException
    {
        if (answer.delayMs() > 0 && closed.await(answer.delayMs(), TimeUnit.MILLISECONDS))
        {
            return false;
        }
        final byte[] bytes = answer.toBytes(request.correlationId());
        if (answer.permits() == null)
        {
            Sockets.write(socket.getOutputStream(), bytes, 0, bytes.length, answer.pieceLength());
        }
        else
        {
            for (int i = 0; i < bytes.length; i += answer.pieceLength())
            {
                answer.permits().acquire();
                socket.getOutputStream().write(bytes, i, Math.min(answer.pieceLength(), bytes.length - i));
            }
        }
        if (answer.end() == Answer.End.RESET)
        {
            Sockets.reset(socket);
        }
        return answer.end() == Answer.End.STAY;
    }
}
