// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * A loopback server that speaks TLS with its clients and passes the plaintext to another server and back. It keeps all
 * that the clients send, encrypted and decrypted. Each connection has two daemon threads.
 */
public final class TlsFrontEnd implements AutoCloseable
{
    private static final int BACKLOG = 256;

    private final ServerSocket listener;
    private final int backPort;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    /** Guarded by itself. */
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    /** Set by the test, read by the accepting thread. */
    private volatile Supplier<ServerTls> tls;
    /** Written by the accepting thread only. */
    private volatile int accepted;

    private TlsFrontEnd(final int backPort, final Supplier<ServerTls> tls)
    {
        this.backPort = backPort;
        this.tls = tls;
        try
        {
            listener = new ServerSocket(0, BACKLOG, InetAddress.getByName("127.0.0.1"));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        start(this::accept);
    }

    /**
     * Starts to listen on a free port.
     *
     * @param backPort of the server that answers what was decrypted.
     * @param tls      makes the TLS of each connection.
     */
    public static TlsFrontEnd start(final int backPort, final Supplier<ServerTls> tls)
    {
        return new TlsFrontEnd(backPort, tls);
    }

    /** Replaces what makes the TLS of later connections. */
    public void serve(final Supplier<ServerTls> newTls)
    {
        tls = newTls;
    }

    /** Closes every open connection. New connections are still accepted. */
    public void cut()
    {
        sockets.forEach(this::close);
    }

    private static void start(final Runnable task)
    {
        final Thread thread = new Thread(task, "testkit-tls");
        thread.setDaemon(true);
        thread.start();
    }

    public int port()
    {
        return listener.getLocalPort();
    }

    /** Returns host and port in the form of bootstrap servers. */
    public String address()
    {
        return "127.0.0.1:" + port();
    }

    /** Returns how many connections have been accepted. */
    public int acceptedCount()
    {
        return accepted;
    }

    /** Forgets what the clients have sent. */
    public void forget()
    {
        synchronized (received)
        {
            received.reset();
        }
    }

    /** Returns whether a client has sent these bytes, in plaintext or so that they could be decrypted. */
    public boolean hasReceived(final byte[] secret)
    {
        final byte[] all;
        synchronized (received)
        {
            all = received.toByteArray();
        }
        for (int index = 0; index + secret.length <= all.length; index++)
        {
            if (Arrays.equals(all, index, index + secret.length, secret, 0, secret.length))
            {
                return true;
            }
        }
        return false;
    }

    private void accept()
    {
        while (!listener.isClosed())
        {
            try
            {
                final Socket front = listener.accept();
                front.setTcpNoDelay(true);
                accepted = accepted + 1;
                final Socket back = new Socket(listener.getInetAddress(), backPort);
                back.setTcpNoDelay(true);
                sockets.add(front);
                sockets.add(back);
                final ServerTls connection = tls.get();
                start(() -> serve(front, back, connection));
                start(() -> answer(front, back, connection));
            }
            catch (final IOException ex)
            {
                // The listener was closed, or a client has ended before it was accepted: the loop checks which.
                continue;
            }
        }
        cut();
    }

    /** Decrypts what the client sends. */
    private void serve(final Socket front, final Socket back, final ServerTls connection)
    {
        pass(front, back, (bytes) ->
        {
            final byte[] plaintext;
            synchronized (connection)
            {
                connection.receive(bytes);
                front.getOutputStream().write(connection.takeOutput());
                plaintext = connection.takePlaintext();
            }
            synchronized (received)
            {
                received.writeBytes(bytes);
                received.writeBytes(plaintext);
            }
            back.getOutputStream().write(plaintext);
        });
    }

    /** Encrypts what the other server answers. */
    private void answer(final Socket front, final Socket back, final ServerTls connection)
    {
        pass(back, front, (bytes) ->
        {
            synchronized (connection)
            {
                connection.send(bytes);
                front.getOutputStream().write(connection.takeOutput());
            }
        });
    }

    private void pass(final Socket from, final Socket to, final Receiver receiver)
    {
        final byte[] buffer = new byte[1 << 16];
        try
        {
            final InputStream input = from.getInputStream();
            int length = input.read(buffer);
            while (length >= 0)
            {
                receiver.onBytes(Arrays.copyOf(buffer, length));
                length = input.read(buffer);
            }
        }
        catch (final IOException ex)
        {
            // One side has ended, so the other one ends, too.
            sockets.remove(from);
        }
        finally
        {
            close(from);
            close(to);
        }
    }

    /** Takes what one side has sent. */
    private interface Receiver
    {
        void onBytes(byte[] bytes) throws IOException;
    }

    private void close(final Socket socket)
    {
        sockets.remove(socket);
        try
        {
            socket.close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public void close()
    {
        try
        {
            listener.close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        cut();
    }
}
