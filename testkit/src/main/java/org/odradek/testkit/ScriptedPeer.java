// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
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
 * A loopback server that says what a test tells it to. It knows frames (a size of 4 bytes, then so many bytes) and the
 * first three fields of a request, nothing else; the script makes an {@link Answer} of each request. Every connection
 * has a daemon thread of its own, on which the script runs.
 * <pre>{@code
 * try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.reply(body).inPieces(1)))
 * {
 *     connect(peer.address());
 * }
 * }</pre>
 * An {@link Answer} goes out whole or in pieces of any length, late or never, is followed by an end of the connection
 * if wanted, and may lie in every byte. {@link ScriptedFaults} is a script that misbehaves at certain requests or
 * partitions, over one that does not.
 * <p>
 * What a script throws, and a request that is no frame, ends the connection, and {@link #close()} throws it.
 */
public final class ScriptedPeer implements AutoCloseable
{
    private static final int SHORTEST_REQUEST = Short.BYTES + Short.BYTES + Integer.BYTES;
    private static final int LONGEST_REQUEST = 64 * 1024 * 1024;

    private final ServerSocket listener;
    private final List<RequestFrame> requests = new ArrayList<>();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Function<RequestFrame, Answer> script; // set by the test, read by the connections' threads
    private volatile Throwable failure; // of a connection's thread, read on close
    private volatile int accepted; // written by the accepting thread only

    private ScriptedPeer(final Function<RequestFrame, Answer> script)
    {
        this.script = script;
        try
        {
            listener = Sockets.listen(0);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        Threads.daemon("testkit-peer-" + port(), this::accept);
    }

    /**
     * @param script makes an answer of each request.
     * @return a listening peer.
     */
    public static ScriptedPeer start(final Function<RequestFrame, Answer> script)
    {
        return new ScriptedPeer(script);
    }

    /**
     * @param newScript for every request from now on.
     */
    public void script(final Function<RequestFrame, Answer> newScript)
    {
        script = newScript;
    }

    /**
     * @return the port on which the peer listens.
     */
    public int port()
    {
        return listener.getLocalPort();
    }

    /**
     * @return host and port, as bootstrap servers are written.
     */
    public String address()
    {
        return BrokerHome.HOST + ":" + port();
    }

    /**
     * @return how many connections were accepted so far.
     */
    public int acceptedCount()
    {
        return accepted;
    }

    /**
     * @return how many connections are open now.
     */
    public int connectionCount()
    {
        return connections.size();
    }

    /**
     * @return how many requests were received so far.
     */
    public int requestCount()
    {
        synchronized (requests)
        {
            return requests.size();
        }
    }

    /**
     * @param apiKey of the requests to count.
     * @return how many of them were received so far.
     */
    public int requestCount(final int apiKey)
    {
        return (int) requests().stream().filter((request) -> request.apiKey() == apiKey).count();
    }

    /**
     * @return what was received so far, in the order of arrival.
     */
    public List<RequestFrame> requests()
    {
        synchronized (requests)
        {
            return new ArrayList<>(requests);
        }
    }

    /**
     * Resets (RST) every open connection. New ones are accepted as before.
     */
    public void cut()
    {
        connections.forEach(Sockets::reset);
    }

    /**
     * @throws AssertionError if a script has thrown or a request was no frame; the cause tells.
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
            throw new AssertionError("The scripted peer met trouble: " + failure.getMessage(), failure);
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
                Threads.daemon("testkit-peer-" + port() + "-" + connection, () -> serve(socket, connection));
            }
            catch (final IOException ex)
            {
                // The listener was closed, or a client has gone before it was accepted: the loop knows which.
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
            // The client has gone, or the test has cut the connection: both are ordinary here.
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

    /** Null once the client has closed the connection. */
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
            throw new IllegalStateException("A request says its size is " + size + ", which no request has.");
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

    /** False if that was the end of the connection. */
    private boolean send(final Socket socket, final RequestFrame request, final Answer answer)
        throws IOException, InterruptedException
    {
        if (answer.delayMs() > 0 && closed.await(answer.delayMs(), TimeUnit.MILLISECONDS))
        {
            return false;
        }
        final byte[] bytes = answer.toBytes(request.correlationId());
        Pieces.write(socket.getOutputStream(), bytes, 0, bytes.length, answer.pieceLength());
        if (answer.end() == Answer.End.RESET)
        {
            Sockets.reset(socket);
        }
        return answer.end() == Answer.End.STAY;
    }
}
