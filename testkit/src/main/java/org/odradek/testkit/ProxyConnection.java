// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.odradek.testkit.TcpProxy.Direction;
import org.odradek.testkit.internal.CleanUp;
import org.odradek.testkit.internal.JvmExit;
import org.odradek.testkit.internal.Sockets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A connection of a client to a proxy, with the proxy's connection to the server. Each direction has a thread. */
final class ProxyConnection
{
    private final Socket client;
    private final Socket server;
    private final ProxyFaults faults;
    private final Consumer<ProxyConnection> onEnd;
    private final AtomicInteger openDirections = new AtomicInteger(Direction.values().length);
    /** The thread that passes bytes to the client sets this flag; the other thread reads it. */
    private volatile boolean isCut;
    /** Any thread sets this flag when it ends the connection; both threads of the connection read it. */
    private volatile boolean isEnded;

    ProxyConnection(
        final Socket client, final Socket server, final ProxyFaults faults, final Consumer<ProxyConnection> onEnd)
    {
        this.client = client;
        this.server = server;
        this.faults = faults;
        this.onEnd = onEnd;
    }

    void start()
    {
        JvmExit.daemon("testkit-proxy-to-server", () -> run(Direction.TO_SERVER, client, server));
        JvmExit.daemon("testkit-proxy-to-client", () -> run(Direction.TO_CLIENT, server, client));
    }

    boolean isEnded()
    {
        return isEnded;
    }

    void setCut()
    {
        isCut = true;
    }

    void reset()
    {
        CleanUp.run(() -> Sockets.reset(client), () -> Sockets.reset(server), this::end);
    }

    private void run(final Direction direction, final Socket from, final Socket to)
    {
        try
        {
            pump(direction, from.getInputStream(), to.getOutputStream());
            to.shutdownOutput();
            if (openDirections.decrementAndGet() == 0)
            {
                CleanUp.run(() -> Sockets.close(client), () -> Sockets.close(server), this::end);
            }
        }
        catch (final IOException ex)
        {
            // One side has reset its connection, so the proxy resets the connection to the other side.
            reset();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            reset();
        }
    }

    private void pump(final Direction direction, final InputStream input, final OutputStream output)
        throws IOException, InterruptedException
    {
        final byte[] portion = new byte[ProxyFaults.PORTION_LENGTH];
        while (true)
        {
            final int length = read(direction, input, portion);
            // A delay or a stall also holds back the end of the stream.
            faults.hold(direction, Math.max(0, length), this);
            if (length < 0 || isEnded)
            {
                return;
            }
            if (isCut)
            {
                // The client has received the end of the stream but may still send. If the proxy closed the socket with
                // unread bytes of the client, the system would send a reset, which could overtake the last bytes to the
                // client. So the proxy reads and drops the client's bytes.
                continue;
            }
            final int allowed = faults.pass(direction, length, this);
            Sockets.write(output, portion, 0, allowed, faults.pieceLength());
            if (faults.isToRepeat(direction, portion, allowed))
            {
                Sockets.write(output, portion, 0, allowed, faults.pieceLength());
            }
            if (isCut && direction == Direction.TO_CLIENT)
            {
                return;
            }
        }
    }

    /** Reads a portion of bytes; a delay or a stall also holds back a reset. */
    private int read(final Direction direction, final InputStream input, final byte[] portion)
        throws IOException, InterruptedException
    {
        try
        {
            return input.read(portion, 0, faults.portionLength());
        }
        catch (final IOException ex)
        {
            faults.hold(direction, 0, this);
            throw ex;
        }
    }

    private void end()
    {
        isEnded = true;
        faults.connectionEnded();
        onEnd.accept(this);
    }
}
