// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free local ports for servers that must return to the same port after a restart. The ports are below the usual
 * range of ephemeral ports, so that no outgoing connection occupies a port while its server is down. Each process takes
 * ports from blocks of its own: until it ends, it listens on the first port of each block that it uses.
 */
public final class FreePorts
{
    private static final int LOWEST = 15_000;
    private static final int HIGHEST = 32_000;
    private static final int BLOCK = 200;
    private static final int TRIES = 1_000;
    private static final Set<Integer> GIVEN = new HashSet<>();

    private static final List<ServerSocket> CLAIMS = new ArrayList<>();

    /** The first port of the last block, or 0 before the first block. */
    private static int block;
    private static int next;

    private FreePorts()
    {
    }

    public static int next()
    {
        return next(Sockets.HOST);
    }

    /**
     * Returns a port that is free on this address, and that no other call in this JVM returns until {@link #release}.
     *
     * @throws UncheckedIOException if the host cannot be resolved, or is not an address of this machine.
     */
    public static int next(final String host)
    {
        final InetAddress address = resolved(host);
        try
        {
            new ServerSocket(0, 1, address).close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("No port of " + host + " can be used: " + ex.getMessage(), ex);
        }
        return next(address);
    }

    private static synchronized int next(final InetAddress address)
    {
        for (int i = 0; i < TRIES; i++)
        {
            if (block == 0 || i == BLOCK)
            {
                claimBlock();
            }
            final int port = block + next;
            next = next % (BLOCK - 1) + 1;
            if (!GIVEN.contains(port) && isFree(address, port))
            {
                GIVEN.add(port);
                return port;
            }
        }
        throw new IllegalStateException(
            "No free port of " + address.getHostAddress() + " found between " + LOWEST + " and " + HIGHEST + ".");
    }

    private static void claimBlock()
    {
        for (int i = 0; i < TRIES; i++)
        {
            final int first = LOWEST + BLOCK * ThreadLocalRandom.current().nextInt((HIGHEST - LOWEST) / BLOCK);
            final ServerSocket socket = bound(resolved(Sockets.HOST), first);
            if (socket != null)
            {
                CLAIMS.add(socket);
                block = first;
                next = 1;
                return;
            }
        }
        throw new IllegalStateException("No free block of ports found between " + LOWEST + " and " + HIGHEST + ".");
    }

    private static InetAddress resolved(final String host)
    {
        try
        {
            return InetAddress.getByName(host);
        }
        catch (final UnknownHostException ex)
        {
            throw new UncheckedIOException("The host " + host + " cannot be resolved.", ex);
        }
    }

    public static synchronized void release(final int port)
    {
        GIVEN.remove(port);
    }

    private static boolean isFree(final InetAddress address, final int port)
    {
        final ServerSocket socket = bound(address, port);
        try
        {
            if (socket != null)
            {
                socket.close();
            }
            return socket != null;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    private static ServerSocket bound(final InetAddress address, final int port)
    {
        try
        {
            return new ServerSocket(port, 1, address);
        }
        catch (final IOException ex)
        {
            return null;
        }
    }
}
