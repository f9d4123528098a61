// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free loopback ports for servers that must return to the same port after a restart. They are below the range of
 * ephemeral ports, so that no outgoing connection can occupy one while its server is down.
 */
public final class FreePorts
{
    private static final int LOWEST = 15_000;
    private static final int HIGHEST = 32_000;
    private static final int TRIES = 1_000;
    private static final Set<Integer> GIVEN = new HashSet<>();

    private FreePorts()
    {
    }

    /** Returns a port that nobody else is given until {@link #release}. */
    public static synchronized int next()
    {
        for (int i = 0; i < TRIES; i++)
        {
            final int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (!GIVEN.contains(port) && isFree(port))
            {
                GIVEN.add(port);
                return port;
            }
        }
        throw new IllegalStateException("No free port found between " + LOWEST + " and " + HIGHEST + ".");
    }

    public static synchronized void release(final int port)
    {
        GIVEN.remove(port);
    }

    private static boolean isFree(final int port)
    {
        try (ServerSocket socket = new ServerSocket())
        {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }
}
